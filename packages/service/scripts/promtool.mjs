// Tests the alert rules with Prometheus's own promtool, and has it read every query of the dashboard.
// Debian: apt-get install prometheus
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../../../docs/operations');
const read = (name) => readFileSync(join(folder, name), 'utf8');

function promtool(...args) {
  const { status, error } = spawnSync('promtool', args, { cwd: folder, stdio: 'inherit' });
  if (error?.code === 'ENOENT') fail('promtool is missing. Debian: apt-get install prometheus');
  if (status !== 0) fail(`promtool ${args.join(' ')} failed`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

promtool('check', 'rules', 'alerts.yml');

const alerts = parse(read('alerts.yml')).groups.flatMap(({ rules }) =>
  rules.flatMap(({ alert }) => alert ?? []),
);
const checks = parse(read('alerts.test.yml')).tests.flatMap((test) => test.alert_rule_test);
for (const alert of alerts) {
  const own = checks.filter(({ alertname }) => alertname === alert);
  if (!own.some(({ exp_alerts = [] }) => exp_alerts.length > 0)) fail(`no test raises ${alert}`);
  // The dead man's switch is never quiet.
  if (alert !== 'KaratWatching' && !own.some(({ exp_alerts = [] }) => exp_alerts.length === 0))
    fail(`no test leaves ${alert} quiet`);
}
promtool('test', 'rules', 'alerts.test.yml');

const queries = JSON.parse(read('dashboard.json'))
  .panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .map((expr) => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m'));
const place = mkdtempSync(join(tmpdir(), 'karat-queries-'));
try {
  const file = join(place, 'queries.yml');
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  promtool('check', 'rules', file);
} finally {
  rmSync(place, { recursive: true, force: true });
}

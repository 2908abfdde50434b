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

/** Runs the tests, each with the address of the section in the annotations, as every rule has it. */
function testRules() {
  const tests = parse(read('alerts.test.yml'));
  for (const { alertname, exp_alerts = [] } of tests.tests.flatMap((test) => test.alert_rule_test))
    for (const { exp_annotations } of exp_alerts)
      exp_annotations.runbook_url = `https://karat.example/operations/#${alertname.toLowerCase()}`;
  const whole = { ...tests, rule_files: [join(folder, 'alerts.yml')] };
  inFile('alerts.test.yml', whole, (file) => promtool('test', 'rules', file));
}

/** Calls `use` with a file that holds some content for as long as that takes. JSON is YAML. */
function inFile(name, content, use) {
  const place = mkdtempSync(join(tmpdir(), 'karat-promtool-'));
  try {
    const file = join(place, name);
    writeFileSync(file, JSON.stringify(content));
    use(file);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
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
testRules();

const queries = JSON.parse(read('dashboard.json'))
  .panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .map((expr) => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m'));
const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
inFile('queries.yml', { groups: [{ name: 'dashboard', rules }] }, (file) => promtool('check', 'rules', file));

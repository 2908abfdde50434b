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

/**
 * Runs the tests of each alert with its own group alone and no other alert, for all would be evaluated at each minute, too. Every
 * rule has the address of its section in the annotations.
 */
function testRules() {
  const { tests, ...settings } = parse(read('alerts.test.yml'));
  const { groups } = parse(read('alerts.yml'));
  inFolder((folder) => {
    const files = tests.map((test, index) => {
      const wanted = new Set(test.alert_rule_test.map(({ alertname }) => alertname));
      const isNeeded = ({ alert }) => alert === undefined || wanted.has(alert);
      const needed = groups
        .map((group) => ({ ...group, rules: group.rules.filter(isNeeded) }))
        .filter(({ rules }) => rules.some(({ alert }) => alert));
      for (const { alertname, exp_alerts = [] } of test.alert_rule_test)
        for (const { exp_annotations } of exp_alerts)
          exp_annotations.runbook_url = `https://karat.example/operations/#${alertname.toLowerCase()}`;
      const rules = write(join(folder, `rules-${index}.yml`), { groups: needed });
      return write(join(folder, `test-${index}.yml`), { ...settings, rule_files: [rules], tests: [test] });
    });
    promtool('test', 'rules', ...files);
  });
}

/** Calls `use` with a folder that is there for as long as that takes. */
function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'karat-promtool-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes some content to a file and returns its path. JSON is YAML. */
function write(file, content) {
  writeFileSync(file, JSON.stringify(content));
  return file;
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
inFolder((folder) =>
  promtool('check', 'rules', write(join(folder, 'queries.yml'), { groups: [{ name: 'dashboard', rules }] })),
);

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSigner } from '@karat/signer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingNames } from '../src/config.js';
import { watchNames } from '../src/domain/keeper-report.js';
import { buildMetricsApp } from '../src/http/server/metrics.js';
import { watchLeads } from '../src/metrics/watch-leads.js';
import { type Harness, harness, newWallet } from './harness.js';
import { type Family, parseExposition } from './metrics/exposition.js';

/** What docs/operations promises: metrics that exist, alerts that are explained, settings that are real. */

const folder = fileURLToPath(new URL('../../../docs/operations/', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const guide = read('README.md');

let h: Harness;
/** Every metric that a process reports, by name. */
let families: Map<string, Family>;
beforeAll(async () => {
  const sanctionsList = join(mkdtempSync(join(tmpdir(), 'karat-list-')), 'list.txt');
  writeFileSync(sanctionsList, newWallet().address);
  h = await harness({ config: { sanctionsList } });
  const role = { status: () => ({ role: 'standby', slot: 0n, waiting: 0 }) };
  watchLeads(h.ctx, { indexer: role, keeper: role });
  const app = await buildMetricsApp(h.ctx);
  ({ families } = parseExposition((await app.inject({ method: 'GET', url: '/metrics' })).body));
  await app.close();
});
afterAll(() => h.close());

/** The metrics that a query names, and the labels that it looks at, by metric. */
function namesOf(query: string): string[] {
  const bare = query.replace(/"[^"]*"/g, '""').replace(/\{[^}]*\}|\[[^\]]*\]/g, '');
  const grouping = bare.replace(/\b(by|on|without|ignoring)\s*\([^)]*\)/g, '');
  return [...grouping.matchAll(/\b(?:karat|nodejs|process)_[\w:]+|\bup\b/g)].map(([name]) => name);
}

function requireMetrics(query: string, where: string): void {
  const names = namesOf(query);
  expect(names.length, `${where} asks for nothing`).toBeGreaterThan(0);
  for (const name of names) {
    const isHistogram = families.get(name.replace(/_(bucket|count|sum)$/, ''))?.type === 'histogram';
    const exists = name === 'up' || families.has(name) || isHistogram || recorded.has(name);
    expect(exists, `${where} asks for ${name}, which no process reports`).toBe(true);
  }
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

interface Recording {
  record: string;
  expr: string;
}

const { groups } = parse(read('alerts.yml')) as { groups: { name: string; rules: (Rule | Recording)[] }[] };
const all = groups.flatMap((group) => group.rules);
const rules = all.filter((rule) => 'alert' in rule);
const recordings = all.filter((rule) => 'record' in rule);
/** What is measured by others than the service: by the parts that it runs on, and by the script that makes backups. */
const infrastructure = groups.flatMap(({ name, rules: own }) => (name === 'karat-infrastructure' ? own : []));
/** Series that Prometheus makes of others. */
const recorded = new Set(recordings.map(({ record }) => record));

describe('alerts.yml', () => {
  test('alerts.yml queries metrics that exist, and knows two severities', () => {
    expect(rules.length).toBeGreaterThan(20);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      const { alert, expr, labels, annotations } = rule;
      if (!infrastructure.includes(rule)) requireMetrics(expr, alert);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });

  test('alerts.yml queries what the script of backups measures', () => {
    const script = readFileSync(join(folder, '../../deploy/backups'), 'utf8');
    const measured = [...script.matchAll(/echo "(karat_\w+) /g)].map(([, name]) => name);
    const queried = infrastructure.flatMap(({ expr }) => namesOf(expr)).filter((name) => name !== 'up');
    expect(measured.length).toBeGreaterThan(4);
    expect([...new Set(queried)].sort()).toEqual(measured.sort());
  });

  test('alertmanager.yml sends every alert to a person, and silences alerts that exist by others that exist', () => {
    const { route, receivers, inhibit_rules } = parse(read('alertmanager.yml')) as {
      route: { receiver: string; routes: { receiver: string }[] };
      receivers: { name: string }[];
      inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[];
    };
    const named = [route, ...route.routes].map(({ receiver }) => receiver);
    expect([...new Set(named)].sort()).toEqual(receivers.map(({ name }) => name).sort());
    const alerts = rules.map(({ alert }) => alert);
    for (const matcher of inhibit_rules.flatMap((rule) => [
      ...rule.source_matchers,
      ...rule.target_matchers,
    ])) {
      const [, pattern] = /^alertname=~?"(.+)"$/.exec(matcher) ?? [];
      if (pattern === undefined) continue;
      const parts = /^Karat\((.+)\)$/
        .exec(pattern)?.[1]
        ?.split('|')
        .map((part) => `Karat${part}`) ?? [pattern];
      for (const part of parts) {
        expect(
          alerts.some((alert) => new RegExp(`^${part}$`).test(alert)),
          part,
        ).toBe(true);
      }
    }
  });

  test('alerts.yml records series of metrics that exist', () => {
    for (const { record, expr } of recordings) {
      if (!/^vector\([\d.]+\)$/.test(expr)) requireMetrics(expr, record);
    }
  });

  test('alerts.yml queries watches of the keeper that exist', () => {
    for (const { alert, expr } of rules) {
      for (const [, operator, text = ''] of expr.matchAll(/watch(=~?)"([^"]+)"/g)) {
        const pattern = new RegExp(`^(?:${operator === '=' ? text.replace(/\W/g, '\\$&') : text})$`);
        expect(
          watchNames.some((name) => pattern.test(name)),
          `${alert}: ${text}`,
        ).toBe(true);
      }
    }
  });

  test('every critical watch of the keeper raises one of them', () => {
    const raised = watchNames.filter((name) =>
      rules.some(({ expr }) =>
        [...expr.matchAll(/watch=(~?)"([^"]+)"/g)].some(([, isPattern, text = '']) =>
          isPattern ? new RegExp(`^(?:${text})$`).test(name) : text === name,
        ),
      ),
    );
    // The price is reported by every process that quotes, whether or not a keeper runs; a pause is never critical.
    expect([...raised, 'price_age_seconds', 'paused'].sort()).toEqual([...watchNames].sort());
  });

  test('every alert has a section in the guide, to which its runbook_url leads, and every section is one', () => {
    const sections = [...guide.matchAll(/^### (Karat\w+)\n(.{40,})/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`https://karat.example/operations/#${alert.toLowerCase()}`);
  });
});

test('the guide makes key files, and shows their addresses, by Node alone', () => {
  const [, block = ''] = guide.match(/```sh\n(umask 077\nmkdir -p keys\n[\s\S]*?)```/) ?? [];
  const place = mkdtempSync(join(tmpdir(), 'karat-keys-'));
  try {
    const shown = execFileSync('bash', ['-ec', block], { cwd: place, encoding: 'utf8' });
    const files = ['service', 'operations', 'guardian', 'market', 'admin'].map((name) =>
      join(place, `keys/${name}.json`),
    );
    expect(shown.trim().split('\n')).toEqual(files.map((file) => loadSigner(file).address));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; datasource: { uid: string } }[];
}

describe('dashboard.json', () => {
  const dashboard = JSON.parse(read('dashboard.json')) as {
    uid: string;
    schemaVersion: number;
    panels: Panel[];
    templating: { list: { name: string; definition?: string }[] };
  };
  const variables = dashboard.templating.list.map(({ name }) => name);

  test('dashboard.json queries metrics that exist, of the Prometheus that its reader chooses', () => {
    const asking = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(asking.length).toBeGreaterThan(20);
    for (const { title, targets = [] } of asking) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr, datasource } of targets) {
        requireMetrics(expr, title);
        expect(datasource.uid).toBe(['$', '{datasource}'].join(''));
        const used = [...expr.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
        for (const name of used) expect([...variables, '__rate_interval']).toContain(name);
      }
    }
    for (const { definition } of dashboard.templating.list) {
      if (definition) requireMetrics(definition.replace(/label_values\((\w+), \w+\)/, '$1'), 'a variable');
    }
  });

  test('dashboard.json has panels that neither overlap nor leave the page', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x},${y}`), `${title} lies on another panel`).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });
});

test('metrics.md describes every metric of Karat, and none that does not exist', () => {
  const reported = [...read('metrics.md').matchAll(/^\| `(karat_\w+)` \|/gm)].map(([, name]) => name);
  const own = [...families.keys()].filter((name) => name.startsWith('karat_'));
  expect(reported.sort()).toEqual(own.sort());
});

test('keeper.md describes everything that the keeper watches', () => {
  const rows = read('keeper.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const reported = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(reported.filter((name) => watchNames.includes(name as never)).sort()).toEqual(
    [...watchNames].sort(),
  );
});

test('the guide describes every setting, and none that is not one', () => {
  const rows = guide.split('\n').filter((line) => /^\| `(KARAT_|OTEL_|DATABASE_URL)/.test(line));
  const table = rows.slice(rows.findIndex((row) => row.startsWith('| `DATABASE_URL`')));
  const reported = table.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(reported.sort()).toEqual([...settingNames].sort());
});

test('pages that the pages link to exist, with their sections', () => {
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-');
  for (const page of readdirSync(folder).filter((name) => name.endsWith('.md'))) {
    for (const [, target = '', anchor] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const file = target === '' ? join(folder, page) : join(dirname(join(folder, page)), target);
      expect(existsSync(file), `${page} links to ${target}`).toBe(true);
      if (anchor === undefined) continue;
      const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
        anchorOf(text),
      );
      expect(headings, `${page} links to ${target}#${anchor}`).toContain(anchor);
    }
  }
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultKeeperTuning } from '../src/keeper/tuning.js';

/** What the rules of docs/operations/alerts.yml must not overlook. */

const file = new URL('../../../docs/operations/alerts.yml', import.meta.url);
const { groups } = parse(readFileSync(file, 'utf8')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
const exprOf = (name: string) => {
  const rule = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name);
  if (!rule) throw new Error(`no alert ${name}`);
  return rule.expr.replace(/\s+/g, ' ');
};

test('books that were never compared have no age, and raise the alert too', () => {
  const expr = exprOf('KaratReconciliationStopped');
  expect(expr).toContain('min(karat_reconciliation_age_seconds) > 600');
  // Unless no process can know: then the alert is about the database.
  expect(expr).toContain(
    'or (absent(karat_reconciliation_age_seconds) and on () max(karat_database_up) == 1)',
  );
});

test('an approval that waits raises an alert long before it lapses', () => {
  const [, seconds] =
    /^max\(karat_approval_oldest_age_seconds\) > (\d+)$/.exec(exprOf('KaratApprovalsWait')) ?? [];
  // It does after 24 h.
  expect(Number(seconds)).toBeLessThan(12 * 3_600);
});

test('tokens that are not backed raise an alert within two minutes: a round of the keeper, a scrape and an evaluation', () => {
  expect(exprOf('KaratNotBacked')).toBe('min by (by) (karat_backing_surplus_gold) < 0');
  const rules = groups.flatMap(({ rules }) => rules);
  expect(rules.find(({ alert }) => alert === 'KaratNotBacked')).not.toHaveProperty('for');
  const compose = readFileSync(new URL('../../../deploy/compose.yaml', import.meta.url), 'utf8');
  const seconds = [/scrape_interval: (\d+)s/, /evaluation_interval: (\d+)s/].map((setting) =>
    Number(setting.exec(compose)?.[1]),
  );
  const sum = seconds.reduce((all, each) => all + each, defaultKeeperTuning.backingMs / 1_000);
  expect(sum).toBeLessThan(120);
});

test('gold that does not cover the tokens raises an alert at once, and a statement that is late one in its second day', () => {
  expect(exprOf('KaratReservesShort')).toBe('min(karat_reserves_difference_tokens) < 0');
  const [, seconds] =
    /^min\(karat_reserves_statement_age_seconds\) > (\d+)$/.exec(exprOf('KaratReservesStale')) ?? [];
  expect(Number(seconds)).toBeGreaterThan(86_400);
  expect(Number(seconds)).toBeLessThan(2 * 86_400);
});

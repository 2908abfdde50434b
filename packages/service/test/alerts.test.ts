import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

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

test('gold that does not cover the tokens raises an alert at once, and a statement that is late one in its second day', () => {
  expect(exprOf('KaratReservesShort')).toBe('min(karat_reserves_difference_tokens) < 0');
  const [, seconds] =
    /^min\(karat_reserves_statement_age_seconds\) > (\d+)$/.exec(exprOf('KaratReservesStale')) ?? [];
  expect(Number(seconds)).toBeGreaterThan(86_400);
  expect(Number(seconds)).toBeLessThan(2 * 86_400);
});

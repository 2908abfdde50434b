import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.js';
import { marketStateAt } from '../src/domain/market-calendar.js';
import { loadMarketCalendar } from '../src/market-calendar.js';

const needed = {
  DATABASE_URL: 'postgres://localhost/any',
  KARAT_RPC_URL: 'http://localhost',
  KARAT_PROGRAM_ID: 'any',
  KARAT_SERVICE_SIGNER: 'any',
};
const load = (env: Record<string, string>) => loadMarketCalendar(readConfig({ ...needed, ...env }));
const noonOf = (date: string) => Date.parse(`${date}T17:00:00Z`);

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'karat-holidays-')), 'holidays.json');
  writeFileSync(path, text);
  return path;
}

test('the file that comes with the service holds the years that it names, and their holidays', () => {
  const calendar = load({});
  expect([...calendar.years]).toEqual([2026, 2027]);
  expect(marketStateAt(noonOf('2026-04-03'), calendar)).toBe('closed');
  expect(marketStateAt(noonOf('2026-04-02'), calendar)).toBe('open');
});

test('a file of holidays of one’s own replaces it', () => {
  const file = { years: [2026], closed: [{ date: '2026-07-15', name: 'a strike' }], early_close: [] };
  const calendar = load({ KARAT_MARKET_HOURS: fileWith(JSON.stringify(file)) });
  expect(marketStateAt(noonOf('2026-07-15'), calendar)).toBe('closed');
  expect(marketStateAt(noonOf('2026-04-03'), calendar)).toBe('open');
});

test('KARAT_MARKET_HOURS=always is open on a holiday', () => {
  expect(marketStateAt(noonOf('2026-12-25'), load({ KARAT_MARKET_HOURS: 'always' }))).toBe('open');
});

test.each([
  [
    'malformed',
    fileWith('{"years":[2026],"closed":[],"early_close":[{}]}'),
    'early_close[0] must have exactly',
  ],
  ['not there', '/nowhere/holidays.json', 'it cannot be read'],
])('a file that is %s keeps the service from starting', (_, path, reason) => {
  const reading = () => load({ KARAT_MARKET_HOURS: path });
  expect(reading).toThrow(ConfigError);
  expect(reading).toThrow(`KARAT_MARKET_HOURS does not name a usable holidays file: ${reason}`);
});

test.each([
  ['KARAT_MARKET_HOURS', 'weekdays', 'must be calendar, always, or the path of a file of holidays'],
  ['KARAT_MIN_SIGNER_SOL', '-1', 'must be an amount such as 0.5 with at most 9 decimals'],
  ['KARAT_MIN_TREASURY_USDC', '1e6', 'must be an amount such as 0.5 with at most 6 decimals'],
  ['KARAT_MIN_TREASURY_GOLD', '0.0000001', 'must be an amount such as 0.5 with at most 6 decimals'],
])('%s=%s is refused', (name, value, message) => {
  expect(() => readConfig({ ...needed, [name]: value })).toThrow(`${name} ${message}`);
});

test('thresholds are read exactly', () => {
  const config = readConfig({
    ...needed,
    KARAT_MIN_SIGNER_SOL: '0.000000001',
    KARAT_MIN_TREASURY_GOLD: '2.5',
  });
  expect(config).toMatchObject({
    minSignerLamports: 1n,
    minTreasuryGold: 2_500_000n,
    minTreasuryUsdc: 100_000_000_000n,
  });
});

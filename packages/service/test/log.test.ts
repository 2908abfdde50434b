import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, createReadStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../src/log.js';
import { assertNothingLeaked, clientOf, type Harness, harness, newAddress, newWallet } from './harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

function logger() {
  const lines: string[] = [];
  return { lines, log: createLogger('trace', { write: (line: string) => void lines.push(line) }) };
}

test('no key, signature or KYC datum is logged, however a request ends', async () => {
  const planted = { name: 'Planted Fullname', number: 'PLANTED-42', provider: 'planted-provider' };
  const kyc = {
    country: 'PK',
    full_name: planted.name,
    kyc_provider: planted.provider,
    kyc_level: 'full',
    kyc_verified_at: '2025-03-01T12:00:00Z',
    kyc_data: { id_type: 'cnic', id_number: planted.number },
  };
  const before = h.logLines.length;
  const { signature, response } = await h.mintKey(h.main);
  const wallet = newWallet().address;
  const bodies = [
    { user_id: 'a', wallet_address: wallet, kyc },
    { user_id: 'a', wallet_address: wallet, kyc },
    { user_id: 'b', wallet_address: 'no wallet', kyc },
    { user_id: 'c', wallet_address: wallet, kyc: { ...kyc, kyc_level: 'none' } },
    `{"kyc":${JSON.stringify(kyc)}`,
  ];
  for (const body of bodies) await h.partner.post('/v1/users', body);
  const anonymous = clientOf(h.app, {}, { remoteAddress: newAddress() });
  await anonymous.post('/v1/auth/api-key', { challenge_id: 'x', signature, key_name: 'k' });
  await anonymous.get(`/v1/users/${response.body.api_key}?key=${response.body.api_key}`);
  await anonymous.get(`/${response.body.api_key}`);
  await anonymous.get('/nowhere', { 'x-request-id': response.body.api_key });

  // An error in the middle of a write carries every value of the query.
  await h.ctx.sql`alter table user_kyc add constraint planted check (kyc_level <> 'full') not valid`;
  const failed = await h.partner.post('/v1/users', {
    user_id: 'd',
    wallet_address: newWallet().address,
    kyc,
  });
  expect(failed.status).toBe(500);

  const lines = h.logLines.slice(before);
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.some((line) => line.includes('"constraint":"planted"'))).toBe(true);
  assertNothingLeaked(lines, [response.body.api_key, signature, h.main.apiKey, ...Object.values(planted)]);
});

test('a secret logged by mistake is hidden by name and by shape', () => {
  const { lines, log } = logger();
  const key = `service_partner_${'ab'.repeat(32)}`;
  const signature = newWallet().sign('x');
  log.info(
    { headers: { 'x-api-key': 'raw' }, body: { full_name: 'Planted' }, kyc: { a: 'Planted' } },
    'by name',
  );
  log.info({
    user: { kyc_data: { id: 'Planted' }, full_name: 'Planted' },
    request: { headers: { 'x-api-key': 'raw' } },
  });
  log.info({ deep: { er: { text: `key ${key}` } } }, `signed ${signature}`);
  log.info(`service_tradebook_${'0'.repeat(64)}`);
  log.info(`karat_operator_${'1'.repeat(64)}`);
  assertNothingLeaked(lines, ['raw', 'Planted', key, signature, '0'.repeat(64), '1'.repeat(64)]);
  expect(lines).toHaveLength(5);
  for (const line of lines) expect(line).toContain('[hidden]');
});

test('an error is logged with its codes and causes but without the values of its query', () => {
  const { lines, log } = logger();
  const cause = Object.assign(new Error('invalid input syntax for type uuid: "Planted"'), { code: '22P02' });
  log.error({ err: new Error('outer', { cause: new DrizzleQueryError('select $1', ['Planted'], cause) }) });
  const { err } = JSON.parse(lines[0] ?? '{}');
  expect(err).toMatchObject({
    message: 'outer',
    stack: expect.stringContaining('    at '),
    cause: { type: 'DrizzleQueryError', query: 'select $1', cause: { code: '22P02' } },
  });
  assertNothingLeaked(lines, ['Planted']);
});

test('the check itself finds what is planted', () => {
  expect(() => assertNothingLeaked(['{"a":"secret"}'], ['secret'])).toThrow('a secret was logged');
});

test('lines that find no room are counted, and the process goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'karat-log-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  // Nothing is read, though the pipe has a reader.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const output = pino.destination({ fd, sync: false, minLength: 1_024, maxLength: 65_536 });
  let dropped = 0;
  const onDrop = () => {
    dropped += 1;
  };
  const log = createLogger('info', output, { onDrop });
  for (let line = 0; line < 2_000; line += 1) log.info({ text: 'x'.repeat(200) }, 'hello');
  expect(dropped).toBeGreaterThan(500);
  expect(dropped).toBeLessThan(2_000);
  createReadStream(path).resume();
  output.end();
  await once(output, 'close');
  rmSync(folder, { recursive: true });
});

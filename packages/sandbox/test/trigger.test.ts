import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { karat } from '../../service/src/cli/karat.js';
import { triggeredTypes } from '../../service/src/cli/trigger/types.js';
import { eventTypes } from '../../service/src/domain/event.js';
import {
  endOf,
  makeStateDir,
  newStateDir,
  type Run,
  readInfo,
  root,
  rpc,
  run,
  startSandbox,
} from './harness.js';

/** `karat trigger` against a sandbox. Starting one is what costs here, so the tests share it. */
const patience = { timeout: 300_000 };
const { stateDir, remove } = makeStateDir();
let sandbox: Run;
beforeAll(async () => {
  // Many keys are minted within a minute.
  sandbox = startSandbox(stateDir, [], { KARAT_AUTH_RATE_LIMIT: '1000', KARAT_KEY_RATE_LIMIT: '100000' });
  await sandbox.printed('Karat is ready');
}, 300_000);
afterAll(async () => {
  await endOf(sandbox);
  remove();
});

async function trigger(args: string[], folder = stateDir) {
  let reported = '';
  const write = (text: string) => {
    reported += text;
  };
  const terminal = {
    ...{ env: { KARAT_STATE_DIR: folder }, stdin: Readable.from([]), stderr: { write } },
    during: <T>(_: string, run: () => Promise<T>) => run(),
    paint: (_: unknown, text: string) => text,
  };
  const ending = await karat(['trigger', ...args], terminal);
  if (ending === 'running') throw new Error('karat goes on');
  return { ...ending, reported };
}

/** Triggers an event; returns what was printed, as the log of the partner has it. */
async function triggered(type: string, ...args: string[]) {
  const { exitCode, stdout, stderr, reported } = await trigger([type, ...args]);
  expect([type, exitCode, stderr, reported], reported).toEqual([type, 0, [], reported]);
  const event = JSON.parse(stdout[0] ?? '');
  expect(event).toMatchObject({ id: expect.stringMatching(/^evt_/), type });
  const logged = await partnerApi(`/v1/events?types=${type}`);
  expect(logged.events).toContainEqual(event);
  return event;
}

async function partnerApi(path: string) {
  const { partner_api_url: url, partners } = readInfo(stateDir);
  const response = await fetch(url + path, { headers: { 'x-api-key': partners[0]?.api_key ?? '' } });
  return (await response.json()) as { events: unknown[]; status: string };
}

/** Those that move the clock of the sandbox would have quotes of the others expire. */
const byTime = triggeredTypes.filter((type) => type.endsWith('.expired') || type === 'redemption.burned');
/** A suspended partner gets no responses. */
const bySuspension = ['partner.suspended', 'partner.resumed'];
const isOrder = (type: string) => /^(purchase|sale|withdrawal)\./.test(type);

async function inTurn(types: string[]): Promise<void> {
  for (const type of types) await triggered(type);
}

test('karat trigger causes every event but the one that needs a fork', patience, async () => {
  const others = triggeredTypes.filter((type) => ![...byTime, ...bySuspension].includes(type));
  // An order that fails finds the vault empty, as the others would, and a vault that changes sides moves the clock.
  const [orders, apart] = [others.filter(isOrder), others.filter((type) => !isOrder(type))];
  const events = await Promise.all(apart.map((type) => triggered(type)));
  await inTurn(orders);
  for (const event of events) {
    const [object, change] = event.type.split('.');
    if (object === 'redemption' && change !== 'refunded') {
      expect(event.data.object.status).toBe(change);
    }
  }
  // Purchases stand for the other orders.
  await inTurn([...bySuspension, 'trade.expired', 'purchase.expired', 'redemption.burned']);
  expect(eventTypes.filter((type) => !(triggeredTypes as string[]).includes(type))).toEqual([
    'trade.reverted',
  ]);
});

test('karat trigger mints nothing: the reserves agree with the node afterwards', patience, async () => {
  const { partner_api_url: url, rpc_url: node, chain } = readInfo(stateDir);
  const supply = async () =>
    (
      await rpc<{ value: { amount: string } }>(node, 'getTokenSupply', chain.gold_mint, {
        commitment: 'confirmed',
      })
    ).value.amount;
  // The sandbox publishes its first statement within a minute.
  const published = async () => expect((await fetch(`${url}/v1/reserves`)).status).toBe(200);
  await vi.waitFor(published, { timeout: 60_000, interval: 500 });
  const before = await supply();
  // Each gives a customer a wallet; the last two take what is in one, and in the partner's vault.
  await inTurn([
    'user.created',
    'redemption.submitted',
    'redemption.failed',
    'sale.confirmed',
    'sale.failed',
  ]);
  expect(await supply()).toBe(before);
  const verifier = run(process.execPath, [join(root, 'examples/verify-reserves.mjs'), url, '--rpc', node]);
  expect([await verifier.exit, verifier.output()]).toEqual([0, expect.stringContaining('\nCOVERED: ')]);
});

test('karat trigger moves an existing redemption', patience, async () => {
  const { data } = await triggered('redemption.submitted');
  const id: string = data.object.redemption_id;
  const moved = await triggered('redemption.cancellation_requested', '--redemption', id);
  expect(moved.data.object).toMatchObject({ redemption_id: id, status: 'cancellation_requested' });
  expect(await trigger(['redemption.ready', '--redemption', id])).toMatchObject({
    exitCode: 1,
    stderr: [`${id} is cancellation_requested, from where nothing brings it to ready`],
  });
  expect(await partnerApi(`/v1/redemptions/${id}`)).toMatchObject({ status: 'cancellation_requested' });
});

test(
  'karat trigger prints the event, as a process of its own, and its steps on standard error',
  patience,
  async () => {
    const args = [inject('sandboxScripts').karat, 'trigger', 'user.created', '--state-dir', stateDir];
    const call = run(process.execPath, args);
    expect([await call.exit, call.output()]).toEqual([
      0,
      expect.stringContaining('  registered customer gu_'),
    ]);
    expect(call.output()).toMatch(/^\{"id":"evt_[^"]+","sequence":\d+,"type":"user.created",/m);
  },
);

test('karat trigger lists the events it knows, and suggests what was meant', async () => {
  const help = (await trigger(['--help'])).stdout.join('\n');
  for (const type of triggeredTypes) expect(help).toContain(` ${type}`);
  expect(await trigger(['redemption.redy'])).toMatchObject({
    exitCode: 2,
    stderr: [
      `"redemption.redy" is no type of events; did you mean redemption.ready? Known: ${triggeredTypes.join(', ')}`,
    ],
  });
  expect(await trigger(['bar'])).toMatchObject({
    exitCode: 2,
    stderr: [expect.stringMatching(/^"bar" is no type of events; Known: user\.created, /)],
  });
  expect(await trigger([])).toMatchObject({ exitCode: 2 });
  expect(await trigger(['user.created', 'trade.failed'])).toMatchObject({ exitCode: 2 });
  expect(await trigger(['trade.confirmed', '--redemption', 'red_1'])).toMatchObject({ exitCode: 2 });
  expect(await trigger(['trade.reverted'])).toMatchObject({ exitCode: 1 });
});

test('karat trigger does nothing where no sandbox is', async () => {
  expect(await trigger(['user.created'], '/nowhere')).toMatchObject({
    exitCode: 1,
    stderr: ['No sandbox is running on /nowhere; start one with: npm start'],
  });
  const requests: string[] = [];
  const production = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    // It was too busy at first.
    if (requests.length === 1) response.writeHead(503, { 'retry-after': '0' });
    response.end(
      JSON.stringify({ network: 'mainnet-beta', genesis_hash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }),
    );
  });
  await new Promise<void>((resolve) => production.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void production.close());
  const folder = newStateDir();
  mkdirSync(folder);
  const own = JSON.parse(readFileSync(join(stateDir, 'sandbox.json'), 'utf8'));
  const write = (changed: object) =>
    writeFileSync(join(folder, 'sandbox.json'), JSON.stringify({ ...own, ...changed }));
  write({ partner_api_url: `http://127.0.0.1:${(production.address() as AddressInfo).port}` });
  expect(await trigger(['user.created'], folder)).toMatchObject({
    exitCode: 1,
    stderr: [
      `karat trigger works only in a sandbox, and that of ${folder} is none: its service is on mainnet-beta`,
    ],
  });
  expect(requests).toEqual(['GET /v1/network', 'GET /v1/network']);
});

import {
  findIntegratorPda,
  getIntegratorDecoder,
  getIntegratorEncoder,
  type Integrator,
} from '@karat/program-client';
import { address } from '@solana/kit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createChain } from '../../../src/chain/create-chain.js';
import { newUuid, type Uuid, uuidBytes } from '../../../src/domain/index.js';
import { hang, type Lie, type LyingNode, Refused, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, type KaratChain, usualPrice } from '../../karat-chain.js';

/** More partners than one round of the reader reads. */
const partnerCount = 2_500;
const ids = Array.from({ length: partnerCount }, newUuid);
const last = ids.at(-1) as Uuid;

let t: Karat;
let node: LyingNode;

const addressOf = async ({ config }: KaratChain, partnerId: Uuid) =>
  (
    await findIntegratorPda(
      { partnerId: uuidBytes(partnerId) },
      { programAddress: address(config.programId) },
    )
  )[0];

/** Writes an integrator to the chain as it would be there: transactions would take minutes. */
async function write(partnerId: Uuid, changes: Partial<Integrator> = {}): Promise<void> {
  const account = t.chain.node.getAccount(await addressOf(t.chain, t.partner.partnerId));
  if (!account) throw new Error('the first partner is not on the chain');
  const template = getIntegratorDecoder().decode(account.data);
  const data = getIntegratorEncoder().encode({ ...template, partnerId: uuidBytes(partnerId), ...changes });
  t.chain.node.setAccount(await addressOf(t.chain, partnerId), { ...account, data: new Uint8Array(data) });
}

/** By how much time has been moved on. It does not go back while the service runs. */
let passedMs = 0;
const realNow = performance.now.bind(performance);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
  t = await startKarat({
    reroute: async ({ rpcUrl }) => {
      node = await startLyingNode(rpcUrl);
      // Without notifications, so that all that is known was read.
      return { rpcUrl: node.url, wsUrl: 'ws://127.0.0.1:1' };
    },
  });
  for (const id of ids) await write(id);
}, 120_000);

afterAll(async () => {
  await t.stop();
  await node.close();
  vi.restoreAllMocks();
});

test('integrators are all known, and read again in turn', { timeout: 60_000 }, async () => {
  const { program } = t.service.ctx.chain;
  await eventually(async () => expect(program.integrators()).toHaveLength(partnerCount + 1), 30_000);
  node.calls.clear();
  await write(last, { openFeeBps: 77 });
  await eventually(async () => expect(program.integrator(last)?.data.openFeeBps).toBe(77), 20_000);
  const calls = (method: string) => node.calls.get(method) ?? 0;
  // Each round lists, for want of notifications.
  await eventually(async () => expect(calls('getProgramAccounts')).toBeGreaterThanOrEqual(4), 20_000);
  expect(calls('getMultipleAccounts')).toBeLessThanOrEqual(12 * (calls('getProgramAccounts') + 1));
});

/** A node that refuses the listing. */
const unlisted: Lie = async ({ method }, ask) => {
  if (method === 'getProgramAccounts') throw new Refused(-32005, 'Node is behind');
  return ask();
};
/** A node that refuses all accounts but those that are read with the configuration. */
const partial: Lie = async ({ method, params }, ask) => {
  const { config } = t.chain.addresses;
  if (method === 'getMultipleAccounts' && !params[0].includes(config)) throw new Refused(-32005, 'Behind');
  return ask();
};

test.each([
  ['the listing', unlisted],
  ['all but the first accounts', partial],
])(
  'program: a node that refuses %s stops quotes after half a minute',
  { timeout: 60_000 },
  async (_, lie) => {
    const { program } = t.service.ctx.chain;
    try {
      await eventually(() => expect(program.fault()).toBeUndefined(), 10_000);
      node.lie = lie;
      passedMs += 15_000;
      await eventually(() => expect(program.fault()).toBeUndefined(), 10_000);
      await t.chain.setStatus({ paused: 2 });
      await eventually(() => expect(program.config().paused).toBe(2), 10_000);
      passedMs += 30_000;
      node.calls.clear();
      await eventually(
        () => expect(node.calls.get('getMultipleAccounts')).toBeGreaterThanOrEqual(30),
        20_000,
      );
      expect(program.fault()).toMatch(/^The accounts of the program were last read \d+ s ago\.$/);
      node.lie = undefined;
      await eventually(() => expect(program.fault()).toBeUndefined(), 10_000);
    } finally {
      node.lie = undefined;
      await t.chain.setStatus({});
    }
  },
);

/** Where the status is in the bytes of an integrator. */
const statusAt = 3;

test('an integrator is not decoded before it is used, and then once', async () => {
  const { program } = t.service.ctx.chain;
  const account = t.chain.node.getAccount(await addressOf(t.chain, t.partner.partnerId));
  if (!account) throw new Error('the first partner is not on the chain');
  const partnerId = newUuid();
  const at = await addressOf(t.chain, partnerId);
  const template = getIntegratorDecoder().decode(account.data);
  const good = new Uint8Array(
    getIntegratorEncoder().encode({ ...template, partnerId: uuidBytes(partnerId) }),
  );
  const put = (data: Uint8Array) => t.chain.node.setAccount(at, { ...account, data });
  // No decoder takes such a status.
  put(good.with(statusAt, 255));
  await eventually(() => expect(program.lastIntegrator(partnerId)?.address).toBe(at), 20_000);
  const undecodable = program.lastIntegrator(partnerId);
  expect(() => undecodable?.data).toThrow('255');
  put(good);
  await eventually(() => expect(program.lastIntegrator(partnerId)).not.toBe(undecodable), 20_000);
  const known = program.lastIntegrator(partnerId);
  expect(known?.data).toEqual(getIntegratorDecoder().decode(Buffer.from(good)));
  expect(known?.data).toBe(known?.data);
});

/** A node that does not respond to calls for accounts but those that are read with the configuration. */
const silent: Lie = async ({ method, params }, ask) => {
  const { config } = t.chain.addresses;
  return method === 'getMultipleAccounts' && !params[0].includes(config) ? hang : ask();
};

test('account reader: a node that does not respond to reads of integrators holds up neither price nor program', {
  timeout: 30_000,
}, async () => {
  const { price, program } = t.service.ctx.chain;
  try {
    // Prices are read every second from the first request for one on.
    await eventually(() => {
      price.current();
      expect(program.readPrice('gold')?.ageMs).toBeLessThan(500);
      expect(program.fault()).toBeUndefined();
    }, 10_000);
    node.lie = silent;
    const endMs = realNow() + 8_000;
    while (realNow() < endMs) {
      expect(price.current().price).toBe(usualPrice.price);
      // Rounds are a second apart; a call that gets no response takes three.
      expect(program.readPrice('gold')?.ageMs).toBeLessThan(2_500);
      expect(program.fault()).toBeUndefined();
      await pause(100);
    }
  } finally {
    node.lie = undefined;
  }
});

test('account reader: a node that refuses reads of integrators is logged once, and once when it works again', {
  timeout: 60_000,
}, async () => {
  const logged: { loop?: string; msg: string }[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
  const ofAccounts = () => logged.flatMap(({ loop, msg }) => (loop === 'accounts' ? [msg] : []));
  const chain = await createChain({ config: t.service.ctx.config, clock: t.chain.clock, log });
  try {
    await chain.start();
    await eventually(() => expect(chain.program.fault()).toBeUndefined(), 20_000);
    node.lie = partial;
    const endMs = realNow() + 8_000;
    while (realNow() < endMs) {
      chain.price.current();
      await pause(100);
    }
    expect(ofAccounts()).toEqual(['fails and keeps trying']);
    node.lie = undefined;
    await eventually(() => expect(ofAccounts()).toEqual(['fails and keeps trying', 'works again']), 10_000);
  } finally {
    node.lie = undefined;
    await chain.stop();
  }
});

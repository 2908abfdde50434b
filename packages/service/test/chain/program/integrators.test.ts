import {
  findIntegratorPda,
  getIntegratorDecoder,
  getIntegratorEncoder,
  type Integrator,
} from '@karat/program-client';
import { address } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeAccount } from '../../../src/chain/program/chain-news.js';
import { newUuid, type Uuid, uuidBytes } from '../../../src/domain/index.js';
import { cpuMsOf } from '../../cpu-time.js';
import { type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { eventually, type KaratChain } from '../../karat-chain.js';
import { startTrading, type Trading } from '../../trading.js';

/** More partners than one round of the reader reads. */
const partnerCount = 2_500;
const ids = Array.from({ length: partnerCount }, newUuid);
const last = ids.at(-1) as Uuid;

let t: Trading;
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

beforeAll(async () => {
  t = await startTrading({
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

test('integrators that are only known take far less than decoding them does', async () => {
  const { program } = t.service.ctx.chain;
  const account = t.chain.node.getAccount(await addressOf(t.chain, t.partner.partnerId));
  if (!account) throw new Error('the first partner is not on the chain');
  const template = getIntegratorDecoder().decode(account.data);
  const others = await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const partnerId = newUuid();
      const bytes = getIntegratorEncoder().encode({ ...template, partnerId: uuidBytes(partnerId) });
      return { partnerId, bytes, at: await addressOf(t.chain, partnerId) };
    }),
  );
  const decodingMs = await cpuMsOf(() => others.map(({ bytes }) => getIntegratorDecoder().decode(bytes)));
  const owner = address(t.chain.config.programId);
  const knowingMs = await cpuMsOf(() => {
    for (const { at, bytes } of others) {
      const data = [Buffer.from(bytes).toString('base64'), 'base64'] as NodeAccount['data'];
      program.accept(at, { owner, data }, 1n);
    }
  });
  expect(knowingMs).toBeLessThan(decodingMs / 3);
  for (const { partnerId, at, bytes } of others.slice(0, 10)) {
    expect(program.lastIntegrator(partnerId)?.address).toBe(at);
    expect(program.lastIntegrator(partnerId)?.data).toEqual(
      getIntegratorDecoder().decode(Buffer.from(bytes)),
    );
  }
});

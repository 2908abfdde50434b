import { createSolanaRpc, type Signature } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sweepLapsedRedemptions } from '../../../src/actions/redemptions/sweep-lapsed-redemptions.js';
import { findHistory } from '../../../src/db/redemptions/redemptions.js';
import { type RedemptionId, uuidOf } from '../../../src/domain/ids.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { endsNow } from '../../ending.js';
import { expectStatus } from '../../harness.js';
import { type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { anyAge, eventually } from '../../karat-chain.js';
import { signatureNamed } from '../../named-keys.js';
import { givenRedemption } from '../../redeeming.js';

let r: Karat;
let node: LyingNode;
const never = new AbortController().signal;

beforeAll(async () => {
  r = await startKarat({
    redeems: true,
    reroute: async ({ rpcUrl, wsUrl }) => {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await r.stop();
  await node.close();
});

/** As if everything were recorded that the finalized chain carries. */
const sweep = async () => {
  const { ends, by } = await endsNow(r.service.ctx, never);
  return sweepLapsedRedemptions(r.service.ctx, ends, { ...by, signal: never });
};
const statusOf = async (id: RedemptionId) => (await r.redemptions.row(id)).status;

/** A quote from a node that is up to date again after a warp. */
const quoted = () => eventually(() => r.redemptions.quoted(), 10_000);

/** A quote whose transaction is confirmed, with no indexer to see it. */
async function landed(): Promise<RedemptionId> {
  const { id, transaction } = await quoted();
  const { body } = expectStatus(await r.redemptions.submit(id, r.signed(transaction)), 200);
  const rpc = createSolanaRpc(r.chain.node.rpcUrl);
  await eventually(async () => {
    const { value } = await rpc.getSignatureStatuses([body.tx_hash as Signature], anyAge).send();
    expect(value[0]?.confirmationStatus).toMatch(/^(confirmed|finalized)$/);
  }, 10_000);
  return id;
}

describe('a quote lapses', () => {
  test('a quote lapses once it is 90 s old and the finalized chain is past its last height, not before', async () => {
    const { id } = await quoted();
    const { sql } = r.service.ctx;
    const isQuoted = async () => {
      await sweep();
      expect(await statusOf(id)).toBe('quoted');
    };
    await isQuoted();
    // A node may understate the last height.
    r.chain.node.warp({ slots: 200 });
    await isQuoted();
    r.chain.node.warp({ slots: 40 });
    const move = (by: number) => sql`
      update redemptions set last_valid_block_height = last_valid_block_height + ${by}::int where id = ${uuidOf(id)}`;
    await move(100);
    await isQuoted();
    await move(-100);
    expect(await sweep()).toBeGreaterThan(0);
    expect(await r.redemptions.row(id)).toMatchObject({ status: 'lapsed', txSignature: null });
    expect(await r.redemptions.moves(id)).toEqual([' > quoted by key', 'quoted > lapsed by sweep']);
    expect(await sweep()).toBe(0);
  });

  test('a quote whose transaction has landed never lapses, whether the indexer knows it or not', async () => {
    const id = await landed();
    r.chain.node.warp({ slots: 400 });
    await sweep();
    expect(await statusOf(id)).toBe('quoted');
  });

  test('a quote whose transaction only the node’s history knows never lapses', async () => {
    const id = await landed();
    r.chain.node.warp({ slots: 400 });
    node.lie = async ({ method, params }, ask) => {
      const result = await ask();
      if (method !== 'getSignatureStatuses' || params[1]?.searchTransactionHistory) return result;
      return { ...result, value: result.value.map(() => null) };
    };
    await sweep();
    expect(await statusOf(id)).toBe('quoted');
  });

  test('a quote never lapses on the word of a node that lags behind', async () => {
    const { id } = await quoted();
    r.chain.node.warp({ slots: 400 });
    node.lie = async ({ method }, ask) => {
      const result = await ask();
      if (method !== 'getSignatureStatuses') return result;
      return { context: { slot: result.context.slot - 100 }, value: result.value.map(() => null) };
    };
    expect(await sweep()).toBe(0);
    expect(await statusOf(id)).toBe('quoted');
    node.lie = undefined;
    expect(await sweep()).toBe(1);
  });

  test('a quote never lapses while the node does not respond, which the sweep reports', async () => {
    const { id } = await quoted();
    r.chain.node.warp({ slots: 400 });
    node.lie = async ({ method }, ask) => {
      if (method === 'getSignatureStatuses') throw new Error('gone');
      return ask();
    };
    await expect(sweep()).rejects.toThrow();
    expect(await statusOf(id)).toBe('quoted');
    node.lie = undefined;
    expect(await sweep()).toBe(1);
  });

  test('a quote never lapses because the indexer was stopped for longer than its transaction could land', async () => {
    const paid = await landed();
    const unpaid = await quoted();
    r.chain.node.warp({ slots: 400 });
    const { quoteTxSignature } = await r.redemptions.row(paid);
    let hasHistory = false;
    // A node that has forgotten the status of the payment, as nodes without a history do, and is slow to give it.
    node.lie = async ({ method, params }, ask) => {
      if (method === 'getTransaction' && params[0] === quoteTxSignature && !hasHistory) return null;
      const result = await ask();
      if (method !== 'getSignatureStatuses') return result;
      const forgotten = (at: number) => params[0][at] === quoteTxSignature;
      const value = result.value.map((status: unknown, at: number) => (forgotten(at) ? null : status));
      return { ...result, value };
    };
    node.calls.clear();
    const times = { pollMs: 50, idlePollMs: 100, finalizeMs: 50, lapseMs: 50, electionMs: 100 };
    const indexer = startIndexer(r.service.ctx, times);
    try {
      // Time enough for several rounds of everything that it does.
      await eventually(async () => expect(node.calls.get('getEpochInfo') ?? 0).toBeGreaterThan(8), 20_000);
      expect(await statusOf(paid)).toBe('quoted');
      hasHistory = true;
      await eventually(async () => expect(await statusOf(paid)).toBe('submitted'), 20_000);
      await eventually(async () => expect(await statusOf(unpaid.id)).toBe('lapsed'), 20_000);
      expect(await r.redemptions.moves(paid)).toEqual([' > quoted by key', 'quoted > submitted by indexer']);
    } finally {
      await indexer.stop();
    }
  });

  test('quotes lapse in any number, past those that landed, and once for all concurrent sweeps', async () => {
    const paid = await landed();
    r.chain.node.warp({ slots: 400 });
    const ids: RedemptionId[] = [];
    const at = new Date(r.service.ctx.clock.now() - 90_000);
    for (let index = 0; index < 260; index += 1) {
      const never = signatureNamed(`never ${index}`);
      const quote = { status: 'quoted', lastValidBlockHeight: 10n, quoteTxSignature: never, at } as const;
      ids.push(await givenRedemption(r.service, r, quote));
    }
    const counts = await Promise.all([sweep(), sweep(), sweep()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(260);
    for (const id of ids.slice(0, 5)) {
      expect((await findHistory(r.service.ctx.db, id)).map(({ to }) => to)).toEqual(['quoted', 'lapsed']);
    }
    expect(await statusOf(paid)).toBe('quoted');
  });
});

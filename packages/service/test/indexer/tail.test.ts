import { fetchConfig, getReplaceKeyInstruction, HotKeyRole } from '@karat/program-client';
import { AccountRole, type Address, getBase58Decoder, type Signature } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { noKey } from '../../src/chain/program/wallet.js';
import { findEvents } from '../../src/db/events/events.js';
import { findProgress } from '../../src/db/indexing/indexer-progress.js';
import { newId, type TradeId, type Uuid } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import type { Tuning } from '../../src/indexer/tuning.js';
import { kitSigner, newWallet } from '../harness.js';
import { following, never } from './following.js';
import { type Indexing, indexingOf } from './indexing.js';
import { failing, forgetting, hiding, type Lie, lying, numbering } from './lying-node.js';
import { skippingTime } from './skipped-time.js';
import { twoNodes } from './two-nodes.js';
import { token } from './vault.js';
import {
  eventually,
  givenTrader,
  landed,
  memoInstruction,
  prepared,
  send,
  sendTrade,
  tradeInstruction,
} from './world.js';

const f = following({ historyMax: 40 });
const { trade, tradeOf, reasonsOf, written } = f;
/** An indexer that tries what failed as soon as it is final. */
const newIndexing = (tuning: Partial<Tuning> = {}) => f.newIndexing({ finalAfterMs: 0, ...tuning });
const catchUp = async (indexing?: Indexing) => f.catchUp(indexing ?? (await newIndexing()));
const skip = skippingTime();
const slipping = { minAmountOut: 10n ** 12n };
/** Pages so small that the history of a test is a long one. */
const paged = { firstPage: 2, laterPages: 3, pages: 2 };

/** Everything, failures included: they are final by then. */
async function readAll(indexing?: Indexing): Promise<Indexing> {
  f.world.node.warp({ slots: 60 });
  skip(2_001);
  return catchUp(indexing);
}
const slotNoted = async () => (await findProgress(f.ctx.db))?.slot ?? -1n;

describe('tail: records', () => {
  test('buys, sells and failures are recorded as on the chain, failures once they are final', async () => {
    const buy = await trade();
    const indexing = await f.catchUp();
    const sell = await trade({ side: 'sell', amountIn: 2_000_000n });
    const slipped = await trade(slipping);
    await catchUp(indexing);
    const bought = { status: 'confirmed', side: 'buy', usdcAmount: 100_000_000n, goldAmount: 24_267n };
    expect(await tradeOf(buy.id)).toMatchObject({
      ...{ ...bought, pricePerTroyOz: '4100.120000000000', feeUsdc: 500_000n, finalized: false },
      ...{ userId: f.world.trader.userId, partnerId: f.world.trader.partner.partnerId },
      txSignature: buy.signature,
    });
    const sold = { status: 'confirmed', side: 'sell', goldAmount: 2_000_000n, usdcAmount: 8_159_238_800n };
    expect(await tradeOf(sell.id)).toMatchObject({ ...sold, feeUsdc: 41_001_200n });
    expect(await tradeOf(slipped.id)).toBeUndefined();
    // Final by the chain; listed too short a time ago.
    f.world.node.warp({ slots: 60 });
    await catchUp(indexing);
    expect(await tradeOf(slipped.id)).toBeUndefined();
    skip(11_000);
    await catchUp(indexing);
    const failed = {
      status: 'failed',
      usdcAmount: 100_000_000n,
      goldAmount: 0n,
      reason: 'slippage_exceeded',
    };
    expect(await tradeOf(slipped.id)).toMatchObject({ ...failed, finalized: true });
    expect((await written()).deadLetters).toEqual([]);
  });

  test('trades are recorded in their order, each with the number of its event', async () => {
    const indexing = await catchUp();
    const sent: TradeId[] = [];
    for (let count = 0; count < 8; count += 1) sent.push((await trade()).id);
    await catchUp(indexing);
    const rows = await Promise.all(sent.map((id) => tradeOf(id)));
    const first = rows[0]?.eventSeq ?? 0n;
    expect(rows.map((row) => row?.eventSeq)).toEqual(rows.map((_, at) => first + BigInt(at)));
    const { partnerId } = f.world.trader.partner;
    const events = await findEvents(f.ctx.db, partnerId, {}, { after: 0n, limit: 1_000 });
    expect(events.map(({ objectId }) => objectId).filter((id) => sent.includes(id as TradeId))).toEqual(sent);
  });

  test('a memo of a stranger who names a trade is nothing', async () => {
    const id = newId('trd');
    const stranger = await kitSigner(newWallet());
    f.world.node.airdrop(stranger.address, 1_000_000_000n);
    const mention = memoInstruction(formatMemo({ kind: 'buy', id, amount: 5n }), [stranger]);
    const listed = { programAddress: f.ctx.chain.programAddress, accounts: [], data: new Uint8Array([8]) };
    const signature = await send(f.world, [mention, listed], stranger);
    await landed(f.world, signature);
    await readAll();
    expect(await tradeOf(id)).toBeUndefined();
    expect(await reasonsOf(signature)).toEqual([]);
  });

  test('a second transaction for a trade id never overwrites the first', async () => {
    const first = await trade();
    const again = await trade({ id: first.id, amountIn: 7_000_000n });
    const failed = await trade({ id: first.id, ...slipping });
    await readAll();
    expect(await tradeOf(first.id)).toMatchObject({ txSignature: first.signature, usdcAmount: 100_000_000n });
    expect(await reasonsOf(again.signature)).toEqual(['conflicting_record']);
    expect(await reasonsOf(failed.signature)).toEqual(['conflicting_record']);
  });

  test('a trade without the memo of the service, with two, and two trades at once are dead letters', async () => {
    const id = newId('trd');
    const text = formatMemo({ kind: 'buy', id, amount: 100n * token });
    const alone = await trade({ memo: null, more: [memoInstruction(text, [f.world.trader.user])] });
    const memos = await trade({ more: [memoInstruction(text, [f.world.service])] });
    const calls = [
      await tradeInstruction(f.world),
      await tradeInstruction(f.world, { amountIn: 2_000_000n }),
    ];
    const trades = await trade({ instead: calls });
    await catchUp();
    expect(await tradeOf(id)).toBeUndefined();
    expect(await reasonsOf(alone.signature)).toEqual(['memo_missing']);
    expect(await reasonsOf(memos.signature)).toEqual(['several_memos']);
    expect(await reasonsOf(trades.signature)).toEqual(['several_trades']);
    // What they moved counts all the same.
    const events = (await written()).events.map(({ txSignature }) => txSignature);
    expect(events).toEqual(expect.arrayContaining([alone.signature, memos.signature, trades.signature]));
  });

  test('a trade of an unknown user or of another partner is a dead letter, until the user exists', async () => {
    const wallet = newWallet();
    const user = await kitSigner(wallet);
    await f.world.node.setTokenBalance(user.address, f.world.usdcMint, 1_000_000_000n);
    await f.world.node.setTokenBalance(user.address, f.world.goldMint, 1n);
    const sent = await trade({ trader: { ...f.world.trader, user } });
    const other = await givenTrader(f.world, await f.world.h.givenPartner());
    const foreign = await trade({ trader: { ...f.world.trader, user: other.user } });
    const failed = await trade({ trader: { ...f.world.trader, user: other.user }, ...slipping });
    const indexing = await readAll();
    expect(await reasonsOf(sent.signature)).toEqual(['unknown_user']);
    expect(await reasonsOf(foreign.signature)).toEqual(['user_partner_mismatch']);
    expect(await reasonsOf(failed.signature)).toEqual(['integrator_mismatch']);
    // An operator requests it again: first while nothing has changed, then once there is such a user.
    const retry = async () => {
      await f.ctx.sql`update dead_letters set retry_requested_at = now() where reason = 'unknown_user'`;
      await indexing.settle();
      return f.deadLetterOf(sent.signature, 'unknown_user');
    };
    const again = { resolvedAt: null, retryRequestedAt: null, retriedAt: expect.any(Date) };
    expect(await retry()).toMatchObject(again);
    const { id } = await f.world.h.givenUser(f.world.trader.partner.partnerId, { wallet });
    expect(await retry()).toMatchObject({ ...again, resolvedAt: expect.any(Date), resolution: null });
    expect(await tradeOf(sent.id)).toMatchObject({ userId: id, status: 'confirmed' });
  });

  test.each([
    ['user', ['user']],
    ['partner', ['partner']],
    ['user and partner', ['user', 'partner']],
  ])('a trade that failed without the signature of its %s is a dead letter', async (_, missing) => {
    const { trader } = f.world;
    const keyOf = (who: string) => (who === 'user' ? trader.user : trader.partnerWallet).address;
    const unsigned = new Set<string>(missing.map(keyOf));
    const id = newId('trd');
    const call = await tradeInstruction(f.world, { id });
    const accounts = (call.accounts ?? []).map((account) =>
      unsigned.has(account.address) ? { address: account.address, role: AccountRole.READONLY } : account,
    );
    const forged = await trade({ id, instead: [{ ...call, accounts }] });
    await readAll();
    expect(await tradeOf(forged.id)).toBeUndefined();
    expect((await f.deadLetterOf(forged.signature, 'signature_missing')).detail).toEqual({ id, missing });
  });

  /** Makes a key the program's only service signer; `then` is posted right behind the change. */
  async function change(signer: Address, then?: () => Promise<unknown>) {
    const { config } = f.world.program;
    const { data } = await fetchConfig(f.world.chain.seeder.rpc, config, { commitment: 'confirmed' });
    const [old = noKey] = data.hotKeys.serviceSigners;
    const instruction = getReplaceKeyInstruction(
      { config, admin: f.world.admin, role: HotKeyRole.ServiceSigner, old, new: signer },
      { programAddress: f.ctx.chain.programAddress },
    );
    const { signature, post } = await prepared(f.world, [instruction], f.world.admin);
    await post();
    await then?.();
    await landed(f.world, signature);
    await eventually(
      async () => f.ctx.chain.program.config().hotKeys.serviceSigners.includes(signer) || undefined,
    );
  }

  test('failures of a service signer that was taken off count as long as what it signed before may land', async () => {
    const { service } = f.world;
    const next = await kitSigner(newWallet());
    const late = newId('trd');
    const memo = memoInstruction(formatMemo({ kind: 'buy', id: late, amount: 100n * token }), [service]);
    const call = [await tradeInstruction(f.world, { id: late }), memo];
    const inFlight = await prepared(f.world, call, service);
    await change(next.address, inFlight.post);
    try {
      await landed(f.world, inFlight.signature);
      const indexing = await readAll();
      expect(await tradeOf(late)).toMatchObject({ status: 'failed', programErrorName: 'Unauthorized' });
      f.world.node.warp({ slots: 200 });
      // User and partner signed this one, too: the key alone is not enough to come so far.
      const forged = await trade();
      await readAll(indexing);
      expect(await tradeOf(forged.id)).toBeUndefined();
      // The same for a leader that reads everything again.
      await f.forgetEverything();
      await readAll();
      expect(await tradeOf(late)).toBeDefined();
      expect(await tradeOf(forged.id)).toBeUndefined();
      expect(await reasonsOf(forged.signature)).toEqual([]);
    } finally {
      await change(service.address);
    }
    const again = await trade(slipping);
    await readAll();
    expect(await tradeOf(again.id)).toMatchObject({ status: 'failed' });
  });

  test('nothing is judged before the service signers are known; a reader that falls silent later does not matter', async () => {
    const failed = await trade(slipping);
    let silent = true;
    const { program: real } = f.ctx.chain;
    const program = {
      integratorAddress: (id: Uuid) => real.integratorAddress(id),
      config: () => {
        if (silent) throw new Error('not read');
        return real.config();
      },
    } as typeof real;
    const context = { ...f.ctx, chain: { ...f.ctx.chain, program } };
    const indexing = await indexingOf(context, { finalAfterMs: 0 });
    await expect(indexing.round()).rejects.toThrow('not read');
    expect(await written()).toMatchObject({ trades: [], events: [], deadLetters: [] });
    silent = false;
    await readAll(indexing);
    expect(await tradeOf(failed.id)).toBeDefined();
    silent = true;
    const later = await trade();
    await catchUp(indexing);
    expect(await tradeOf(later.id)).toBeDefined();
  });
});

describe('tail: histories', () => {
  test('a burst that is longer than a round lists becomes a history, and new trades are visible at once', async () => {
    const indexing = await catchUp(await newIndexing(paged));
    await indexing.complete();
    const sent: { id: string }[] = [];
    for (let count = 0; count < 14; count += 1)
      sent.push(await sendTrade(f.world, { amountIn: BigInt(10_000_000 + count) }));
    const last = await trade();
    const { tail } = indexing;
    await tail.round(never);
    expect(await tradeOf(last.id)).toMatchObject({ status: 'confirmed' });
    expect(await tradeOf(sent[0]?.id ?? '')).toBeUndefined();
    expect(tail.historyAt).toBeDefined();
    const newest = await trade();
    await tail.round(never);
    expect(await tradeOf(newest.id)).toMatchObject({ status: 'confirmed' });
    expect(await tradeOf(sent[0]?.id ?? '')).toBeUndefined();
    await tail.readHistories(never);
    expect(tail.historyAt).toBeUndefined();
    for (const { id } of sent) expect(await tradeOf(id)).toMatchObject({ status: 'confirmed' });
  });

  test('a history that is read page by page leaves the same as one that is listed at once', async () => {
    for (let count = 0; count < 12; count += 1) await trade(count % 4 === 3 ? slipping : {});
    await readAll();
    const expected = await written();
    for (const tuning of [paged, { ...paged, pages: 1 }, { ...paged, batchSize: 2, laterPages: 1 }]) {
      await f.forgetEverything();
      await readAll(await newIndexing(tuning));
      expect(await written()).toEqual(expected);
    }
  });

  test.each(['history', 'listing'])(
    'a new leader goes on from the noted slot after a stop in its %s',
    async (where) => {
      for (let count = 0; count < 10; count += 1) await trade();
      f.world.node.warp({ slots: 60 });
      await catchUp();
      const expected = await written();
      await f.forgetEverything();
      const one = await newIndexing({ ...paged, batchSize: 1 });
      // Nothing more comes back after so many transactions.
      let left = where === 'history' ? 6 : 3;
      f.node.lie = async ({ method }, ask) => {
        if (method === 'getTransaction' && left-- <= 0) throw new Error('closed');
        return ask();
      };
      await one.tail.round(never).catch(() => {});
      if (where === 'history') {
        await one.tail.readHistories(never).catch(() => {});
        await one.completeness.look(never).catch(() => {});
      }
      await one.note();
      expect((await written()).trades.length).toBeLessThan(expected.trades.length);
      f.node.lie = undefined;
      await catchUp(await newIndexing({ ...paged, batchSize: 1 }));
      const again = await written();
      expect({ ...again, deadLetters: [] }).toEqual(expected);
    },
  );

  test('a noted slot never passes what is not recorded, and a new leader lists nothing below it', async () => {
    const indexing = await readAll();
    await indexing.complete();
    const before = await slotNoted();
    expect(before).toBeGreaterThan(0n);
    const early = await trade();
    const behind = await trade();
    f.node.lie = forgetting(early.signature);
    await indexing.round();
    f.world.node.warp({ slots: 60 });
    await indexing.complete();
    const slot = (await tradeOf(behind.id))?.slot ?? 0n;
    expect(await slotNoted()).toBeLessThan(slot);
    f.node.lie = undefined;
    skip(3_000);
    await catchUp(indexing);
    await indexing.complete();
    expect(await slotNoted()).toBeGreaterThanOrEqual(slot);
    let listed = 0;
    f.node.lie = async ({ method }, ask) => {
      const response = await ask();
      if (method === 'getTransaction') listed += 1;
      return response;
    };
    expect(await (await newIndexing()).round()).toBe(0);
    expect(listed).toBe(0);
  });

  test('a page that comes back empty in the middle is not believed at once', async () => {
    for (let count = 0; count < 8; count += 1) await trade();
    await readAll();
    const expected = await written();
    await f.forgetEverything();
    let empty = 0;
    f.node.lie = async ({ method, params }, ask) => {
      if (method !== 'getSignaturesForAddress' || !params[1].before) return ask();
      empty += 1;
      return empty % 3 === 0 ? ask() : [];
    };
    await catchUp(await newIndexing(paged));
    expect(empty).toBeGreaterThan(2);
    expect(await written()).toEqual(expected);
  });
});

describe('tail: a node that lists too early, too late or wrongly', () => {
  test('a transaction that is listed and unknown holds up nothing but itself, and is fetched again ever more rarely', async () => {
    const indexing = await catchUp();
    const early = await trade();
    const behind = await trade();
    let fetched = 0;
    f.node.lie = async (call, ask) => {
      if (call.method === 'getTransaction' && call.params[0] === early.signature) fetched += 1;
      return forgetting(early.signature)(call, ask);
    };
    await indexing.round();
    expect(await tradeOf(behind.id)).toBeDefined();
    expect(await tradeOf(early.id)).toBeUndefined();
    expect(indexing.tail.waiting).toBe(1);
    const pauses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      const pauseMs = indexing.tail.nextTryMs ?? 0;
      pauses.push(pauseMs);
      const before = fetched;
      await indexing.round();
      expect(fetched - before).toBeLessThanOrEqual(1);
      skip(pauseMs + 1);
      await indexing.round();
      expect(fetched).toBe(before + 1);
    }
    const growth = pauses.map((pauseMs) => Math.round(pauseMs / 100));
    expect(growth.at(-1)).toBeGreaterThan(15);
    expect(growth).toEqual([...growth].sort((a, b) => a - b));
    f.node.lie = undefined;
    skip(3_000);
    await catchUp(indexing);
    expect(await tradeOf(early.id)).toMatchObject({ status: 'confirmed' });
  });

  test('a transaction that no node has becomes a dead letter after patience, and is recorded once a node has it', async () => {
    const indexing = await catchUp();
    const lost = await trade();
    const phantom = `${lost.signature.slice(0, -4)}1111` as Signature;
    const listing: Lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method !== 'getSignaturesForAddress' || params[1]?.before || response.length === 0) return response;
      return [{ ...response[0], signature: phantom }, ...response];
    };
    f.node.lie = lying(listing, forgetting(lost.signature, phantom));
    await indexing.round();
    const behind = await trade();
    skip(50_000);
    await indexing.round();
    expect(await reasonsOf(lost.signature)).toEqual([]);
    skip(11_000);
    await indexing.round();
    for (const signature of [lost.signature, phantom])
      expect(await reasonsOf(signature)).toEqual(['transaction_unavailable']);
    expect(await tradeOf(behind.id)).toBeDefined();
    expect(indexing.tail.waiting).toBe(0);
    // Completeness and the next leader go on behind it.
    f.world.node.warp({ slots: 60 });
    await indexing.complete();
    expect(await slotNoted()).toBeGreaterThanOrEqual((await tradeOf(behind.id))?.slot ?? 0n);
    await indexing.settle();
    expect(await reasonsOf(lost.signature)).toEqual(['transaction_unavailable']);
    f.node.lie = undefined;
    skip(16_000);
    await indexing.settle();
    expect(await tradeOf(lost.id)).toMatchObject({ txSignature: lost.signature, status: 'confirmed' });
    expect(await reasonsOf(lost.signature)).toEqual(['transaction_unavailable (settled)']);
    expect(await reasonsOf(phantom)).toEqual(['transaction_unavailable']);
  });

  test('a dead letter whose transaction turns out undecodable is resolved as such, and holds up no other', async () => {
    const indexing = await catchUp(await newIndexing({ unavailableAfterMs: 0, retryDeadLettersMs: 0 }));
    const [lost, next] = [await trade(), await trade()];
    f.node.lie = forgetting(lost.signature, next.signature);
    await indexing.round();
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method !== 'getTransaction' || params[0] !== lost.signature) return response;
      return { ...response, transaction: ['AAAA', 'base64'] };
    };
    await indexing.settle();
    expect(await reasonsOf(lost.signature)).toEqual(['transaction_unavailable (settled)', 'undecodable']);
    expect(await tradeOf(next.id)).toMatchObject({ txSignature: next.signature });
  });

  test('a requested retry waits while the node fails, and stays open when no node knows the transaction', async () => {
    const indexing = await catchUp();
    const { signature } = await trade({ memo: null });
    await catchUp(indexing);
    await f.ctx.sql`update dead_letters set retry_requested_at = now() where signature = ${signature}`;
    f.node.lie = async ({ method }, ask) => {
      if (method === 'getTransaction') throw new Error('closed');
      return ask();
    };
    await indexing.settle();
    const deadLetter = () => f.deadLetterOf(signature, 'memo_missing');
    const open = { resolvedAt: null, retriedAt: null, retryRequestedAt: expect.any(Date) };
    expect(await deadLetter()).toMatchObject(open);
    f.node.lie = forgetting(signature);
    await indexing.settle();
    const retried = { resolvedAt: null, retriedAt: expect.any(Date), retryRequestedAt: null };
    expect(await deadLetter()).toMatchObject(retried);
  });

  test('a retry resolves no dead letter that is reported only once', async () => {
    const indexing = await catchUp();
    const { signature } = await trade();
    await catchUp(indexing);
    await f.ctx.sql`
      insert into dead_letters (id, signature, slot, reason, detail, created_at, retry_requested_at)
      values (gen_random_uuid(), ${signature}, 1, 'order_mismatch', '{}', now(), now())`;
    await indexing.settle();
    const retried = { resolvedAt: null, retriedAt: expect.any(Date) };
    expect(await f.deadLetterOf(signature, 'order_mismatch')).toMatchObject(retried);
  });

  test('a node that fails to respond about a transaction has not reported that it does not exist', async () => {
    const indexing = await catchUp(await newIndexing({ unavailableAfterMs: 0 }));
    const sent = await trade();
    f.node.lie = async ({ method }, ask) => {
      if (method === 'getTransaction') throw new Error('closed');
      return ask();
    };
    await indexing.round();
    expect(indexing.tail.waiting).toBe(1);
    expect(await reasonsOf(sent.signature)).toEqual([]);
    f.node.lie = undefined;
    skip(3_000);
    await catchUp(indexing);
    expect(await tradeOf(sent.id)).toBeDefined();
  });

  test('a transaction that a node lists late is recorded when it does, by the same leader and by the next', async () => {
    const indexing = await catchUp();
    const late = await trade(slipping);
    const next = await trade();
    f.node.lie = hiding(late.signature);
    await catchUp(indexing);
    expect(await tradeOf(next.id)).toBeDefined();
    f.node.lie = undefined;
    await readAll(indexing);
    expect(await tradeOf(late.id)).toMatchObject({ status: 'failed' });

    const later = await trade();
    const last = await trade();
    f.node.lie = hiding(later.signature);
    await catchUp(indexing);
    expect(await tradeOf(last.id)).toBeDefined();
    await indexing.complete();
    f.node.lie = undefined;
    await catchUp();
    expect(await tradeOf(later.id)).toBeDefined();
  });

  test('lines that are doubled, or of one slot in another order, change nothing', async () => {
    for (let count = 0; count < 6; count += 1)
      await sendTrade(f.world, { amountIn: BigInt(10_000_000 + count) });
    await trade();
    await readAll();
    const expected = await written();
    await f.forgetEverything();
    f.node.lie = async ({ method }, ask) => {
      const response = await ask();
      if (method !== 'getSignaturesForAddress') return response;
      const lines = response
        .toReversed()
        .toSorted((a: { slot: number }, b: { slot: number }) => b.slot - a.slot);
      return lines.flatMap((line: object) => [line, line]);
    };
    await catchUp();
    expect(await written()).toEqual(expected);
  });

  test.each([
    ['that is no signature', { signature: 'oops' }],
    ['of a slot that no chain can reach', { slot: 18_000_000_000_000_000_000 }],
    ['of a slot that the chain has not reached', { slot: 9_000_000_000_000 }],
  ])('a line %s holds up nothing else', async (_, strange) => {
    const indexing = await catchUp(await newIndexing(paged));
    const invented = () => getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(64)));
    f.node.lie = async ({ method }, ask) => {
      const response = await ask();
      if (method !== 'getSignaturesForAddress') return response;
      const lines = Array.from({ length: 3 }, () => ({ ...response[0], signature: invented(), ...strange }));
      return [...lines, ...response];
    };
    const sent = await trade();
    await catchUp(indexing);
    expect(await tradeOf(sent.id)).toBeDefined();
    expect(await reasonsOf(sent.signature)).toEqual([]);
    await indexing.complete();
    expect(await slotNoted()).toBeLessThan(1_000_000n);
  });

  test('a transaction that is another one is a dead letter, and the other one is recorded', async () => {
    const [other, swapped] = [await trade(), await trade()];
    const { rpc } = f.ctx.chain;
    const config = {
      commitment: 'confirmed',
      encoding: 'base64',
      maxSupportedTransactionVersion: 0,
    } as const;
    const { transaction } = (await rpc.getTransaction(other.signature, config).send()) ?? {};
    f.node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      return method === 'getTransaction' && params[0] === swapped.signature
        ? { ...response, transaction }
        : response;
    };
    await catchUp();
    expect(await reasonsOf(swapped.signature)).toEqual(['undecodable']);
    expect(await tradeOf(other.id)).toMatchObject({ txSignature: other.signature });
    expect(await tradeOf(swapped.id)).toBeUndefined();
  });

  test('a record that the database refuses does not stop those around it', async () => {
    const [before, bad, after] = [await trade(), await trade(), await trade()];
    // The program never writes number 0, and the table refuses it.
    f.node.lie = numbering(bad.signature, () => 0n);
    await catchUp();
    expect(await reasonsOf(bad.signature)).toEqual(['record_refused']);
    expect(await tradeOf(before.id)).toBeDefined();
    expect(await tradeOf(after.id)).toBeDefined();
  });
});

describe('tail: failures by two nodes', () => {
  const two = twoNodes(f);

  test('a failure is recorded once both nodes report it, and not while one does not', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await trade(slipping);
    two.second.lie = failing([signature], null);
    await indexing.round();
    f.world.node.warp({ slots: 60 });
    skip(11_000);
    await indexing.round();
    expect(await tradeOf(id)).toBeUndefined();
    two.second.lie = undefined;
    await readAll(indexing);
    expect(await tradeOf(id)).toMatchObject({ status: 'failed', reason: 'slippage_exceeded' });
  });

  test('a failure about which the nodes never agree becomes a dead letter that it is not known', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await trade(slipping);
    two.second.lie = async ({ method, params }, ask) => {
      const response = await ask();
      if (method !== 'getSignatureStatuses') return response;
      const value = response.value.map((status: object | null, at: number) =>
        params[0][at] === signature ? null : status,
      );
      return { ...response, value };
    };
    await indexing.round();
    f.world.node.warp({ slots: 60 });
    skip(11_000);
    for (const pauseMs of [0, 3_000, 300_000]) {
      skip(pauseMs);
      await indexing.round();
    }
    expect(await reasonsOf(signature)).toEqual([]);
    skip(301_000);
    await indexing.round();
    expect(await reasonsOf(signature)).toEqual(['transaction_unavailable']);
    expect(await tradeOf(id)).toBeUndefined();
  });
});

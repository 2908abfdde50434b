import { EVENT_DISCRIMINATOR, fetchConfig, getUpdateConfigInstruction } from '@karat/program-client';
import { AccountRole, type Address, getBase58Decoder, getBase58Encoder, type Signature } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { sandboxSettings } from '../../../sandbox/src/own-chain.js';
import { noKey } from '../../src/chain/program/wallet.js';
import * as schema from '../../src/db/schema.js';
import { newId, type TradeId } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import type { Follower } from '../../src/indexer/follower.js';
import { LostCursorError } from '../../src/indexer/listing.js';
import { LiveTrades } from '../../src/indexer/live-trades.js';
import { openSource } from '../../src/indexer/open-source.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { kitSigner, newWallet } from '../harness.js';
import { anyAge } from '../karat-chain.js';
import { following, never } from './following.js';
import type { Lie } from './lying-node.js';
import { givenVault, token } from './vault.js';
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

const f = following({ historyMax: 25 });
const { forgetEverything, newFollower, catchUp, trade, written, tradeOf, reasonsOf, cursorSlot } = f;

describe('what is recorded', () => {
  test('buys, sells and failures, each with what the chain says', async () => {
    const buy = await trade();
    const sell = await trade({ side: 'sell', amountIn: 2_000_000n });
    const slipped = await trade({ minAmountOut: 10n ** 12n });
    await catchUp();
    expect(await tradeOf(buy.id)).toMatchObject({
      status: 'confirmed',
      side: 'buy',
      usdcAmount: 100_000_000n,
      goldAmount: 24_267n,
      pricePerTroyOz: '4100.120000000000',
      feeUsdc: 500_000n,
      userId: f.world.trader.userId,
      partnerId: f.world.trader.partner.partnerId,
      txSignature: buy.signature,
    });
    expect(await tradeOf(sell.id)).toMatchObject({
      status: 'confirmed',
      side: 'sell',
      goldAmount: 2_000_000n,
      usdcAmount: 8_159_238_800n,
      feeUsdc: 41_001_200n,
    });
    expect(await tradeOf(slipped.id)).toMatchObject({
      status: 'failed',
      usdcAmount: 100_000_000n,
      goldAmount: 0n,
      pricePerTroyOz: '0.000000000000',
      reason: 'slippage_exceeded',
    });
    expect((await written()).deadLetters).toEqual([]);
  });

  test('the memo of a stranger who names a trade is nothing', async () => {
    const id = newId('trd');
    const stranger = await kitSigner(newWallet());
    f.world.node.airdrop(stranger.address, 1_000_000_000n);
    const text = formatMemo({ kind: 'buy', id, amount: 5n });
    const mention = { ...memoInstruction(text, [stranger]) };
    const listed = { programAddress: f.ctx.chain.programAddress, accounts: [], data: new Uint8Array([8]) };
    const signature = await send(f.world, [mention, listed], stranger);
    await landed(f.world, signature);
    await catchUp();
    expect(await tradeOf(id)).toBeUndefined();
    expect(await reasonsOf(signature)).toEqual([]);
  });

  test('a trade with only the memo of its user is a dead letter, its event is kept', async () => {
    const id = newId('trd');
    const { user } = f.world.trader;
    const { signature } = await trade({
      memo: null,
      more: [memoInstruction(formatMemo({ kind: 'buy', id, amount: 100_000_000n }), [user])],
    });
    await catchUp();
    expect(await tradeOf(id)).toBeUndefined();
    expect(await reasonsOf(signature)).toEqual(['memo_missing']);
    expect((await written()).events.some((event) => event.txSignature === signature)).toBe(true);
  });

  test('a second transaction for a trade id never overwrites the first', async () => {
    const first = await trade();
    const again = await trade({ id: first.id, amountIn: 7_000_000n });
    const failed = await trade({ id: first.id, minAmountOut: 10n ** 12n });
    await catchUp();
    expect(await tradeOf(first.id)).toMatchObject({ txSignature: first.signature, usdcAmount: 100_000_000n });
    expect(await reasonsOf(again.signature)).toEqual(['conflicting_record']);
    expect(await reasonsOf(failed.signature)).toEqual(['conflicting_record']);
  });

  test('two memos of the service, and two trades at once, are dead letters', async () => {
    const id = newId('trd');
    const memo = memoInstruction(formatMemo({ kind: 'buy', id, amount: 100_000_000n }), [f.world.service]);
    const memos = await trade({ more: [memo] });
    const trades = await trade({
      instead: [await tradeInstruction(f.world), await tradeInstruction(f.world, { amountIn: 2_000_000n })],
    });
    await catchUp();
    expect(await reasonsOf(memos.signature)).toEqual(['several_memos']);
    expect(await reasonsOf(trades.signature)).toEqual(['several_trades']);
    expect(await tradeOf(id)).toBeUndefined();
  });

  test('a user of another partner, or of none, is a dead letter until the user exists', async () => {
    const wallet = newWallet();
    const user = await kitSigner(wallet);
    await f.world.node.setTokenBalance(user.address, f.world.usdcMint, 1_000_000_000n);
    await f.world.node.setTokenBalance(user.address, f.world.goldMint, 1n);
    const sent = await trade({ trader: { ...f.world.trader, user } });
    await catchUp();
    expect(await reasonsOf(sent.signature)).toEqual(['unknown_user']);
    const { id } = await f.world.h.givenUser(f.world.trader.partner.partnerId, { wallet });
    await f.ctx.db.execute(sql`delete from indexer_cursors`);
    await catchUp();
    expect(await tradeOf(sent.id)).toMatchObject({ userId: id, status: 'confirmed' });
    expect(await reasonsOf(sent.signature)).toEqual(['unknown_user (settled)']);

    const other = await givenTrader(f.world, await f.world.h.givenPartner());
    const foreign = await trade({ trader: { ...f.world.trader, user: other.user } });
    const failed = await trade({ trader: { ...f.world.trader, user: other.user }, minAmountOut: 10n ** 12n });
    await catchUp();
    expect(await reasonsOf(foreign.signature)).toEqual(['user_partner_mismatch']);
    expect(await reasonsOf(failed.signature)).toEqual(['integrator_mismatch']);
  });

  /** Makes a key the program's only service signer; `then` is posted right behind the change. */
  async function change(signer: Address, then?: () => Promise<unknown>) {
    const { config } = f.world.program;
    const { data } = await fetchConfig(f.world.seeder.rpc, config, { commitment: 'confirmed' });
    const instruction = getUpdateConfigInstruction(
      {
        config,
        admin: f.world.admin,
        expectedSeq: data.seq,
        guardian: f.world.admin.address,
        serviceSigners: [signer, noKey],
        ...(await sandboxSettings()),
        maxAgeOpen: 300,
      },
      { programAddress: f.ctx.chain.programAddress },
    );
    const { signature, post } = await prepared(f.world, [instruction], f.world.admin);
    await post();
    await then?.();
    await landed(f.world, signature);
    await eventually(async () =>
      f.ctx.chain.program.config().serviceSigners.includes(signer) ? true : undefined,
    );
  }

  test('failures of a signer that was taken off are known while what it signed before may land, no longer', async () => {
    const { service } = f.world;
    const next = await kitSigner(newWallet());
    const memo = (id: TradeId) =>
      memoInstruction(formatMemo({ kind: 'buy', id, amount: 100n * token }), [service]);
    const late = newId('trd');
    const call = [await tradeInstruction(f.world, { id: late }), memo(late)];
    const inFlight = await prepared(f.world, call, service);
    await change(next.address, inFlight.post);
    try {
      await landed(f.world, inFlight.signature);
      const follower = await catchUp();
      expect(await tradeOf(late)).toMatchObject({ status: 'failed', programErrorName: 'Unauthorized' });
      f.world.node.warp({ slots: 200 });
      // User and partner signed this one too: with the key alone nobody gets this far.
      const forged = await trade();
      const redeem = formatMemo({ kind: 'redeem', id: newId('red'), amount: 5n });
      const mention = await send(f.world, [memoInstruction(redeem, [service])], service);
      await landed(f.world, mention);
      await catchUp(follower);
      expect(await tradeOf(forged.id)).toBeUndefined();
      expect(await reasonsOf(mention)).toEqual([]);
      // The same for a leader that knows the keys from the database, and for one that reads everything again.
      await f.ctx.sql`delete from indexer_cursors`;
      await catchUp();
      await forgetEverything();
      await catchUp();
      expect(await tradeOf(late)).toBeDefined();
      expect(await tradeOf(forged.id)).toBeUndefined();
      expect(await reasonsOf(forged.signature)).toEqual([]);
    } finally {
      await change(service.address);
    }
    const again = await trade({ minAmountOut: 10n ** 12n });
    await catchUp();
    expect(await tradeOf(again.id)).toMatchObject({ status: 'failed' });
  });

  test('a signer that was taken off is listed with the overlap alone, once what it signed can land no more', async () => {
    const { service } = f.world;
    const next = await kitSigner(newWallet());
    // Past the time of keys that other tests took off.
    f.world.node.warp({ slots: 250 });
    const follower = await catchUp();
    /** What is listed in a round that no notification would wake. */
    const listed = async () => {
      const addresses = new Set<string>();
      f.node.lie = async ({ method, params }, ask) => {
        if (method === 'getSignaturesForAddress') addresses.add(params[0]);
        return ask();
      };
      follower.pace = 'deaf';
      await follower.round(never);
      f.node.lie = undefined;
      follower.pace = 'busy';
      return addresses;
    };
    const proven = async () => {
      follower.prove();
      await catchUp(follower);
    };
    const { programAddress } = f.ctx.chain;
    await change(next.address);
    // However long a step takes, what the key signed before may still land.
    f.world.node.pause();
    try {
      await proven();
      expect(await listed()).toEqual(new Set([programAddress, service.address, next.address]));
      f.world.node.warp({ slots: 250 });
      await proven();
      expect(await listed()).toEqual(new Set([programAddress, next.address]));
    } finally {
      f.world.node.resume();
      await change(service.address);
    }
    await proven();
    expect(await listed()).toContain(service.address);
  });

  test.each([
    ['user', ['user']],
    ['partner', ['partner']],
    ['user and partner', ['user', 'partner']],
  ])('a trade that failed without the signature of its %s is nobody’s', async (_, missing) => {
    const { trader } = f.world;
    const unsigned = new Set<string>(
      missing.map((who) => (who === 'user' ? trader.user.address : trader.partnerWallet.address)),
    );
    const id = newId('trd');
    const call = await tradeInstruction(f.world, { id });
    const accounts = (call.accounts ?? []).map((account) =>
      unsigned.has(account.address) ? { address: account.address, role: AccountRole.READONLY } : account,
    );
    const forged = await trade({ id, instead: [{ ...call, accounts }] });
    await catchUp();
    expect(await tradeOf(forged.id)).toBeUndefined();
    expect((await f.deadLetterOf(forged.signature, 'signature_missing')).detail).toEqual({
      id: forged.id,
      missing,
    });
  });
});

test('before the service signers are known nothing is judged; a reader that falls silent later does not matter', async () => {
  const failed = await trade({ minAmountOut: 10n ** 12n });
  let silent = true;
  const program = {
    integrators: () => f.ctx.chain.program.integrators(),
    integratorAddress: (id: Parameters<typeof f.ctx.chain.program.integratorAddress>[0]) =>
      f.ctx.chain.program.integratorAddress(id),
    config: () => {
      if (silent) throw new Error('not read');
      return f.ctx.chain.program.config();
    },
  };
  const context = { ...f.ctx, chain: { ...f.ctx.chain, program: program as typeof f.ctx.chain.program } };
  const follower = newFollower({}, context);
  await expect(follower.round(never)).rejects.toThrow('not read');
  expect((await written()).cursors).toEqual([]);
  silent = false;
  await catchUp(follower);
  expect(await tradeOf(failed.id)).toBeDefined();
  silent = true;
  const later = await trade();
  await catchUp(follower);
  expect(await tradeOf(later.id)).toBeDefined();
});

describe('a node that lists too early, too late or wrongly', () => {
  /** Answers nothing about these transactions. */
  const unknown =
    (...signatures: string[]): Lie =>
    async ({ method, params }, ask) =>
      method === 'getTransaction' && signatures.includes(params[0]) ? null : ask();
  /** Leaves these transactions out of listings. */
  const unlisted =
    (...signatures: string[]): Lie =>
    async ({ method }, ask) => {
      const answer = await ask();
      if (method !== 'getSignaturesForAddress') return answer;
      return answer.filter((line: { signature: string }) => !signatures.includes(line.signature));
    };

  test('what getTransaction does not know is waited for; what comes behind it is not held up', async () => {
    const follower = await catchUp();
    const early = await trade();
    const behind = await trade();
    const before = await cursorSlot();
    f.node.lie = unknown(early.signature);
    expect(await follower.round(never)).toMatchObject({ waiting: 1 });
    expect(await tradeOf(behind.id)).toBeDefined();
    expect(await tradeOf(early.id)).toBeUndefined();
    expect(await cursorSlot()).toBe(before);
    f.node.lie = undefined;
    await catchUp(follower);
    expect(await tradeOf(early.id)).toMatchObject({ status: 'confirmed' });
    expect(await reasonsOf(behind.signature)).toEqual(['sequence_gap (settled)']);
    expect(await cursorSlot()).toBeGreaterThan(before);
  });

  test('what stays unknown becomes a dead letter before the cursor passes it', async () => {
    const follower = await catchUp(newFollower({ unavailableAfterMs: 150 }));
    const lost = await trade();
    const phantom = `${lost.signature.slice(0, -4)}1111` as Signature;
    f.node.lie = async (call, ask) => {
      if (call.method === 'getTransaction' && call.params[0] === phantom) return null;
      const answer = await unknown(lost.signature)(call, ask);
      if (call.method !== 'getSignaturesForAddress' || answer.length === 0) return answer;
      return [{ ...answer[0], signature: phantom }, ...answer];
    };
    await catchUp(follower);
    expect(await reasonsOf(lost.signature)).toEqual(['transaction_unavailable']);
    expect(await reasonsOf(phantom)).toEqual(['transaction_unavailable']);
    const cursors = await f.ctx.db.select().from(schema.indexerCursors);
    expect(cursors.map(({ signature }) => signature)).toContain(phantom);
  });

  test('a node that fails to answer about a transaction has not said that it does not exist', async () => {
    const follower = await catchUp(newFollower({ unavailableAfterMs: 0 }));
    const sent = await trade();
    f.node.lie = async ({ method }, ask) => {
      if (method === 'getTransaction') throw new Error('closed');
      return ask();
    };
    expect(await follower.round(never)).toMatchObject({ waiting: 1 });
    expect(await reasonsOf(sent.signature)).toEqual([]);
    f.node.lie = undefined;
    await catchUp(follower);
    expect(await tradeOf(sent.id)).toBeDefined();
  });

  test('what is listed late, behind the cursor, is found in the overlap, also after a crash', async () => {
    const follower = await catchUp(newFollower({ sweepMs: 0 }));
    const late = await trade();
    const next = await trade();
    f.node.lie = unlisted(late.signature);
    await follower.round(never);
    expect(await tradeOf(next.id)).toBeDefined();
    expect(await reasonsOf(next.signature)).toEqual(['sequence_gap']);
    f.node.lie = undefined;
    await catchUp(follower);
    expect(await tradeOf(late.id)).toBeDefined();
    expect(await reasonsOf(next.signature)).toEqual(['sequence_gap (settled)']);

    const later = await trade();
    const last = await trade();
    f.node.lie = unlisted(later.signature);
    await follower.round(never);
    expect(await tradeOf(last.id)).toBeDefined();
    f.node.lie = undefined;
    await catchUp();
    expect(await tradeOf(later.id)).toBeDefined();
  });

  test('a long history is read over many pages, from nothing and from a cursor', async () => {
    const small = { firstPage: 2, laterPages: 3 };
    await catchUp();
    const expected = await written();
    await forgetEverything();
    await catchUp(newFollower(small));
    expect(await written()).toEqual(expected);
    const sent: { id: string }[] = [];
    for (let count = 0; count < 9; count += 1)
      sent.push(await sendTrade(f.world, { amountIn: BigInt(10_000_000 + count) }));
    await landed(f.world, (await trade()).signature);
    await catchUp(newFollower(small));
    for (const { id } of sent) expect(await tradeOf(id)).toBeDefined();
  }, 60_000);

  test('a page that comes back empty in the middle is not believed at once', async () => {
    for (let count = 0; count < 8; count += 1) await trade();
    await catchUp();
    const expected = await written();
    await forgetEverything();
    let empty = 0;
    /** How often each page was asked for: addresses are listed at the same time. */
    const asked = new Map<string, number>();
    f.node.lie = async ({ method, params }, ask) => {
      if (method !== 'getSignaturesForAddress' || !params[1].before) return ask();
      const page = `${params[0]} ${params[1].before}`;
      const tries = asked.get(page) ?? 0;
      asked.set(page, tries + 1);
      if (tries % 3 === 2) return ask();
      empty += 1;
      return [];
    };
    await catchUp(newFollower({ firstPage: 3, laterPages: 1_000 }));
    expect(empty).toBeGreaterThan(2);
    expect(await written()).toEqual(expected);
  });

  test('a cursor that the node does not know skips nothing', async () => {
    for (let count = 0; count < 8; count += 1) await trade();
    await catchUp();
    const expected = await written();
    // The transaction of the cursor was dropped by the chain; what came after it is not recorded yet.
    const trades = await f.ctx.db.select().from(schema.trades).orderBy(schema.trades.slot);
    const middle = trades[Math.floor(trades.length / 2)];
    if (!middle) throw new Error('no trades');
    await forgetEverything();
    const gone = `${middle.txSignature.slice(0, -4)}1111`;
    await f.ctx.db.execute(sql`insert into indexer_cursors (address, signature, slot, updated_at)
      values (${f.ctx.chain.programAddress}, ${gone}, ${middle.slot.toString()}, now())`);
    await catchUp(newFollower({ overlapSlots: 0n, firstPage: 2, laterPages: 4 }));
    const after = expected.trades.filter((row) => BigInt(String(row.slot)) >= middle.slot);
    expect((await written()).trades).toEqual(expect.arrayContaining(after));
  });

  /** Ends the history of these addresses, or of all, at a slot: what is older is not listed, as if that were the beginning. */
  const cutBefore =
    (slot: bigint, addresses?: string[]): Lie =>
    async ({ method, params }, ask) => {
      const answer = await ask();
      if (method !== 'getSignaturesForAddress' || addresses?.includes(params[0]) === false) return answer;
      return answer.filter((line: { slot: number }) => BigInt(line.slot) >= slot);
    };
  /** Pages so small that the history of a test is a long one. */
  const paged = { firstPage: 3, laterPages: 3, pages: 2 };

  /** Rounds until one fails, with that error. */
  async function failing(follower: Follower): Promise<Error> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      const error = await follower.round(never).then(
        () => undefined,
        (cause: Error) => cause,
      );
      if (error) return error;
    }
    throw new Error('no round failed');
  }

  /** Rounds until everything is read, of which some may find that a history was cut. */
  async function healed(follower: Follower): Promise<void> {
    for (let done = false; !done; ) {
      const round = await follower.round(never).catch((error: Error) => error);
      if (round instanceof Error) expect(round).toBeInstanceOf(LostCursorError);
      else done = !round.behind && round.waiting === 0;
    }
  }

  /** Everything that is to be recorded; nothing is recorded then. */
  async function forgotten() {
    await catchUp();
    const expected = await written();
    await forgetEverything();
    return { expected, slots: expected.trades.map(({ slot }) => BigInt(String(slot))) };
  }

  test.each([
    ['listed at once', {}],
    ['read page by page', paged],
  ])(
    'a first run does not take an early end of the history for its beginning: %s',
    async (_, tuning) => {
      for (let count = 0; count < 12; count += 1) await trade();
      const { expected, slots } = await forgotten();
      // More lies behind it than is listed at once.
      const middle = slots.sort((a, b) => Number(a - b))[slots.length - 10] ?? 0n;
      const follower = newFollower(tuning);
      f.node.lie = cutBefore(middle);
      const error = await failing(follower);
      expect(error).toBeInstanceOf(LostCursorError);
      expect(error.message).toContain('does not reach back to its beginning');
      expect(await failing(follower)).toBeInstanceOf(LostCursorError);
      const { trades, events, deadLetters, cursors } = await written();
      expect({ trades, events, deadLetters, cursors }).toEqual({
        trades: [],
        events: [],
        deadLetters: [],
        cursors: [],
      });
      f.node.lie = undefined;
      await healed(follower);
      expect(await written()).toEqual(expected);
    },
    60_000,
  );

  test.each([
    ['the same process', (follower: Follower) => follower],
    ['the next process', () => newFollower(paged)],
  ])(
    'a first run does not take an early end for its beginning after it failed to check it: %s',
    async (_, next) => {
      for (let count = 0; count < 12; count += 1) await trade();
      const { expected, slots } = await forgotten();
      // More lies behind it than is listed at once.
      const middle = slots.sort((a, b) => Number(a - b))[slots.length - 10] ?? 0n;
      const cut = cutBefore(middle);
      const follower = newFollower(paged);
      // Nothing but that check needs a transaction before the way down is over.
      f.node.lie = async (call, ask) => (call.method === 'getTransaction' ? null : cut(call, ask));
      const failed = await failing(follower);
      expect(failed).not.toBeInstanceOf(LostCursorError);
      expect(failed.message).toContain('does not give');
      f.node.lie = cut;
      const after = next(follower);
      expect(await failing(after)).toBeInstanceOf(LostCursorError);
      const { trades, events, deadLetters, cursors } = await written();
      expect([trades, events, deadLetters, cursors]).toEqual([[], [], [], []]);
      f.node.lie = undefined;
      await healed(after);
      expect(await written()).toEqual(expected);
    },
    60_000,
  );

  test('transactions of strangers at an early end do not look like the beginning of the program', async () => {
    const stranger = await kitSigner(newWallet());
    f.world.node.airdrop(stranger.address, 1_000_000_000n);
    const { programAddress } = f.ctx.chain;
    let first = 0n;
    for (let count = 0; count < 9; count += 1) {
      const mention = getTransferSolInstruction({
        source: stranger,
        destination: programAddress,
        amount: 1_000_000n + BigInt(count),
      });
      const signature = await send(f.world, [mention], stranger);
      await landed(f.world, signature);
      const { value } = await f.ctx.chain.rpc.getSignatureStatuses([signature as Signature], anyAge).send();
      first ||= value[0]?.slot ?? 0n;
    }
    const { expected } = await forgotten();
    for (const tuning of [{}, paged]) {
      const follower = newFollower(tuning);
      f.node.lie = cutBefore(first);
      expect((await failing(follower)).message).toContain('does not reach back to its beginning');
      expect((await written()).cursors).toEqual([]);
      f.node.lie = undefined;
      await catchUp(follower);
      expect(await written()).toEqual(expected);
      await forgetEverything();
    }
  }, 60_000);

  test('a history of a signer that begins after a transaction that names it is not believed', async () => {
    const early = await trade();
    await trade();
    const later = await trade();
    const { expected } = await forgotten();
    const slot = BigInt(String(expected.trades.find(({ id }) => id === later.id)?.slot));
    for (const tuning of [{}, paged]) {
      const follower = newFollower(tuning);
      f.node.lie = cutBefore(slot, [f.world.service.address]);
      const error = await failing(follower);
      expect(error).toBeInstanceOf(LostCursorError);
      expect(error.message).toMatch(/begins in slot \d+, but \S+ in slot \d+ names it/);
      expect(await tradeOf(early.id)).toBeUndefined();
      f.node.lie = undefined;
      await catchUp(follower);
      expect(await written()).toEqual(expected);
      await forgetEverything();
    }
  }, 60_000);

  test('a history of two pages is read to its end, however few slots the older one has', async () => {
    for (let trades = 1; trades <= 3; trades += 1) {
      await trade();
      const { expected } = await forgotten();
      const follower = newFollower(paged);
      for (let rounds = 0; rounds < 30; rounds += 1) await follower.round(never);
      expect(await written(), `after ${trades} trades`).toEqual(expected);
    }
  }, 60_000);

  test('a long history goes on in the next process where the last one stopped, down and up', async () => {
    for (let count = 0; count < 12; count += 1) await trade();
    const { expected } = await forgotten();
    const { programAddress } = f.ctx.chain;
    const steps = async () =>
      (await f.ctx.db.select().from(schema.indexerWalks).orderBy(schema.indexerWalks.page)).filter(
        ({ address }) => address === programAddress,
      );
    let asked: (string | undefined)[] = [];
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getSignaturesForAddress' && params[0] === programAddress) asked.push(params[1].before);
      return ask();
    };
    // On the way down.
    const one = newFollower(paged);
    await one.round(never);
    const halfway = await steps();
    expect(halfway.at(-1)).toMatchObject({ last: false });
    asked = [];
    const two = newFollower(paged);
    await two.round(never);
    expect(asked[0]).toBe(halfway.at(-1)?.signature);
    // On the way up.
    while ((await written()).trades.length === 0)
      expect(await two.round(never)).toMatchObject({ behind: true });
    expect((await steps()).at(-1)).toMatchObject({ last: true });
    expect((await written()).trades.length).toBeLessThan(expected.trades.length);
    asked = [];
    await catchUp(newFollower(paged));
    expect(asked[0]).not.toBeUndefined();
    expect(await written()).toEqual(expected);
    expect(await f.ctx.db.select().from(schema.indexerWalks)).toEqual([]);
  }, 60_000);

  test('of a long history the first transactions of the next round are fetched by its beginning', async () => {
    for (let count = 0; count < 32; count += 1) await trade();
    const { expected } = await forgotten();
    const asked = new Set<unknown>();
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getTransaction') asked.add(params[0]);
      return ask();
    };
    const follower = newFollower({ ...paged, firstPage: 4, laterPages: 4, batchSize: 2 });
    const recorded = async () => (await written()).trades.map(({ txSignature }) => txSignature);
    while ((await recorded()).length === 0)
      expect(await follower.round(never)).toMatchObject({ behind: true });
    const before = new Set(await recorded());
    // Five pages are listed ahead at least, and a round takes eight batches of two: one more batch, for any number of lines.
    const next = expected.trades
      .filter(({ txSignature }) => !before.has(txSignature))
      .sort((a, b) => Number(a.slot) - Number(b.slot))
      .slice(0, 2);
    // No round is under way.
    await eventually(async () =>
      expect(next.filter(({ txSignature }) => !asked.has(txSignature))).toEqual([]),
    );
    await follower.round(never);
    expect(await recorded()).toEqual(expect.arrayContaining(next.map(({ txSignature }) => txSignature)));
  }, 60_000);

  test('a long history of an address without a cursor goes on behind the overlap of one that has one', async () => {
    for (let count = 0; count < 16; count += 1) await trade();
    const { expected } = await forgotten();
    const trades = expected.trades.map(({ slot, txSignature }) => ({
      slot: BigInt(String(slot)),
      txSignature,
    }));
    const at = trades.sort((a, b) => Number(a.slot - b.slot)).at(-9);
    await f.ctx.db.execute(sql`insert into indexer_cursors (address, signature, slot, updated_at)
      values (${f.ctx.chain.programAddress}, ${at?.txSignature}, ${at?.slot.toString()}, now())`);
    const follower = newFollower({ ...paged, overlapSlots: 1n });
    let behind = true;
    for (let rounds = 0; behind && rounds < 300; rounds += 1) behind = (await follower.round(never)).behind;
    expect(behind).toBe(false);
    await catchUp(follower);
    expect(await cursorSlot()).toBe(trades.at(-1)?.slot);
  });

  test('a new trade is recorded while a long history is read, and the history then adds what belongs to it', async () => {
    for (let count = 0; count < 6; count += 1) await trade();
    const { expected } = await forgotten();
    const follower = newFollower(paged);
    const live = new LiveTrades(f.ctx, openSource(f.ctx), { ...defaultTuning, firstPage: 3 }, follower);
    await live.round(never);
    expect((await written()).trades).toEqual([]);
    expect(await follower.round(never)).toMatchObject({ behind: true });
    await live.round(never);
    // What a first run finds is history.
    expect((await written()).trades).toEqual([]);
    const failed = await trade({ minAmountOut: 10n ** 12n });
    const alone = await trade({ memo: null });
    const newest = await trade();
    await live.round(never);
    expect(await tradeOf(newest.id)).toMatchObject({ status: 'confirmed', txSignature: newest.signature });
    // Neither shows by itself what it is.
    expect(await tradeOf(failed.id)).toBeUndefined();
    expect(await reasonsOf(alone.signature)).toEqual([]);
    expect(await written()).toMatchObject({ events: [], movements: [], deadLetters: [] });
    // More than a page comes, of which one is not known to the node at first.
    const next = [await trade(), await trade(), await trade(), await trade()];
    const late = next[1]?.signature;
    f.node.lie = async ({ method, params }, ask) =>
      method === 'getTransaction' && params[0] === late ? null : ask();
    await live.round(never);
    const known = async () =>
      (await Promise.all(next.map(({ id }) => tradeOf(id)))).map((row) => row?.status);
    expect(await known()).toEqual(['confirmed', undefined, 'confirmed', 'confirmed']);
    f.node.lie = undefined;
    await live.round(never);
    expect(await known()).toEqual(Array(4).fill('confirmed'));
    expect((await written()).trades).toHaveLength(5);
    await catchUp(follower);
    const caughtUp = await written();
    expect(caughtUp.trades.length).toBe(expected.trades.length + 6);
    await forgetEverything();
    await catchUp();
    expect(caughtUp).toEqual(await written());
  }, 60_000);

  test('a trade that was recorded before its history is completed, even if that leaves it out at first', async () => {
    for (let count = 0; count < 5; count += 1) await trade();
    const left = await trade();
    await trade();
    const { expected } = await forgotten();
    // What came while no process ran is new: the first one began to read the history, and ended.
    await newFollower(paged).round(never);
    const follower = newFollower(paged);
    await follower.round(never);
    await new LiveTrades(f.ctx, openSource(f.ctx), { ...defaultTuning, ...paged }, follower).round(never);
    expect(await tradeOf(left.id)).toBeDefined();
    f.node.lie = unlisted(left.signature);
    await catchUp(newFollower());
    expect((await written()).events.length).toBe(expected.events.length - 1);
    f.node.lie = undefined;
    await catchUp(newFollower());
    const { trades, events, movements } = await written();
    expect({ trades, events, movements }).toEqual({
      trades: expected.trades,
      events: expected.events,
      movements: expected.movements,
    });
  }, 60_000);

  test('a step that the chain dropped makes the way start again at the top', async () => {
    for (let count = 0; count < 12; count += 1) await trade();
    const { expected } = await forgotten();
    await newFollower(paged).round(never);
    await f.ctx.db.execute(sql`update indexer_walks set signature = ${'1'.repeat(64)}`);
    const follower = newFollower(paged);
    // How nodes answer about a line that they do not know differs: some as if nothing lay behind it.
    await healed(follower);
    expect(await written()).toEqual(expected);
  }, 60_000);

  test('an integrator without its first event is a dead letter, even when no later event shows the gap', async () => {
    const { integrator } = await givenTrader(f.world, await f.world.h.givenPartner());
    const eager = { sweepMs: 0 };
    const creation = await eventually(
      async () => (await f.ctx.chain.rpc.getSignaturesForAddress(integrator).send())[0],
    );
    f.node.lie = unlisted(creation.signature);
    const follower = await catchUp(newFollower(eager));
    await eventually(async () => {
      f.world.node.warp({ slots: 40 });
      await catchUp(follower);
      return (await reasonsOf(integrator)).length > 0 || undefined;
    });
    expect(await reasonsOf(integrator)).toEqual(['sequence_gap']);
    f.node.lie = undefined;
    await catchUp(newFollower());
    expect(await reasonsOf(integrator)).toEqual(['sequence_gap (settled)']);
  }, 60_000);

  test('an address without news for long is read once, not found again by every look at the overlap', async () => {
    await trade();
    f.world.node.warp({ slots: 2_000 });
    const stranger = await kitSigner(newWallet());
    f.world.node.airdrop(stranger.address, 1_000_000_000n);
    // News of the program alone: the cursors of the others stay far behind.
    const vault = await givenVault(f.world);
    await landed(f.world, await send(f.world, [vault.withdrawal('gold', 1n)], vault.signer));
    const follower = await catchUp(newFollower({ sweepMs: 0 }));
    await follower.round(never);
    const fetched = () => f.node.calls.get('getTransaction') ?? 0;
    const before = fetched();
    for (let rounds = 0; rounds < 3; rounds += 1) {
      expect(await follower.round(never)).toEqual({ found: 0, waiting: 0, behind: false });
    }
    expect(fetched()).toBe(before);
  }, 60_000);

  let amount = 0n;
  /** An event that the program alone lists, then a trade, which its signer lists too, in the slot at which the node stands. */
  async function inOneSlot() {
    const vault = await givenVault(f.world);
    const id = newId('trd');
    const memo = formatMemo({ kind: 'buy', id, amount: 100_000_000n });
    const trade = [await tradeInstruction(f.world, { id }), memoInstruction(memo, [f.world.service])];
    // No two withdrawals are alike.
    amount += 1n;
    const event = await prepared(f.world, [vault.withdrawal('gold', amount)], vault.signer);
    const call = await prepared(f.world, trade, f.world.service);
    f.world.node.pause();
    try {
      await event.post();
      await call.post();
    } finally {
      f.world.node.resume();
    }
    await landed(f.world, call.signature);
    const { value } = await f.ctx.chain.rpc
      .getSignatureStatuses([event.signature, call.signature], anyAge)
      .send();
    expect(value[0]?.slot).toBe(value[1]?.slot);
    return { id, first: event.signature, signature: call.signature };
  }

  test('transactions of one slot are recorded in their order, whichever address a cursor stands at', async () => {
    await catchUp();
    await inOneSlot();
    await forgetEverything();
    await f.ctx.db.execute(sql`insert into indexer_cursors (address, signature, slot, updated_at)
      values (${f.world.service.address}, '', 0, now())`);
    await catchUp(newFollower({ batchSize: 1 }));
    expect((await written()).deadLetters.filter(({ reason }) => reason === 'sequence_gap')).toEqual([]);
  }, 60_000);

  test('what a signer lists before the program does waits a round for it, so that no gap shows, and no longer', async () => {
    const follower = await catchUp();
    /** A trade behind an event that the signer does not list, while the program was listed a moment before both. */
    const ahead = async () => {
      const { id, first, signature } = await inOneSlot();
      f.node.lie = (call, ask) =>
        call.params[0] === f.world.service.address ? ask() : unlisted(first, signature)(call, ask);
      expect(await follower.round(never)).toEqual({ found: 1, waiting: 1, behind: false });
      expect(await tradeOf(id)).toBeUndefined();
      return { id, signature };
    };
    const caught = await ahead();
    f.node.lie = undefined;
    await catchUp(follower);
    expect(await tradeOf(caught.id)).toBeDefined();
    expect(await reasonsOf(caught.signature)).toEqual([]);

    const late = await ahead();
    await follower.round(never);
    expect(await tradeOf(late.id)).toBeDefined();
    expect(await reasonsOf(late.signature)).toEqual(['sequence_gap']);
    f.node.lie = undefined;
    await catchUp(follower);
    expect(await reasonsOf(late.signature)).toEqual(['sequence_gap (settled)']);
  }, 60_000);

  test('a history that does not reach back to the cursor stops the indexer, with nothing lost', async () => {
    await catchUp();
    const sent = await trade();
    const cursor = await cursorSlot();
    // A node that began after the cursor: it lists and keeps only what came since.
    f.node.lie = async ({ method }, ask) => {
      const answer = await ask();
      if (method === 'getSignaturesForAddress') {
        return answer.filter(({ slot }: { slot: number }) => BigInt(slot) > cursor);
      }
      if (method === 'getSignatureStatuses') return { ...answer, value: [null] };
      if (method === 'getFirstAvailableBlock') return Number(cursor) + 1;
      return answer;
    };
    await expect(newFollower().round(never)).rejects.toThrow(LostCursorError);
    await expect(newFollower().round(never)).rejects.toThrow("the node's blocks begin at");
    expect(await tradeOf(sent.id)).toBeUndefined();
    expect(await cursorSlot()).toBe(cursor);
    f.node.lie = undefined;
    await catchUp();
    expect(await tradeOf(sent.id)).toBeDefined();
  });

  test('a node that lists what is not a signature is named as the fault, and nothing is lost', async () => {
    const follower = await catchUp();
    const sent = await trade();
    f.node.lie = async ({ method }, ask) => {
      const answer = await ask();
      return method === 'getSignaturesForAddress' ? [{ ...answer[0], signature: 'oops' }, ...answer] : answer;
    };
    await expect(follower.round(never)).rejects.toThrow('the node is at fault: it lists "oops" of ');
    f.node.lie = undefined;
    await catchUp(follower);
    expect(await tradeOf(sent.id)).toBeDefined();
  });

  test('a node that lags behind the cursor is no fault', async () => {
    // A busy machine would be at its next look at the overlap by the time that the node lags.
    const follower = await catchUp(newFollower({ sweepMs: 600_000 }));
    const { signature } = await trade();
    await catchUp(follower);
    f.node.lie = unlisted(signature);
    expect(await follower.round(never)).toEqual({ found: 0, waiting: 0, behind: false });
    expect(await newFollower().round(never)).toMatchObject({ waiting: 0 });
  });

  test('a transaction of a version that is not read, or that is another, is a dead letter', async () => {
    const other = await trade();
    const swapped = await trade();
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      if (method !== 'getTransaction' || params[0] !== swapped.signature) return answer;
      const url = f.node.url;
      const body = { jsonrpc: '2.0', id: 1, method, params: [other.signature, params[1]] };
      const headers = { 'content-type': 'application/json' };
      const text = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return ((await text.json()) as { result: unknown }).result;
    };
    await catchUp();
    expect(await reasonsOf(swapped.signature)).toContain('undecodable');
    expect(await tradeOf(other.id)).toMatchObject({ txSignature: other.signature });
    expect(await tradeOf(swapped.id)).toBeUndefined();
  });

  test.each([
    ['of a listing, whose transaction nobody knows', '1'.repeat(64)],
    ['of a transaction that has landed', undefined],
  ])('a slot that the chain has not reached is not believed: that %s', async (_, invented) => {
    await catchUp();
    const { id, signature } = await trade();
    const ahead = 10 ** 12;
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      if (method === 'getTransaction' && !invented) return answer && { ...answer, slot: ahead };
      if (method !== 'getSignaturesForAddress' || params[1]?.before) return answer;
      return [{ ...answer[0], signature: invented ?? signature, slot: ahead }, ...answer];
    };
    const tuning = invented === undefined ? {} : { unavailableAfterMs: 0 };
    await newFollower(tuning).round(never);
    expect(await cursorSlot()).toBeLessThan(BigInt(ahead));
    f.node.lie = undefined;
    await catchUp();
    const slot = (await tradeOf(id))?.slot;
    expect(slot).toBeLessThan(BigInt(ahead));
    expect(await cursorSlot()).toBe(slot);
    const deadLetters = await f.ctx.db.select().from(schema.deadLetters);
    expect(deadLetters.filter(({ slot: of }) => of >= BigInt(ahead))).toEqual([]);
  });

  /** A node that gives the event of a transaction another number than its own. */
  const numbering =
    (signature: string, another: (own: bigint) => bigint): Lie =>
    async ({ method, params }, ask) => {
      const answer = await ask();
      if (method !== 'getTransaction' || params[0] !== signature) return answer;
      const forge = (instruction: { data: string }) => {
        const data = Buffer.from(getBase58Encoder().encode(instruction.data));
        if (data[0] !== EVENT_DISCRIMINATOR) return instruction;
        // Behind the discriminator, the version, the kind and the partner.
        data.writeBigUInt64LE(another(data.readBigUInt64LE(19)), 19);
        return { ...instruction, data: getBase58Decoder().decode(data) };
      };
      const innerInstructions = answer.meta.innerInstructions.map(
        (inner: { instructions: { data: string }[] }) => ({
          ...inner,
          instructions: inner.instructions.map(forge),
        }),
      );
      return { ...answer, meta: { ...answer.meta, innerInstructions } };
    };

  test('a node that gives a trade the event number of the next displaces neither', async () => {
    const before = await trade();
    const one = await trade();
    const next = await trade();
    const after = await trade();
    f.node.lie = numbering(one.signature, (own) => own + 1n);
    await catchUp();
    for (const { id, signature } of [before, one, next, after])
      expect(await tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
    expect(await reasonsOf(one.signature)).toEqual(['sequence_gap']);
    expect(await reasonsOf(next.signature)).toEqual(['conflicting_event']);
    expect(await reasonsOf(after.signature)).toEqual([]);
  });

  test('a record that the database refuses does not stop those around it', async () => {
    const before = await trade();
    const bad = await trade();
    const after = await trade();
    // The program never writes number 0, and the table refuses it.
    f.node.lie = numbering(bad.signature, () => 0n);
    await catchUp();
    expect(await reasonsOf(bad.signature)).toEqual(['record_refused']);
    expect(await tradeOf(before.id)).toBeDefined();
    expect(await tradeOf(after.id)).toBeDefined();
  });
});

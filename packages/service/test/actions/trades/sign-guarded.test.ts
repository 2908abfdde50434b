import { guardProgram, memoProgram } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import { getBase58Encoder, type Instruction } from '@solana/kit';
import { eq } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepLapsedRedemptions } from '../../../src/actions/redemptions/sweep-lapsed-redemptions.js';
import { sweepExpired } from '../../../src/actions/sweep-expired.js';

import { verifySignature } from '../../../src/chain/sign/signer.js';
import { createContext, type OwnedContext } from '../../../src/create-context.js';
import { findGuardedSignature } from '../../../src/db/approvals/guarded-transactions.js';
import { deadLetters } from '../../../src/db/schema.js';
import type { TradeId } from '../../../src/domain/ids.js';
import { type TxSignature, txSignatureOf } from '../../../src/domain/solana.js';
import { buildApp } from '../../../src/http/app.js';
import { type Indexer, startIndexer } from '../../../src/indexer/index.js';
import { assertAccountInfo, assertSysvarClock, guard, memoryWrite, withGuards } from '../../chain/guarded.js';
import { cosign } from '../../chain/signed-trade.js';
import { endsNow } from '../../ending.js';
import { type ApiResponse, type Client, clientOf, expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { anyAge, eventually, type KaratChain } from '../../karat-chain.js';
import { seedDenominations, tola } from '../../redeeming.js';

/*
 * There is no build of Lighthouse to test with. What is tested for real is everything that the service does: taking the
 * guards away, signing anew, sending, recording. For transactions to land, the memo program stands at Lighthouse's address:
 * it takes any text without accounts and fails for an account that does not sign, so it makes a guard that holds and one
 * that does not.
 */
const kinds = ['buy', 'sell', 'redeem'] as const;
type Kind = (typeof kinds)[number];

let t: Karat;
let indexer: Indexer;
/** A second process over the same database and node. */
let other: { ctx: OwnedContext; app: FastifyInstance; client: Client };

beforeAll(async () => {
  t = await startKarat();
  await seedDenominations(t.service);
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 50_000_000n);
  other = await secondProcess(t);
  const times = { pollMs: 50, idlePollMs: 100, finalAfterMs: 0, finalizeMs: 200, electionMs: 100 };
  indexer = startIndexer(t.service.ctx, times);
});
afterAll(async () => {
  await indexer.stop();
  await other.app.close();
  await other.ctx.close();
  await t.stop();
});

async function secondProcess({ service, chain, partner }: Karat) {
  const { config, log } = service.ctx;
  const ctx = await createContext(config, { clock: chain.clock, log });
  await ctx.chain.start();
  const app = await buildApp(ctx);
  return { ctx, app, client: clientOf(app, { 'x-api-key': partner.apiKey }) };
}

interface Quote {
  id: string;
  transaction: Buffer;
  /** Base58 of the service's signature on it. */
  txHash: TxSignature;
}

const bodies = {
  buy: { usdc_amount: 100 },
  sell: { gold_amount: 0.1 },
  redeem: { denomination_id: tola.id, city: tola.city },
};
const pathOf = (kind: Kind) => (kind === 'redeem' ? '/v1/redemptions' : `/v1/${kind}`);

async function quoted(kind: Kind): Promise<Quote> {
  const body = { service_user_id: t.user.id, ...bodies[kind] };
  const response = expectStatus(
    await t.partner.client.post(pathOf(kind), body),
    kind === 'redeem' ? 201 : 200,
  );
  const transaction = Buffer.from(response.body.partially_signed_transaction, 'base64');
  const txHash = txSignatureOf(transaction.subarray(1, 65));
  return { id: response.body.trade_id ?? response.body.redemption_id, transaction, txHash };
}

const signed = (transaction: Uint8Array) => cosign(transaction, [t.partner.wallet, t.user.wallet]);
const submit = (kind: Kind, id: string, transaction: Uint8Array, client = t.partner.client) =>
  client.post(`${pathOf(kind)}/${id}/submit`, { signed_tx: Buffer.from(transaction).toString('base64') });
const recordOf = (kind: Kind, id: string) =>
  eventually(async () => {
    const path = kind === 'redeem' ? `/v1/redemptions/${id}` : `/v1/trades/${id}`;
    return expectStatus(await t.partner.client.get(path), 200).body;
  }, 10_000);
const refusal = (message: string) => ({
  status: 400,
  body: { error: 'broadcast_failed', message: expect.stringContaining(message) },
});

/** A guard that holds, unlike any other. */
let guards = 0;
function holding(): Instruction {
  guards += 1;
  return guard(assertSysvarClock, [], [0, guards & 127, guards >> 7]);
}
const guarded = (quote: Quote, list: Instruction[] = [holding()]) =>
  signed(withGuards(quote.transaction, list));

/** The transaction with the service's signature in the first place, as the chain gets it. */
function completed(transaction: Uint8Array, txHash: string): Uint8Array {
  const copy = Uint8Array.from(transaction);
  copy.set(getBase58Encoder().encode(txHash), 1);
  return copy;
}

async function installStandIn(chain: KaratChain): Promise<void> {
  const memo = chain.node.getAccount(memoProgram);
  if (!memo) throw new Error('the node has no memo program');
  chain.node.setAccount(guardProgram, memo);
}

/** What everyone holds of both tokens, escrow included. */
async function balances(): Promise<unknown> {
  const { addresses, goldMint } = t.chain;
  return { ...(await t.balances()), escrow: await t.chain.balance(addresses.escrowAuthority, goldMint) };
}

const signedAnew = (id: string) => findGuardedSignature(t.service.ctx.db, id as TradeId);

/** Changes the user in the database, as an operator does through any process. */
const setStatus = (suspended: boolean) =>
  t.service.ctx.sql`update users set status = ${suspended ? 'suspended' : 'active'} where id = ${t.user.id}`;
const setKycLevel = (lowered: boolean) =>
  t.service.ctx
    .sql`update user_kyc set kyc_level = ${lowered ? 'basic' : 'full'} where user_id = ${t.user.id}`;

const deadLetterOf = (reason: string, signature: TxSignature) =>
  eventually(async () => {
    const found = await t.service.ctx.db
      .select()
      .from(deadLetters)
      .where(eq(deadLetters.signature, signature));
    const deadLetter = found.find((one) => one.reason === reason);
    if (!deadLetter) throw new Error(`no dead letter ${reason} of ${signature}: ${JSON.stringify(found)}`);
    return deadLetter;
  }, 10_000);

test.each(kinds)(
  'a chain without the guard program refuses a guarded %s, and nothing moves',
  async (kind) => {
    const before = await balances();
    const quote = await quoted(kind);
    const response = await submit(kind, quote.id, guarded(quote));
    expect(response).toMatchObject(refusal('Transaction simulation failed'));
    expect(response.body.message).toMatch(/program/i);
    expect(await balances()).toEqual(before);
  },
);

describe.each(kinds)('a %s with guards', (kind) => {
  beforeAll(() => installStandIn(t.chain));

  test('a guarded trade is signed again, lands under its new id, and is recorded', async () => {
    const quote = await quoted(kind);
    const transaction = guarded(quote, [holding(), guard(assertAccountInfo, [t.user.wallet.address])]);
    const { body } = expectStatus(await submit(kind, quote.id, transaction), 200);
    expect(body.tx_hash).not.toBe(quote.txHash);
    const { message, accounts } = readLegacyTransaction(transaction);
    const signature = Uint8Array.from(getBase58Encoder().encode(body.tx_hash));
    expect(verifySignature(accounts[0] ?? new Uint8Array(), message, signature)).toBe(true);
    const { meta } = await t.chain.landed(body.tx_hash);
    expect(meta.err).toBeNull();
    const record = await recordOf(kind, quote.id);
    expect(record).toMatchObject({
      submitted_tx_hash: body.tx_hash,
      status: kind === 'redeem' ? 'submitted' : 'confirmed',
    });
  });

  test('a guarded trade has the same response for the same bytes: at once, landed, expired, after the sweep, elsewhere', async () => {
    const quote = await quoted(kind);
    const transaction = guarded(quote);
    const [first, ...racing] = await Promise.all(
      [t.partner.client, other.client, t.partner.client].map((client) =>
        submit(kind, quote.id, transaction, client),
      ),
    );
    const body = expectStatus(first ?? (await quoteFailed()), 200).body;
    for (const response of racing) expect(response).toMatchObject({ status: 200, body });
    await t.chain.landed(body.tx_hash);
    expect(await submit(kind, quote.id, transaction)).toMatchObject({ status: 200, body });
    await recordOf(kind, quote.id);
    t.chain.node.warp({ seconds: 25 * 3_600 });
    await sweepExpired(t.service.ctx, AbortSignal.any([]));
    expect(await signedAnew(quote.id)).toBeUndefined();
    expect(await submit(kind, quote.id, transaction, other.client)).toMatchObject({ status: 200, body });
    await eventually(async () => void (await quoted(kind)), 10_000);
  });

  test('a guarded trade excludes every other one of its quote, and the quote itself', async () => {
    const quote = await quoted(kind);
    const transaction = guarded(quote);
    const { body } = expectStatus(await submit(kind, quote.id, transaction), 200);
    await t.chain.landed(body.tx_hash);
    const before = await balances();
    expect(await submit(kind, quote.id, guarded(quote))).toMatchObject(
      refusal(`The transaction of ${quote.id} was signed with other guards before`),
    );
    expect(await submit(kind, quote.id, signed(quote.transaction))).toMatchObject(
      refusal(`was signed with guards before, as ${body.tx_hash}; request a new quote.`),
    );
    // With the new signature in its place it is the same transaction.
    const whole = completed(transaction, body.tx_hash);
    expect(await submit(kind, quote.id, whole)).toMatchObject({ status: 200, body });
    expect(await balances()).toEqual(before);
  });

  test('a guarded trade is refused when the quote itself has landed, which still has the same response', async () => {
    const quote = await quoted(kind);
    const { body } = expectStatus(await submit(kind, quote.id, signed(quote.transaction)), 200);
    expect(body.tx_hash).toBe(quote.txHash);
    await t.chain.landed(body.tx_hash);
    const before = await balances();
    expect(await submit(kind, quote.id, guarded(quote))).toMatchObject(
      refusal(`is already on chain, without these guards, as ${quote.txHash}.`),
    );
    expect(await signedAnew(quote.id)).toBeUndefined();
    expect(await submit(kind, quote.id, signed(quote.transaction))).toMatchObject({ status: 200, body });
    expect(await balances()).toEqual(before);
  });

  test('exactly one of many guarded trades of a quote is signed when they race through two processes', async () => {
    const quote = await quoted(kind);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        submit(kind, quote.id, guarded(quote), index % 2 === 0 ? t.partner.client : other.client),
      ),
    );
    const taken = responses.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(1);
    expect(await signedAnew(quote.id)).toBe(taken[0]?.body.tx_hash);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect(response).toMatchObject(refusal('was signed with other guards before'));
    }
  });

  test.each([
    ['user_suspended', 403, setStatus],
    ['kyc_level_insufficient', 400, setKycLevel],
  ] as const)(
    'a guarded trade and its quote are neither signed nor sent once their user is %s',
    async (error, status, set) => {
      const [plain, withGuard, quote] = [await quoted(kind), await quoted(kind), await quoted(kind)];
      const before = [
        [plain.id, signed(plain.transaction)],
        [withGuard.id, guarded(withGuard)],
      ] as const;
      const sent: ApiResponse[] = [];
      for (const [id, transaction] of before) {
        const response = expectStatus(await submit(kind, id, transaction), 200);
        await t.chain.landed(response.body.tx_hash);
        sent.push(response);
      }
      const held = await balances();
      await set(true);
      try {
        for (const transaction of [signed(quote.transaction), guarded(quote)]) {
          for (const client of [t.partner.client, other.client]) {
            expect(await submit(kind, quote.id, transaction, client)).toMatchObject({
              status,
              body: { error },
            });
          }
        }
        expect(await signedAnew(quote.id)).toBeUndefined();
        // What has landed gets the same response.
        for (const [index, [id, transaction]] of before.entries()) {
          expect(await submit(kind, id, transaction)).toMatchObject({ status: 200, body: sent[index]?.body });
        }
        expect(await balances()).toEqual(held);
      } finally {
        await set(false);
      }
      expectStatus(await submit(kind, quote.id, signed(quote.transaction)), 200);
    },
  );

  test('a guarded trade and its quote are refused once the partner is suspended', async () => {
    const quote = await quoted(kind);
    const held = await balances();
    const set = (to: string) =>
      t.service.ctx.sql`update partners set status = ${to} where id = ${t.partner.partnerId}`;
    await set('suspended');
    for (const transaction of [signed(quote.transaction), guarded(quote)]) {
      const response = await submit(kind, quote.id, transaction);
      expect(response).toMatchObject({ status: 403, body: { error: 'partner_suspended' } });
    }
    await set('active');
    expect(await signedAnew(quote.id)).toBeUndefined();
    expect(await balances()).toEqual(held);
  });

  test('a guarded trade that writes to memory is refused, and nothing is signed or moved', async () => {
    const quote = await quoted(kind);
    const before = await balances();
    for (const list of [[guard(memoryWrite)], Array.from({ length: 5 }, holding)]) {
      expect((await submit(kind, quote.id, guarded(quote, list))).body.error).toBe('broadcast_failed');
    }
    expect(
      await submit(kind, quote.id, cosign(withGuards(quote.transaction, [holding()]), [])),
    ).toMatchObject(refusal('is missing'));
    expect(await signedAnew(quote.id)).toBeUndefined();
    expect(await balances()).toEqual(before);
    expectStatus(await submit(kind, quote.id, signed(quote.transaction)), 200);
  });

  test('a guarded trade whose guard fails moves nothing, and is a failed record if it lands all the same', async () => {
    const before = await balances();
    const quote = await quoted(kind);
    // The memo program fails for an account that does not sign.
    const transaction = guarded(quote, [guard(assertAccountInfo, [t.chain.goldMint])]);
    expect(await submit(kind, quote.id, transaction)).toMatchObject(refusal('Transaction simulation failed'));
    const txHash = (await signedAnew(quote.id)) ?? '';
    await t.chain.sendStraight(completed(transaction, txHash));
    const { meta } = await t.chain.landed(txHash);
    expect(meta.err).not.toBeNull();
    t.chain.node.warp({ slots: 40 });
    expect(await recordOf(kind, quote.id)).toMatchObject({ status: 'failed', submitted_tx_hash: txHash });
    expect(await balances()).toEqual(before);
    // The other one is refused here from now on.
    expect((await submit(kind, quote.id, signed(quote.transaction))).body.error).toBe('broadcast_failed');
  });

  test('a guarded trade and its quote that both land past the service leave one record and, if two trades, a dead letter', async () => {
    const quote = await quoted(kind);
    const transaction = guarded(quote);
    const { body } = expectStatus(await submit(kind, quote.id, transaction), 200);
    const record = await recordOf(kind, quote.id);
    await t.chain.sendStraight(signed(quote.transaction));
    if (kind === 'redeem') {
      // The program opens a redemption once.
      await eventually(async () => {
        const { rpc } = t.service.ctx.chain;
        const { value } = await rpc.getSignatureStatuses([quote.txHash], anyAge).send();
        expect(value[0]?.err).toMatchObject({ InstructionError: expect.anything() });
      }, 10_000);
    } else {
      const deadLetter = await deadLetterOf('conflicting_record', quote.txHash);
      expect(deadLetter.resolvedAt).toBeNull();
      expect(deadLetter.detail).toMatchObject({
        trade_id: quote.id,
        side: kind,
        status: 'confirmed',
        usdc: String(BigInt(Math.round(record.usdc_amount * 1e6))),
        gold: String(BigInt(Math.round(record.gold_amount * 1e6))),
        written: [{ id: quote.id, tx: body.tx_hash, status: 'confirmed' }],
      });
    }
    expect(await recordOf(kind, quote.id)).toEqual(record);
    // Each of them still gets the same response.
    expect(await submit(kind, quote.id, transaction)).toMatchObject({ status: 200, body });
    expect(await submit(kind, quote.id, signed(quote.transaction))).toMatchObject({
      status: 200,
      body: { tx_hash: quote.txHash },
    });
  });

  test('a guarded trade is 503 and not signed while the node cannot report what has landed', async () => {
    const quote = await quoted(kind);
    const transaction = guarded(quote);
    const about = quote.txHash;
    await t.chain.injectFault({ method: 'getSignatureStatuses', mode: 'error', times: 1, about });
    const response = await submit(kind, quote.id, transaction);
    expect(response).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('send the same signed_tx again') },
    });
    expect(await signedAnew(quote.id)).toBeUndefined();
    expectStatus(await submit(kind, quote.id, transaction), 200);
  });
});

test('a quote of the other key of the service is not signed again while keys are rotated', async () => {
  const next = newWallet();
  const { config, log } = t.service.ctx;
  t.chain.node.airdrop(next.address, 10_000_000_000n);
  await t.chain.changeSettings({ serviceSigners: [t.chain.service.address, next.address] });
  const rotated = await createContext(
    { ...config, serviceSignerUrl: t.chain.keyFile(next) },
    { clock: t.chain.clock, log },
  );
  await rotated.chain.start();
  const app = await buildApp(rotated);
  const client = clientOf(app, { 'x-api-key': t.partner.apiKey });
  try {
    const body = { service_user_id: t.user.id, ...bodies.buy };
    const { body: quote } = expectStatus(await client.post('/v1/buy', body), 200);
    const transaction = Buffer.from(quote.partially_signed_transaction, 'base64');
    const withGuard = signed(withGuards(transaction, [holding()]));
    await eventually(async () => {
      expect(await submit('buy', quote.trade_id, withGuard)).toMatchObject(
        refusal('can no longer be signed again with guards; request a new quote.'),
      );
    }, 10_000);
    expectStatus(await submit('buy', quote.trade_id, signed(transaction)), 200);
  } finally {
    await app.close();
    await rotated.close();
    await t.chain.changeSettings({});
  }
});

test('a redemption that was paid with guards does not lapse before the indexer sees it', async () => {
  const r = await startKarat({ redeems: true });
  try {
    await installStandIn(r.chain);
    const { id, transaction } = await r.redemptions.quoted();
    const paid = r.signed(withGuards(transaction, [holding()]));
    const { body } = expectStatus(await r.redemptions.submit(id, paid), 200);
    await r.chain.landed(body.tx_hash);
    const unpaid = await r.redemptions.quoted();
    r.chain.node.warp({ seconds: 180 });
    await eventually(async () => {
      const signal = AbortSignal.timeout(3_000);
      const { ends, by } = await endsNow(r.service.ctx, signal);
      expect(await sweepLapsedRedemptions(r.service.ctx, ends, { ...by, signal })).toBe(0);
      expect((await r.redemptions.row(unpaid.id)).status).toBe('lapsed');
    }, 10_000);
    expect((await r.redemptions.row(id)).status).toBe('quoted');
    const late = startIndexer(r.service.ctx, { pollMs: 50, idlePollMs: 100, electionMs: 100 });
    expect(await r.redemptions.visible(id)).toMatchObject({
      status: 'submitted',
      submitted_tx_hash: body.tx_hash,
    });
    await late.stop();
  } finally {
    await r.stop();
  }
});

function quoteFailed(): Promise<never> {
  throw new Error('nothing was submitted');
}

import { type Address, getAddressDecoder, getBase58Decoder } from '@solana/kit';
import { getBurnInstruction, getCloseAccountInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepLapsedGrants } from '../../src/actions/settle-account-grant.js';
import { finalizedChain } from '../../src/actions/traceless.js';
import { sendInstructions, tokenAccountOf } from '../../src/chain/seed.js';
import { createContext, type OwnedContext } from '../../src/create-context.js';
import { findTrade } from '../../src/db/trades.js';
import type { TradeId } from '../../src/domain/ids.js';
import { buildApp } from '../../src/http/app.js';
import { type Indexer, startIndexer } from '../../src/indexer/index.js';
import { cosign, instructionsOf } from '../chain/signed-trade.js';
import { type Client, clientOf, kitSigner } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { expectStatus, type GivenUser, givenUser, startTrading, type Trading } from '../trading.js';

/** Lamports that a token account is worth. */
const rent = 2_039_280n;

const quickly = { pollMs: 50, idlePollMs: 100, sweepMs: 500, settleMs: 200, lapseMs: 300, electionMs: 100 };

let t: Trading;
let indexer: Indexer;
/** A second process over the same database and node. */
let other: { ctx: OwnedContext; app: FastifyInstance; client: Client };

beforeAll(async () => {
  t = await startTrading();
  const { config, log } = t.service.ctx;
  const ctx = await createContext(config, { clock: t.chain.clock, log });
  await ctx.chain.start();
  const app = await buildApp(ctx);
  other = { ctx, app, client: clientOf(app, { 'x-api-key': t.partner.apiKey }) };
  indexer = startIndexer(t.service.ctx, quickly);
});
afterAll(async () => {
  await indexer.stop();
  await other.app.close();
  await other.ctx.close();
  await t.stop();
});

interface Quote {
  tradeId: TradeId;
  transaction: Buffer;
  payer: Address | undefined;
}

async function quoteFor(user: GivenUser, body: object = {}, client = t.partner.client): Promise<Quote> {
  const side = 'gold_amount' in body ? 'sell' : 'buy';
  const amount = side === 'buy' ? { usdc_amount: 10 } : {};
  const asked = { service_user_id: user.id, ...amount, ...body };
  const { body: quote } = expectStatus(await client.post(`/v1/${side}`, asked), 200);
  const transaction = Buffer.from(quote.partially_signed_transaction, 'base64');
  const [, , , create] = instructionsOf(transaction, (key) => getAddressDecoder().decode(key));
  return { tradeId: quote.trade_id, transaction, payer: create?.accounts?.[0]?.address };
}

const signedBy = (user: GivenUser, { transaction }: Quote) =>
  cosign(transaction, [t.partner.wallet, user.wallet]);

/** Lands a quote past the service and waits until the indexer has seen it; what it cost the service. */
async function land(user: GivenUser, quote: Quote): Promise<{ cost: bigint; rents: bigint }> {
  const before = lamports(t.chain.service.address);
  const txHash = await t.chain.sendStraight(signedBy(user, quote));
  const { meta } = await t.chain.landed(txHash);
  const cost = before - lamports(t.chain.service.address);
  await eventually(async () => {
    if (!(await findTrade(t.service.ctx.db, quote.tradeId))) throw new Error('no record yet');
  }, 10_000);
  return { cost, rents: (cost - BigInt(meta.fee)) / rent };
}

function lamports(address: Address): bigint {
  return t.chain.node.getAccount(address)?.lamports ?? 0n;
}

/** Empties and closes a token account of the user, who keeps its rent. */
async function close(user: GivenUser, mint: Address): Promise<void> {
  const signer = await kitSigner(user.wallet);
  const account = await tokenAccountOf(user.wallet.address, mint);
  const amount = await t.chain.balance(user.wallet.address, mint);
  const seeder = { rpc: t.service.ctx.chain.rpc, payer: signer, commitment: 'confirmed' } as const;
  await sendInstructions(seeder, [
    getBurnInstruction({ account, mint, authority: signer, amount }),
    getCloseAccountInstruction({ account, destination: signer.address, owner: signer }),
  ]);
  expect(t.chain.node.getAccount(account)?.owner).not.toBe(TOKEN_PROGRAM_ADDRESS);
}

/** A user with USDC and without an account for GOLD. */
async function newcomer(): Promise<GivenUser> {
  const user = await givenUser(t.service, t.chain, t.partner);
  t.chain.node.airdrop(user.wallet.address, 1_000_000_000n);
  return user;
}

/** The transactions for which a user's grants are held, and those that used them. */
async function grantsOf(user: GivenUser) {
  const rows = await t.service.ctx.sql`select * from token_account_grants where user_id = ${user.id}`;
  return {
    held: rows.filter((row) => row.paid_at === null).map((row) => row.tx_signature),
    paid: rows.filter((row) => row.paid_at !== null).map((row) => row.tx_signature),
  };
}

const txHashOf = ({ transaction }: Quote) => getBase58Decoder().decode(transaction.subarray(1, 65));

const isService = ({ payer }: Quote) => payer === t.chain.service.address;
const isPartner = ({ payer }: Quote) => payer === t.partner.wallet.address;

describe('the rent of a token account', () => {
  test('is paid by the service the first time, by the partner ever after', async () => {
    const user = await newcomer();
    const first = await quoteFor(user);
    expect(isService(first)).toBe(true);
    expect(await grantsOf(user)).toEqual({ held: [txHashOf(first)], paid: [] });
    expect((await land(user, first)).rents).toBe(1n);
    expect(await grantsOf(user)).toEqual({ held: [], paid: [txHashOf(first)] });
    await close(user, t.chain.goldMint);
    const second = await quoteFor(user);
    expect(isPartner(second)).toBe(true);
    const before = lamports(t.partner.wallet.address);
    expect((await land(user, second)).rents).toBe(0n);
    expect(before - lamports(t.partner.wallet.address)).toBe(rent);
  });

  test('costs nobody anything where the account is there', async () => {
    const user = await newcomer();
    await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 5n);
    const quote = await quoteFor(user);
    expect(isPartner(quote)).toBe(true);
    const before = lamports(t.partner.wallet.address);
    expect((await land(user, quote)).rents).toBe(0n);
    expect(lamports(t.partner.wallet.address)).toBe(before);
  });

  test('is granted for each mint by itself: a sell makes the account for USDC', async () => {
    const user = await t.service.givenUser(t.partner.partnerId);
    t.chain.node.airdrop(user.wallet.address, 1_000_000_000n);
    await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 5_000_000n);
    const sell = await quoteFor(user, { gold_amount: 1 });
    expect(isService(sell)).toBe(true);
    expect((await land(user, sell)).rents).toBe(1n);
    await close(user, t.chain.goldMint);
    const buy = await quoteFor(user);
    expect(isService(buy)).toBe(true);
    expect((await land(user, buy)).rents).toBe(1n);
    await close(user, t.chain.usdcMint);
    expect(isPartner(await quoteFor(user, { gold_amount: 0.0001 }))).toBe(true);
  });
});

describe('nobody gets it twice', () => {
  test('by many quotes at once from two processes, landed one by one with the account closed in between', async () => {
    const user = await newcomer();
    const quotes = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        quoteFor(user, {}, index % 2 === 0 ? t.partner.client : other.client),
      ),
    );
    expect(quotes.filter(isService)).toHaveLength(1);
    expect(quotes.filter(isPartner)).toHaveLength(23);
    const inOrder = [...quotes.filter(isService), ...quotes.filter(isPartner).slice(0, 3)];
    let rents = 0n;
    for (const quote of inOrder) {
      rents += (await land(user, quote)).rents;
      await close(user, t.chain.goldMint);
      // Whatever is asked for in between, from whichever process.
      for (const client of [t.partner.client, other.client]) {
        expect(isPartner(await quoteFor(user, {}, client))).toBe(true);
      }
    }
    expect(rents).toBe(1n);
  });

  test('by landing the one with the grant last', async () => {
    const user = await newcomer();
    const granted = await quoteFor(user);
    const without = await quoteFor(user);
    expect([isService(granted), isPartner(without)]).toEqual([true, true]);
    expect((await land(user, without)).rents).toBe(0n);
    await close(user, t.chain.goldMint);
    expect(isPartner(await quoteFor(user))).toBe(true);
    expect((await land(user, granted)).rents).toBe(1n);
    await close(user, t.chain.goldMint);
    expect(isPartner(await quoteFor(user))).toBe(true);
  });

  test('before the indexer has seen the first: the grant is held from the quote on', async () => {
    const user = await newcomer();
    const granted = await quoteFor(user);
    await t.chain.sendStraight(signedBy(user, granted));
    await close(user, t.chain.goldMint);
    expect(isPartner(await quoteFor(user))).toBe(true);
  });
});

test('what was paid is known from the chain alone, should the grant itself be lost', async () => {
  const user = await newcomer();
  const quote = await quoteFor(user);
  await t.service.ctx.sql`delete from token_account_grants where user_id = ${user.id}`;
  expect((await land(user, quote)).rents).toBe(1n);
  expect(await grantsOf(user)).toEqual({ held: [], paid: [txHashOf(quote)] });
  await close(user, t.chain.goldMint);
  expect(isPartner(await quoteFor(user))).toBe(true);
});

describe('a grant that came to nothing is free again', () => {
  test('when its transaction failed', async () => {
    const user = await newcomer();
    const failing = await quoteFor(user, { min_gold_out: 1 });
    expect(isService(failing)).toBe(true);
    expect(isPartner(await quoteFor(user))).toBe(true);
    expect((await land(user, failing)).rents).toBe(0n);
    expect(isService(await quoteFor(user))).toBe(true);
  });

  test('when the account was made by somebody else meanwhile', async () => {
    const user = await newcomer();
    const quote = await quoteFor(user);
    expect(isService(quote)).toBe(true);
    await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 1n);
    expect((await land(user, quote)).rents).toBe(0n);
    await close(user, t.chain.goldMint);
    expect(isService(await quoteFor(user))).toBe(true);
  });

  test('when its transaction can no longer land, and not before', async () => {
    const user = await newcomer();
    const quote = await quoteFor(user);
    expect(isService(quote)).toBe(true);
    t.chain.node.warp({ seconds: 45 });
    // Time for several sweeps.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await grantsOf(user)).toEqual({ held: [txHashOf(quote)], paid: [] });
    t.chain.node.warp({ seconds: 60 });
    await eventually(async () => expect(isService(await quoteFor(user))).toBe(true), 10_000);
  });
});

test('while the node does not answer about the account, the partner pays and the quote is there in time', async () => {
  const user = await newcomer();
  const about = await tokenAccountOf(user.wallet.address, t.chain.goldMint);
  await t.chain.injectFault({ method: 'getAccountInfo', mode: 'hang', times: 1, about });
  const started = performance.now();
  expect(isPartner(await quoteFor(user))).toBe(true);
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(isService(await quoteFor(user))).toBe(true);
});

test('a grant that is used stays held until the indexer has seen it, however long that takes', async () => {
  await indexer.stop();
  const [used, unused] = [await newcomer(), await newcomer()];
  const quote = await quoteFor(used);
  expect([isService(quote), isService(await quoteFor(unused))]).toEqual([true, true]);
  await t.chain.landed(await t.chain.sendStraight(signedBy(used, quote)));
  await close(used, t.chain.goldMint);
  t.chain.node.warp({ seconds: 120 });
  await eventually(async () => {
    const signal = AbortSignal.timeout(3_000);
    expect(await sweepLapsedGrants(other.ctx, await finalizedChain(other.ctx, signal), signal)).toBe(0);
    expect(isService(await quoteFor(unused))).toBe(true);
  }, 10_000);
  expect(isPartner(await quoteFor(used))).toBe(true);
  indexer = startIndexer(t.service.ctx, quickly);
  await eventually(async () => {
    if (!(await findTrade(t.service.ctx.db, quote.tradeId))) throw new Error('no record yet');
  }, 10_000);
  expect(isPartner(await quoteFor(used))).toBe(true);
});

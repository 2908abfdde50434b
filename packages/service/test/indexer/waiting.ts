import { eq } from 'drizzle-orm';
import { operatorTransactions, orders, redemptions, submissions } from '../../src/db/schema.js';
import { newUuid, type Uuid } from '../../src/domain/ids.js';
import { asTxSignature } from '../../src/domain/solana.js';
import { signatureNamed } from '../named-keys.js';
import { givenRedemption } from '../redeeming.js';
import type { following } from './following.js';
import { givenVault } from './vault.js';
import type { Trader } from './world.js';

type Following = ReturnType<typeof following>;

/** A trade that was sent: without a signature one that never landed. */
export async function givenSubmission(
  f: Following,
  lastValidBlockHeight: bigint,
  { id = newUuid(), signature = undefined as string | undefined, trader = f.world.trader } = {},
): Promise<Uuid> {
  const at = new Date(f.ctx.clock.now());
  const { partnerId } = trader.partner;
  const txSignature = signature === undefined ? signatureNamed(id) : asTxSignature(signature);
  if (!txSignature) throw new Error(`${signature} is no signature`);
  await f.ctx.db.insert(submissions).values({
    ...{ quoteId: id, kind: 'buy', status: 'submitted', partnerId, userWallet: trader.wallet.address },
    ...{
      txSignature,
      lastValidBlockHeight,
      requestId: 'of a test',
      traceparent: null,
      createdAt: at,
      expiresAt: at,
    },
  });
  return id;
}

/** A pause that an admin signed: without a signature one that never landed. */
export async function givenPause(f: Following, lastValidBlockHeight: bigint, signature?: string) {
  const at = new Date(f.ctx.clock.now());
  const id = newUuid();
  const txSignature = signature === undefined ? signatureNamed(id) : asTxSignature(signature);
  const row = { id, kind: 'pause', txSignature, lastValidBlockHeight, createdAt: at, updatedAt: at } as const;
  await f.ctx.db.insert(operatorTransactions).values(row);
  return id;
}

/**
 * One of everything that waits for the chain until it can land no more, none of which ever lands; returns what they have
 * become: a transaction of operators, an order, a quote of a redemption, and a trade that was sent.
 */
export async function givenWaiting(
  f: Following,
  lastValidBlockHeight: bigint,
  trader: Trader = f.world.trader,
): Promise<() => Promise<(string | undefined)[]>> {
  const { partner, userId, wallet } = trader;
  const pause = await givenPause(f, lastValidBlockHeight);
  const order = (await (await givenVault(f.world, trader)).order({ lastValidBlockHeight })).id;
  const owner = { partner, user: { id: userId, wallet } };
  const quote = await givenRedemption(f.world.h, owner, { status: 'quoted', lastValidBlockHeight });
  const trade = await givenSubmission(f, lastValidBlockHeight, { trader });
  const { db } = f.ctx;
  return async () => {
    const rows = await Promise.all([
      db.select().from(operatorTransactions).where(eq(operatorTransactions.id, pause)),
      db.select().from(orders).where(eq(orders.id, order)),
      db.select().from(redemptions).where(eq(redemptions.id, quote)),
      db.select().from(submissions).where(eq(submissions.quoteId, trade)),
    ]);
    return rows.map(([row]) => row?.status);
  };
}

export const waiting = ['pending', 'pending_signature', 'quoted', 'submitted'];
export const ended = ['expired', 'expired', 'lapsed', 'expired'];

/** The height of the newest block that is confirmed. */
export async function heightOf(f: Following): Promise<bigint> {
  return (await f.ctx.chain.rpc.getEpochInfo({ commitment: 'confirmed' }).send()).blockHeight;
}

import type { Address } from '@solana/kit';
import type { HouseSnapshot } from '../chain/house-balances.js';
import { type ListedTransaction, listTransactionsOf, textsSignedBy } from '../chain/signed-transactions.js';
import type { Context } from '../context.js';
import { findToldTransactions } from '../db/house-differences.js';
import { findRedemption } from '../db/redemptions.js';
import { asId } from '../domain/ids.js';
import { parseMemo } from '../domain/memo.js';

/** Strangers may name a key of the service as often as they like: no more than so many are looked at in one go. */
const looksPerRun = 200;

/** A transaction that a key of the service signed and of which no row tells. */
export interface Unrecorded {
  signature: string;
  slot: bigint;
  signedBy: Address;
  /** Memos of the service in it. */
  memos: string[];
}

/**
 * Asks the chain itself which transactions the service signed in slots above `from`, and finds those that landed and were
 * not recorded, whether they succeeded or not. Rejects when the node or the database fails.
 */
export async function findUnrecorded(
  ctx: Context,
  { serviceSigners, upTo }: HouseSnapshot,
  from: bigint,
  signal: AbortSignal,
): Promise<Unrecorded[]> {
  const found: Unrecorded[] = [];
  for (const signer of serviceSigners) {
    const listed = await listTransactionsOf(ctx.chain, signer, { from, to: upTo }, signal);
    const signatures = listed.map(({ signature }) => signature);
    const told = await findToldTransactions(ctx.db, signatures);
    const untold = listed.filter(({ signature }) => !told.has(signature));
    for (const transaction of untold.slice(0, looksPerRun)) {
      const texts = await textsSignedBy(ctx.chain, signer, transaction.signature, signal);
      if (!texts || (await isOfNoAccount(ctx, transaction, texts))) continue;
      const { signature, slot } = transaction;
      const memos = texts.filter((text) => parseMemo(text) !== undefined);
      found.push({ signature, slot, signedBy: signer, memos });
    }
  }
  return found;
}

/** Whether it is the failed twin of a redemption's payment: that moved nothing, and the redemption has its own. */
async function isOfNoAccount(ctx: Context, { failed }: ListedTransaction, texts: string[]): Promise<boolean> {
  if (!failed) return false;
  for (const text of texts) {
    const id = asId('red', parseMemo(text)?.id ?? '');
    const redemption = id && (await findRedemption(ctx.db, id));
    if (redemption && redemption.txSignature !== null) return true;
  }
  return false;
}

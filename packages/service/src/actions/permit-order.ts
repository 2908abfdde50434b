import { lastValidHeight } from '../chain/last-valid-height.js';
import type { Context } from '../context.js';
import { type Order, prolongOrder } from '../db/orders.js';
import { unlessHung } from '../db/outage.js';
import type { Partner } from '../db/partners.js';
import type { Uuid } from '../domain/ids.js';
import { AppError } from '../errors.js';

/**
 * The signer of an order may sign it again with any blockhash, so the last valid block height of a transaction is not
 * known here. It is at most this much above that of the node's newest blockhash: the node may lag by as long as a
 * blockhash lives, about 60 s.
 */
const marginBlocks = 150n;

/**
 * Keeps an order waiting in the records for as long as what was sent for it may land, so that it does not expire and come
 * to life again. The chain itself executes an order once, whatever is sent for it and by whom. Never rejects.
 */
export async function keepWaiting(ctx: Context, orderId: Uuid): Promise<void> {
  try {
    const lastValidBlockHeight = (await newestHeight(ctx)) + marginBlocks;
    await unlessHung(ctx.db.transaction((tx) => prolongOrder(tx, orderId, lastValidBlockHeight)));
  } catch (err) {
    // It may then expire before it lands, and is confirmed all the same once it has.
    ctx.log.warn({ err, order: orderId }, 'an order could not be kept waiting for what was sent');
  }
}

/** Returns the block height above which nothing can land that was signed with the newest blockhash. */
async function newestHeight(ctx: Context): Promise<bigint> {
  const { value } = await ctx.chain.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  return lastValidHeight(ctx.chain, value.lastValidBlockHeight);
}

/** Returns the refusal for a node that did not respond: whether the transaction was taken is not known. */
export function nodeSilent(cause: unknown): AppError {
  const message = 'The Solana node does not respond; send the same signedTransaction again.';
  return new AppError('service_unavailable', message, { cause });
}

/** Returns the refusal of whatever a suspended partner submits; undefined for one that is not. */
export function refusalOfPartner(status: Partner['status'] | undefined): AppError | undefined {
  if (status !== 'suspended') return undefined;
  return new AppError('partner_suspended', 'This partner is suspended. Nothing was sent.');
}

/** Returns the refusal of a transaction of an order that has ended. */
export function refusalOf({ id, status, txSignature }: Order): AppError {
  if (status !== 'expired') {
    return unsupported(`The order ${id} is ${status} already, by the transaction ${txSignature}.`);
  }
  // The node refuses its transaction with this code even before the record says so: the same bytes keep their code.
  return new AppError('broadcast_failed', `The order ${id} has expired; place a new one. Nothing was sent.`);
}

/** Returns a refusal with the code `transaction_not_supported`. */
export function unsupported(text: string): AppError {
  return new AppError('transaction_not_supported', `${text} Nothing was sent.`);
}

import type { Address } from '@solana/kit';
import { lastValidHeight } from '../chain/last-valid-height.js';
import type { Permit } from '../chain/submissions.js';
import type { Context } from '../context.js';
import { findOrderToSubmit, type OrderToSubmit, prolongOrder } from '../db/order-submissions.js';
import type { Order } from '../db/orders.js';
import { unlessHung } from '../db/outage.js';
import { findPartner } from '../db/partners.js';
import type { Uuid } from '../domain/ids.js';
import { AppError } from '../errors.js';

/**
 * The signer of an order may sign it again with any blockhash, so the last valid block height of a transaction is not
 * known here. It is at most this much above that of the node's newest blockhash: the node may lag by as long as a
 * blockhash lives, about 60 s.
 */
const marginBlocks = 150n;

/**
 * Returns the permit to send a transaction of an order. The chain executes an order once, whatever is sent for it and by
 * whom; here the order is only kept waiting in the records for as long as what was sent may land, so that it does not
 * expire and come to life again. `take` returns `transaction_not_supported` for an order that another transaction has
 * ended, `broadcast_failed` for an expired one, `partner_suspended`; it rejects when the database fails.
 */
export function orderPermit(ctx: Context, orderId: Uuid, signature: string): Permit {
  return {
    async take() {
      const found = await unlessHung(findOrderToSubmit(ctx.db, orderId));
      if (!found) throw new Error(`The order ${orderId} has vanished`);
      return bar(found, signature);
    },
    async sent() {
      try {
        const lastValidBlockHeight = (await newestHeight(ctx)) + marginBlocks;
        await unlessHung(ctx.db.transaction((tx) => prolongOrder(tx, orderId, lastValidBlockHeight)));
      } catch (err) {
        // It may then expire before it lands, and is confirmed all the same once it has.
        ctx.log.warn({ err, order: orderId }, 'an order could not be kept waiting for what was sent');
      }
    },
  };
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

/**
 * Returns the permit to send a transaction that carries out no order. It is recorded under its own signature and cannot
 * be taken for another one. `take` returns `partner_suspended`.
 */
export function permitOfNoOrder(ctx: Context, integrator: Address): Permit {
  return {
    async take() {
      const partnerId = ctx.chain.program.partnerOf(integrator);
      const partner = partnerId && (await unlessHung(findPartner(ctx.db, partnerId)));
      return partner?.status === 'suspended' ? suspended() : undefined;
    },
    sent: async () => undefined,
  };
}

function suspended(): AppError {
  return new AppError('partner_suspended', 'This partner is suspended. Nothing was sent.');
}

/** Returns why this transaction must not be sent for the order; undefined when it may. */
function bar({ order, partnerStatus }: OrderToSubmit, signature: string): AppError | undefined {
  if (order.status !== 'pending_signature' && order.txSignature !== signature) return refusalOf(order);
  return partnerStatus === 'active' ? undefined : suspended();
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

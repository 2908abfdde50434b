import type { Address } from '@solana/kit';
import { buildOrder, type OrderTerms } from '../../chain/build/build-order.js';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { insertOrder, type NewOrder } from '../../db/orders/orders.js';
import { checkJson } from '../../domain/free-json.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import { expireAtSecondsOf } from '../../domain/lifetime.js';
import type { TradebookCaller } from '../../domain/principal.js';
import { AppError } from '../../errors.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';

/** Whatever the caller wants to keep with an order; not looked at. */
export type OrderMetadata = Record<string, unknown>;

/** An order with the transaction that carries it out. */
export interface PlacedOrder {
  order: NewOrder;
  /** Wire format, not signed by anybody yet. */
  transaction: Uint8Array;
  /** The true end of the transaction's life. */
  expiresAt: Date;
}

const maxMetadataBytes = 4 * 1024;

/** Throws `invalid_request` for metadata that could not be stored exactly as it came, or of more than 4 KiB. */
export function checkMetadata(metadata: OrderMetadata | undefined): OrderMetadata | null {
  if (metadata === undefined) return null;
  checkJson(metadata, 'metadata', maxMetadataBytes);
  return metadata;
}

/** Returns the partner that a caller acts for. Throws `insufficient_scope` for one who acts for none. */
export function partnerOf({ partnerId }: TradebookCaller): Uuid {
  if (partnerId !== null) return partnerId;
  throw new AppError('insufficient_scope', 'This needs a key of a partner; yours does not act for any.');
}

/** Returns a partner's integrator account. Throws `onchain_config_missing` when there is none. */
export function getIntegratorOf(ctx: Context, partnerId: Uuid): IntegratorEntry {
  const integrator = ctx.chain.program.integrator(partnerId);
  if (integrator) return integrator;
  throw new AppError('onchain_config_missing', 'The partner is not set up on chain yet.');
}

export interface OrderDraft {
  partnerId: Uuid;
  integrator: IntegratorEntry;
  signer: Address;
  /** Returns the terms; a trade is bound to the end of its transaction's life, Unix seconds. */
  termsAt(expireAtSeconds: bigint): OrderTerms;
  /** Columns of the order in addition to those that every order has. */
  columns: Partial<NewOrder>;
}

/**
 * Builds the transaction of an order. Throws `wallet_not_allowed`, or `service_unavailable` when there is no fresh blockhash.
 */
export async function draftOrder(
  ctx: Context,
  caller: TradebookCaller,
  { partnerId, integrator, signer, termsAt, columns }: OrderDraft,
): Promise<PlacedOrder> {
  const wallets = [caller.walletAddress, signer, ...(columns.added ?? [])];
  await requireAllowedWallets(ctx, { wallets, stage: 'order', partnerId });
  const { blockhash, lastValidBlockHeight, expiresAtMs } = ctx.chain.blockhash.current();
  const orderId = newUuid();
  // The moment as it is written down, which a transaction is compared with.
  const expiresAt = new Date(expiresAtMs);
  const terms = termsAt(expireAtSecondsOf(expiresAt.getTime()));
  const config = ctx.chain.program.config();
  const transaction = await buildOrder(ctx.chain, {
    orderId,
    terms,
    signer,
    integrator,
    config,
    blockhash,
  });
  const order: NewOrder = {
    ...columns,
    id: orderId,
    kind: terms.kind,
    partnerId,
    keyId: caller.keyId,
    signer,
    integrator: integrator.address,
    lastValidBlockHeight,
    expiresAt,
    createdAt: new Date(ctx.clock.now()),
  };
  return { order, transaction, expiresAt };
}

/** Writes a drafted order down as `pending_signature`. */
export async function placeOrder(tx: Tx, { order }: PlacedOrder): Promise<void> {
  await insertOrder(tx, order);
}

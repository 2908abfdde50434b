import { signatureBytes } from '@karat/wire';
import type { Address } from '@solana/kit';
import type { InspectedQuote } from '../../chain/inspect/signed-message.js';
import type { Signer } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import { findGuardedSignature, insertGuardedTransaction } from '../../db/approvals/guarded-transactions.js';
import type { Db, Tx } from '../../db/client.js';
import { findTraderByWallet, type Trader } from '../../db/trades/traders.js';
import type { RedemptionId, TradeId } from '../../domain/ids.js';
import { type TxSignature, txSignatureOf } from '../../domain/solana.js';
import { AppError, nodeUnavailable } from '../../errors.js';
import { screeningRefusal } from '../screening/require-allowed-wallets.js';
import { barOf, walletsOf } from './find-named-trader.js';

/** A transaction that bears all its signatures, with its id. */
export interface SignedTransaction {
  transaction: Uint8Array;
  /** Base58 of the first signature. */
  txHash: TxSignature;
}

/** A transaction that may be sent for a user, or that the chain has already: then `trader` is undefined. */
export interface SendableTransaction extends SignedTransaction {
  trader: Trader | undefined;
}

/**
 * Signs a quote's transaction a second time, with the guards that a wallet added. Two transactions of one quote could
 * both land, if partner and user sign both, so this is done for one message a quote and never when the quote itself has
 * landed; `docs/transactions.md` explains the remaining risk. The same bytes give the same id again. What was signed
 * for a user who was suspended since the quote is dropped; the id of what landed before is returned, as the chain has made it
 * public. Throws `broadcast_failed`, `user_suspended`, `kyc_level_insufficient` or, when the node does not respond,
 * `service_unavailable`.
 */
export async function signGuarded(
  ctx: Context,
  id: TradeId | RedemptionId,
  {
    transaction,
    guardedMessage,
    quoteTxHash,
    serviceSigner,
    user,
  }: InspectedQuote & { transaction: Uint8Array; guardedMessage: Uint8Array },
  deadline: AbortSignal,
): Promise<SendableTransaction> {
  const { signer: own, otherSigner } = ctx.chain;
  const signer = [own, otherSigner].find((each) => each?.address === serviceSigner);
  if (!signer) {
    // While keys are rotated and this process was not given the other one.
    const message = `The transaction of ${id} can no longer be signed again with guards; request a new quote.`;
    throw new AppError('broadcast_failed', message, { reason: 'quote_expired' });
  }
  const signed = await withSignature(signer, transaction, guardedMessage);
  const [quoteLanded, guardedLanded] = await landed(ctx, [quoteTxHash, signed.txHash], deadline);
  if (guardedLanded) return { ...signed, trader: undefined };
  if (quoteLanded) {
    const message = `The transaction of ${id} is already on chain, without these guards, as ${quoteTxHash}.`;
    throw altered(message);
  }
  const at = new Date(ctx.clock.now());
  const guarded = { quoteId: id, txSignature: signed.txHash };
  const { trader, first } = await ctx.db.transaction(async (tx) => {
    const party = await findParty(ctx, tx, user);
    if (party.bar) throw party.bar;
    return { trader: party.trader, first: await insertGuardedTransaction(tx, guarded, at) };
  });
  if (first || (await findGuardedSignature(ctx.db, id)) === signed.txHash) return { ...signed, trader };
  const message = `The transaction of ${id} was signed with other guards before; request a new quote.`;
  throw altered(message);
}

/** For a transaction of a quote that differs from the one of this quote that counts. */
function altered(message: string): AppError {
  return new AppError('broadcast_failed', message, { reason: 'transaction_altered' });
}

/**
 * Passes a quote's transaction as it was quoted, unless one with guards was signed for it, which may land too, or its user
 * was suspended since. Accepts whatever has landed: it is already sent, and its id reveals no more than the chain does.
 * Throws as `signGuarded` does.
 */
export async function requireSendable(
  ctx: Context,
  id: TradeId | RedemptionId,
  { user, ...signed }: SignedTransaction & { user: Address },
  deadline: AbortSignal,
): Promise<SendableTransaction> {
  const [guarded, party] = await Promise.all([
    findGuardedSignature(ctx.db, id),
    findParty(ctx, ctx.db, user),
  ]);
  const isOnly = guarded === undefined || guarded === signed.txHash;
  if (isOnly && !party.bar) return { ...signed, trader: party.trader };
  const [known] = await landed(ctx, [signed.txHash], deadline);
  if (known) return { ...signed, trader: undefined };
  if (party.bar) throw party.bar;
  const message = `The transaction of ${id} was signed with guards before, as ${guarded}; request a new quote.`;
  throw altered(message);
}

/** A user for whom something may be sent, or why nothing may. */
type Party = { trader: Trader; bar?: undefined } | { bar: AppError };

/** Returns the user with that wallet. The partner was looked up together with the request's key. */
async function findParty(ctx: Context, db: Db | Tx, user: Address): Promise<Party> {
  const trader = await findTraderByWallet(db, user);
  if (!trader) {
    const message = `The wallet ${user} does not belong to any user.`;
    return { bar: new AppError('broadcast_failed', message, { reason: 'other_quote' }) };
  }
  const screened = { wallets: walletsOf(trader), stage: 'submit', partnerId: trader.partnerId } as const;
  const bar = barOf(ctx, trader) ?? (await screeningRefusal(ctx, screened));
  return bar ? { bar } : { trader };
}

/** For a node that gave no response: whether the transaction was taken is not known. */
export function unreachable(cause: unknown): AppError {
  const message =
    'The Solana node does not respond; send the same signed_tx again. It counts as submitted, since it may have arrived.';
  return nodeUnavailable(message, cause);
}

async function landed(ctx: Context, txHashes: TxSignature[], deadline: AbortSignal): Promise<boolean[]> {
  try {
    return await ctx.chain.callers.sender.landed(txHashes, deadline);
  } catch (error) {
    throw unreachable(error);
  }
}

/** Returns the transaction with the service's signature over its message in the first place. */
async function withSignature(
  signer: Signer,
  transaction: Uint8Array,
  message: Uint8Array,
): Promise<SignedTransaction> {
  const signature = await signer.sign(message);
  const signed = Uint8Array.from(transaction);
  const firstAt = 1;
  signed.set(signature, firstAt);
  if (signature.length !== signatureBytes) throw new Error('A signature is not 64 bytes long');
  return { transaction: signed, txHash: txSignatureOf(signature) };
}

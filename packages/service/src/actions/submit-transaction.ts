import type { Address, TransactionError } from '@solana/kit';
import { type InspectedOrder, inspectOrder, UnsupportedTransaction } from '../chain/inspect-order.js';
import { describeProgramError } from '../chain/program-errors.js';
import type { TokenChange } from '../chain/submissions.js';
import { TransactionDifference } from '../chain/transaction-view.js';
import type { Context } from '../context.js';
import { findOrder } from '../db/orders.js';
import { unlessHung } from '../db/outage.js';
import { type Uuid, uuidOfSignature } from '../domain/ids.js';
import { AppError } from '../errors.js';
import { counted } from '../metrics/counted.js';
import { signedTxBytes } from './broadcast.js';
import { carriesOut } from './match-order.js';

/** By how much somebody's tokens changed, base units. */
export interface OwnerChange {
  gold: bigint;
  usdc: bigint;
}

export interface SubmittedTransaction {
  status: 'confirmed' | 'pending';
  /** The order that it carries out; one made from the signature for a transaction without an order. */
  transactionId: Uuid;
  /** Base58. */
  signature: string;
  /** By owner of the changed token accounts; empty while it is pending. */
  tokenBalanceChange: Map<Address, OwnerChange>;
}

/**
 * Sends a transaction that carries out an order to the chain, once, and waits until it is confirmed or `signal` aborts.
 * Writes nothing. The same bytes give the same answer, in any process and after they landed. Throws `invalid_request` (no
 * base64), `transaction_not_supported`, `broadcast_failed` (no valid transaction, refused by the node, or failed on chain)
 * or `service_unavailable`.
 * @param field what to blame for text that is no base64.
 */
export function submitTransaction(
  ctx: Context,
  signedTransaction: string,
  signal: AbortSignal,
  field = 'signedTransaction',
): Promise<SubmittedTransaction> {
  const submitted = submit(ctx, signedTransaction, signal, field);
  return counted(ctx.metrics.submits, 'order', submitted, ({ status }) =>
    status === 'confirmed' ? 'ok' : 'pending',
  );
}

async function submit(
  ctx: Context,
  signedTransaction: string,
  signal: AbortSignal,
  field: string,
): Promise<SubmittedTransaction> {
  const transaction = signedTxBytes(signedTransaction, field);
  const order = inspect(ctx, transaction);
  const { signature } = order;
  // Needed for the answer; whoever cannot be answered is not sent.
  const { goldMint, usdcMint } = ctx.chain.program.config();
  const transactionId = await transactionIdOf(ctx, order);
  const outcome = await ctx.chain.submissions.submit({ transaction, signature }, signal);
  const submitted = { transactionId, signature };
  switch (outcome.kind) {
    case 'confirmed': {
      const tokenBalanceChange = byOwner(outcome.changes, { goldMint, usdcMint });
      return { status: 'confirmed', ...submitted, tokenBalanceChange };
    }
    case 'pending':
      return { status: 'pending', ...submitted, tokenBalanceChange: new Map() };
    case 'reverted': {
      const reason = reasonOf(outcome.error, order, ctx.chain.programAddress);
      throw new AppError('broadcast_failed', `The transaction ${signature} failed on chain: ${reason}`);
    }
    case 'refused':
      throw new AppError('broadcast_failed', outcome.reason);
    case 'unreachable':
      throw new AppError(
        'service_unavailable',
        'The Solana node does not answer; send the same signedTransaction again.',
        { cause: outcome.cause },
      );
  }
}

function inspect(ctx: Context, transaction: Uint8Array): InspectedOrder {
  try {
    return inspectOrder(transaction, ctx.chain.programAddress);
  } catch (error) {
    if (error instanceof UnsupportedTransaction) {
      throw new AppError('transaction_not_supported', `Only orders are submitted here. ${error.message}`);
    }
    if (error instanceof TransactionDifference) throw new AppError('broadcast_failed', error.message);
    throw error;
  }
}

/** The order that the memo names, if the call is the order's own: a memo alone may say anything. */
async function transactionIdOf(ctx: Context, { memo, call, signature }: InspectedOrder): Promise<Uuid> {
  const order = memo && (await unlessHung(findOrder(ctx.db, memo.orderId)));
  return order && carriesOut(order, call) ? order.id : uuidOfSignature(signature);
}

/** GOLD and USDC alone: an order moves no other token. */
function byOwner(
  changes: TokenChange[],
  { goldMint, usdcMint }: { goldMint: Address; usdcMint: Address },
): Map<Address, OwnerChange> {
  const owners = new Map<Address, OwnerChange>();
  for (const { owner, mint, change } of changes) {
    if (mint !== goldMint && mint !== usdcMint) continue;
    const token = mint === goldMint ? 'gold' : 'usdc';
    owners.set(owner, { ...(owners.get(owner) ?? { gold: 0n, usdc: 0n }), [token]: change });
  }
  return owners;
}

/** `SlippageExceeded: The output is …` for an error of the program, else the chain's words with the place. */
function reasonOf(error: TransactionError, { programs }: InspectedOrder, programAddress: Address): string {
  const words = (value: unknown) =>
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner));
  if (typeof error !== 'object' || !('InstructionError' in error)) return `${words(error)}.`;
  const [place, cause] = error.InstructionError as unknown as [bigint | number, unknown];
  const custom = typeof cause === 'object' && cause !== null && 'Custom' in cause ? cause.Custom : undefined;
  const own = custom !== undefined && programs[Number(place)] === programAddress;
  const described = own ? describeProgramError(Number(custom)) : undefined;
  return described ?? `instruction ${place}: ${words(cause)}.`;
}

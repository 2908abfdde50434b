import type { Address } from '@solana/kit';
import { TransactionDifference } from '../chain/signed-message.js';
import type { Context } from '../context.js';
import { decodeBase64 } from '../domain/encoding.js';
import { AppError, invalidField } from '../errors.js';

/** All waiting for the node together, so that every answer is there within 5 s. */
const deadlineMs = 4_000;

/** An empty slot among the service signers: 32 zero bytes. */
const noKey = '11111111111111111111111111111111' as Address;

/** Bytes of a `signed_tx`; 400 `invalid_request` when it is no strict base64. */
export function signedTxBytes(signedTx: string): Uint8Array {
  const bytes = decodeBase64(signedTx);
  if (bytes && bytes.length > 0) return bytes;
  throw invalidField('signed_tx', 'signed_tx must be base64: standard alphabet, padded, no white space.');
}

/** While keys are rotated, a quote may have been signed by an instance that holds the other key. */
export function serviceSignersOf(ctx: Context): Address[] {
  const own = ctx.chain.signer.address;
  if (ctx.chain.program.fault() !== undefined) return [own];
  return [own, ...ctx.chain.program.config().serviceSigners.filter((address) => address !== noKey)];
}

/**
 * Sends a transaction that `inspect` passes and names, and gives its id. Throws `broadcast_failed` for a difference from
 * the quote of `id` and for the node's refusal, `service_unavailable` when the node does not answer.
 */
export async function broadcast(
  ctx: Context,
  id: string,
  transaction: Uint8Array,
  inspect: () => string,
): Promise<string> {
  const txHash = inspected(id, inspect);
  const outcome = await ctx.chain.sender.send(transaction, txHash, AbortSignal.timeout(deadlineMs));
  if (outcome.kind === 'accepted') return txHash;
  if (outcome.kind === 'refused') throw new AppError('broadcast_failed', outcome.reason);
  const message = 'The Solana node does not answer; send the same signed_tx again.';
  throw new AppError('service_unavailable', message, { cause: outcome.cause });
}

function inspected(id: string, inspect: () => string): string {
  try {
    return inspect();
  } catch (error) {
    if (!(error instanceof TransactionDifference)) throw error;
    throw new AppError(
      'broadcast_failed',
      `This is not the transaction of ${id}, signed by all. ${error.message}`,
    );
  }
}

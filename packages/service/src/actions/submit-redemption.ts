import type { Address } from '@solana/kit';
import { type ExpectedRedemption, inspectRedemption } from '../chain/inspect-redemption.js';
import { TransactionDifference } from '../chain/signed-message.js';
import type { Context } from '../context.js';
import { findRedemption, type Redemption } from '../db/redemptions.js';
import { decodeBase64 } from '../domain/encoding.js';
import { asId, type RedemptionId } from '../domain/ids.js';
import { requireOwn } from '../domain/ownership.js';
import type { Principal } from '../domain/principal.js';
import { AppError, invalidField } from '../errors.js';
import { serviceSignersOf } from './submit-trade.js';

export interface SubmitRedemptionInput {
  /** From the path, as it came. */
  redemptionId: string;
  /** Base64 of the wire transaction, as it came. */
  signedTx: string;
}

export interface SubmittedRedemption {
  redemptionId: RedemptionId;
  /** Base58 signature of the transaction. */
  txHash: string;
}

/** All waiting for the node together, so that every answer is there within 5 s. */
const deadlineMs = 4_000;

/**
 * Sends a redemption's own transaction, signed by all, to the chain. Writes nothing and may be repeated: the same bytes
 * give the same answer, also after they landed. Throws `invalid_request` (no base64), `redemption_not_found`,
 * `partner_mismatch`, `broadcast_failed` (another transaction, or refused by the node) or `service_unavailable`.
 */
export async function submitRedemption(
  ctx: Context,
  principal: Principal,
  input: SubmitRedemptionInput,
): Promise<SubmittedRedemption> {
  const bytes = decodeBase64(input.signedTx);
  if (!bytes || bytes.length === 0) {
    throw invalidField('signed_tx', 'signed_tx must be base64: standard alphabet, padded, no white space.');
  }
  const redemption = await getOwn(ctx, principal, input.redemptionId);
  const txHash = inspect(ctx, redemption, bytes);
  const outcome = await ctx.chain.sender.send(bytes, txHash, AbortSignal.timeout(deadlineMs));
  if (outcome.kind === 'refused') throw new AppError('broadcast_failed', outcome.reason);
  if (outcome.kind === 'unreachable') {
    const message = 'The Solana node does not answer; send the same signed_tx again.';
    throw new AppError('service_unavailable', message, { cause: outcome.cause });
  }
  return { redemptionId: redemption.id, txHash };
}

/** A redemption of this partner in any state: its quote is known to those who asked for it. */
async function getOwn(ctx: Context, principal: Principal, redemptionId: string): Promise<Redemption> {
  const id = asId('red', redemptionId);
  const redemption = id && (await findRedemption(ctx.db, id));
  if (!redemption) throw new AppError('redemption_not_found', `There is no redemption ${redemptionId}.`);
  requireOwn(principal, redemption, 'redemption');
  return redemption;
}

function inspect(ctx: Context, redemption: Redemption, bytes: Uint8Array): string {
  const expected: ExpectedRedemption = {
    redemptionId: redemption.id,
    amount: redemption.tokensRequired,
    user: redemption.userWallet as Address,
    escrowGold: redemption.escrowAccount as Address,
    serviceSigners: serviceSignersOf(ctx),
  };
  try {
    return inspectRedemption(bytes, expected);
  } catch (error) {
    if (!(error instanceof TransactionDifference)) throw error;
    const message = `This is not the transaction of ${redemption.id}, signed by all. ${error.message}`;
    throw new AppError('broadcast_failed', message);
  }
}

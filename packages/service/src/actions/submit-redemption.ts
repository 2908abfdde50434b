import type { Address } from '@solana/kit';
import { inspectRedemption } from '../chain/inspect-redemption.js';
import type { Context } from '../context.js';
import { findRedemption, type Redemption } from '../db/redemptions.js';
import { asRedemptionId, type RedemptionId } from '../domain/ids.js';
import { requireOwn } from '../domain/ownership.js';
import type { Principal } from '../domain/principal.js';
import { AppError } from '../errors.js';
import { counted } from '../metrics/counted.js';
import { broadcast, serviceSignersOf, signedTxBytes } from './broadcast.js';

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

/**
 * Sends a redemption's own transaction, signed by all, to the chain; with guards of a wallet it is signed anew. Writes
 * no record and may be repeated: the same bytes give the same answer, also after they landed. Throws `invalid_request`
 * (no base64), `redemption_not_found`, `partner_mismatch`, `broadcast_failed` (another transaction, or refused by the
 * node), `user_suspended`, `kyc_level_insufficient` or `service_unavailable`.
 */
export function submitRedemption(
  ctx: Context,
  principal: Principal,
  input: SubmitRedemptionInput,
): Promise<SubmittedRedemption> {
  return counted(ctx.metrics.submits, 'redemption', submit(ctx, principal, input));
}

async function submit(
  ctx: Context,
  principal: Principal,
  input: SubmitRedemptionInput,
): Promise<SubmittedRedemption> {
  const bytes = signedTxBytes(input.signedTx);
  const redemption = await getOwn(ctx, principal, input.redemptionId);
  const txHash = await broadcast(ctx, redemption.id, bytes, () =>
    inspectRedemption(bytes, {
      redemptionId: redemption.id,
      programAddress: ctx.chain.programAddress,
      amount: redemption.tokensRequired,
      user: redemption.userWallet as Address,
      escrowGold: redemption.escrowAccount as Address,
      serviceSigners: serviceSignersOf(ctx),
      guards: ctx.config.guardInstructions,
    }),
  );
  return { redemptionId: redemption.id, txHash };
}

/** A redemption of this partner in any state: its quote is known to those who asked for it. */
async function getOwn(ctx: Context, principal: Principal, redemptionId: string): Promise<Redemption> {
  const id = asRedemptionId(redemptionId);
  const redemption = id && (await findRedemption(ctx.db, id));
  if (!redemption) throw new AppError('redemption_not_found', `There is no redemption ${redemptionId}.`);
  requireOwn(principal, redemption, 'redemption');
  return redemption;
}

import { settlementInstructions } from '../../chain/admin/admin-operations.js';
import { isStillOpen } from '../../chain/program/open-redemption.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { findSettlement } from '../../db/redemptions/settlements.js';
import { newUuid } from '../../domain/ids.js';
import { formatFixed, tokenDecimals } from '../../domain/money.js';
import { type SettlementKind, settlementOf } from '../../domain/redemption.js';
import { AppError, notAllowed } from '../../errors.js';
import type { ChainPlan } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { readProgramConfig } from '../program/read-program-config.js';
import { getVisibleRedemption } from './get-redemption.js';
import { burnAnnounced, noLongerHeld, readHeldRedemption } from './held-redemption.js';
import { isUnderWay, stateOfSettlement } from './settled.js';

/**
 * Decides whether the tokens of a redemption may leave escrow: back to the user after a cancellation; burned after the
 * hand-over, once that is announced and due. They do so only while escrow holds them as recorded. That they leave once, and to the
 * user alone, is what the program sees to.
 * Throws `redemption_not_found`, `transition_not_allowed` or `service_unavailable`.
 */
export async function planSettlement(
  ctx: Context,
  { kind, redemptionId }: { kind: SettlementKind; redemptionId: string },
): Promise<ChainPlan> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  await requireUnsettled(ctx.db, redemption, kind);
  const { id, tokensRequired: amount, userWallet } = redemption;
  const shown = { redemption_id: id, status: redemption.status, tokens: formatFixed(amount, tokenDecimals) };
  const action = kind === 'refund' ? ('redemption.refund' as const) : ('redemption.settle_burn' as const);
  const change = { action, objectId: id };
  return {
    in: 'chain',
    ...change,
    request: { ...shown, wallet_address: kind === 'refund' ? userWallet : null },
    before: null,
    objectHash: hashOf([
      id,
      redemption.status,
      redemption.updatedAt.toISOString(),
      amount.toString(),
      userWallet,
    ]),
    // Two have agreed to a burn when it was announced.
    takesTwo: kind === 'refund',
    build: async () => {
      const held = await readHeldRedemption(ctx, redemption);
      const config = await readProgramConfig(ctx);
      return {
        signedBy: ['operations'],
        config,
        row: { id: newUuid(), kind, redemptionId: id, partnerId: redemption.partnerId, amount },
        instructions: await settlementInstructions(ctx.chain, config, kind, held),
        change: { ...change, before: shown, after: shown },
        // Nothing leads out of the states that it may be in, and of two settlements the second is not written.
        recheck: async ({ tx }) => requireUnsettled(tx, await getVisibleRedemption(tx, id), kind),
        explain: async (error) => {
          if (error instanceof AppError && error.programErrorName === 'BurnAnnounced')
            return burnAnnounced({ cause: error });
          // The chain refuses it because another one was faster: that is said in the same way as before.
          const isRefused = error instanceof AppError && error.code === 'broadcast_failed';
          return isRefused && !(await isStillOpen(ctx.chain, held)) ? noLongerHeld() : undefined;
        },
      };
    },
  };
}

/** Throws `transition_not_allowed` unless the redemption's state wants that settlement, and none is under way. */
export async function requireUnsettled(
  db: Db | Tx,
  { id, status }: VisibleRedemption,
  kind: SettlementKind,
): Promise<void> {
  if (settlementOf(status) !== kind) {
    const desired = kind === 'refund' ? 'refunded' : 'burned';
    throw notAllowed(`A redemption that is ${status} cannot be ${desired}.`);
  }
  const settlement = await findSettlement(db, id);
  if (isUnderWay(settlement)) throw notAllowed(`This redemption ${stateOfSettlement(settlement)}.`);
}

import {
  getAnnounceBurnInstructionAsync,
  getCancelBurnInstructionAsync,
  getRedemptionDecoder,
} from '@karat/program-client';
import { createNoopSigner } from '@solana/kit';
import { actingRole, keyOf } from '../../chain/build/prepare-transaction.js';
import { responseOf } from '../../chain/node/landing.js';
import { addressOf } from '../../chain/program/open-redemption.js';
import { readNamed } from '../../chain/program/program-snapshot.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { type Burn, findAnnouncement, findBurn } from '../../db/redemptions/burns.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import type { RedemptionId } from '../../domain/ids.js';
import { mayLoseBurn } from '../../domain/redemption.js';
import { momentOf } from '../../domain/timestamp.js';
import { notAllowed } from '../../errors.js';
import type { ChainSteps } from '../approvals/plan.js';
import { getVisibleRedemption } from './get-redemption.js';
import { goneMeanwhile, readHeldRedemption } from './held-redemption.js';
import { planFor, type RedemptionPlan, requireUnsettled, shownOf } from './plan-settlement.js';

const readWithinMs = 3_000;

/**
 * Plans to announce the burn of a collected redemption's tokens, which the keeper burns when the program allows it; until then the
 * guardian can object. Throws `redemption_not_found`; `transition_not_allowed` unless it is collected, its tokens are still in
 * escrow and no burn is announced; `service_unavailable`.
 */
export async function planBurn(
  ctx: Context,
  { redemptionId }: { redemptionId: string },
): Promise<RedemptionPlan> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  await requireAnnounceable(ctx, ctx.db, redemption);
  return {
    ...planFor(redemption),
    action: 'redemption.burn',
    request: { ...shownOf(redemption), wallet_address: null },
    takesTwo: true,
  };
}

/** Announces a burn. */
export const burnAnnouncement: ChainSteps<RedemptionPlan> = {
  async build(ctx, { redemption }) {
    const { id: redemptionId, partnerId } = redemption;
    const held = await readHeldRedemption(ctx, redemption);
    const instruction = await getAnnounceBurnInstructionAsync(
      {
        operations: createNoopSigner(ctx.chain.program.config().hotKeys.operations),
        redemption: held.address,
        id: held.data.id,
      },
      { programAddress: ctx.chain.programAddress },
    );
    const shown = shownOf(redemption);
    return {
      signedBy: ['operations'],
      row: { kind: 'announce_burn', redemptionId, partnerId },
      instructions: [instruction],
      change: { before: shown, after: shown },
    };
  },

  async recheck(ctx, { tx }, { objectId }) {
    await requireAnnounceable(ctx, tx, await getVisibleRedemption(tx, objectId));
  },

  readResult: async (ctx, { redemption }, slot) => ({ burn: await readBurn(ctx, redemption.id, slot) }),

  async explain(_ctx, _plan, error) {
    const refusal = refusals[error.programErrorName ?? ''];
    return refusal === undefined ? undefined : notAllowed(refusal, { cause: error });
  },
};

/** What the program refuses although the records allow it. */
const refusals: Readonly<Record<string, string>> = {
  BurnAnnounced: 'The burn of this redemption is already announced.',
  BurnAnnouncedBefore:
    'A burn of this redemption was announced before, and its user can reclaim it by now: it cannot be announced again.',
};

/**
 * Plans to cancel an announced burn by the guardian or the admin. It can be announced again, unless its user can reclaim it by
 * then: so late, of gold that was handed out, it takes two people. Else it takes one, because it only stops something. Throws
 * `redemption_not_found`, `transition_not_allowed` when none is announced or the tokens have left escrow, and
 * `service_unavailable`.
 */
export async function planBurnCancellation(
  ctx: Context,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<RedemptionPlan> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  await requireAnnounced(ctx.db, redemption);
  return {
    ...planFor(redemption),
    action: 'redemption.cancel_burn',
    reason,
    request: { ...shownOf(redemption), reason },
    takesTwo: mayLoseBurn(redemption, ctx.clock.now()),
  };
}

/** Cancels an announced burn. */
export const burnCancellation: ChainSteps<RedemptionPlan> = {
  async build(ctx, { redemption, reason }) {
    const { id: redemptionId, partnerId } = redemption;
    const held = await readHeldRedemption(ctx, redemption);
    const config = ctx.chain.program.config();
    const role = actingRole(ctx.chain, config, ['guardian', 'admin']);
    const instruction = await getCancelBurnInstructionAsync(
      { authority: createNoopSigner(keyOf(config, role)), redemption: held.address, id: held.data.id },
      { programAddress: ctx.chain.programAddress },
    );
    const shown = shownOf(redemption);
    return {
      signedBy: [role],
      row: { kind: 'cancel_burn', redemptionId, partnerId },
      instructions: [instruction],
      change: { before: shown, after: shown, reason },
    };
  },

  recheck: (_ctx, { tx }, { redemption }) => requireAnnounced(tx, redemption),

  readResult: async () => ({ burn: null }),

  explain: ({ chain }, { redemption }, error) => goneMeanwhile(chain, redemption, error),
};

async function requireAnnounceable(ctx: Context, db: Db | Tx, redemption: VisibleRedemption): Promise<void> {
  await requireUnsettled(db, redemption, 'burn');
  const burn = await findBurn(db, redemption.id, new Date(ctx.clock.now()));
  if (!burn) return;
  throw notAllowed(
    `The burn of this redemption is already announced, and due at ${burn.dueAt.toISOString()}.`,
  );
}

/** A void announcement counts as well: the program refunds nothing until it is cancelled. */
async function requireAnnounced(db: Db | Tx, { id }: VisibleRedemption): Promise<void> {
  if (await findAnnouncement(db, id)) return;
  throw notAllowed('No burn of this redemption is announced.');
}

/** Reads when the program will allow the burn; null when it is announced no more. */
async function readBurn(ctx: Context, id: RedemptionId, slot: bigint): Promise<Burn | null> {
  const account = await addressOf(ctx.chain.programAddress, id);
  const signal = AbortSignal.timeout(readWithinMs);
  const { accounts } = await responseOf(readNamed(ctx.chain, () => [account], signal, { minSlot: slot }));
  const bytes = Buffer.from(accounts[0]?.data[0] ?? '', 'base64');
  if (accounts[0]?.owner !== ctx.chain.programAddress) return null;
  const { burnReadyAt } = getRedemptionDecoder().decode(bytes);
  if (burnReadyAt === 0n) return null;
  return { announcedAt: new Date(ctx.clock.now()), dueAt: momentOf(burnReadyAt) };
}

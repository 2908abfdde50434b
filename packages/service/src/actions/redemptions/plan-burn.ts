import {
  getAnnounceBurnInstructionAsync,
  getCancelBurnInstructionAsync,
  getRedemptionDecoder,
} from '@karat/program-client';
import { createNoopSigner } from '@solana/kit';
import { actingRole, keyOf } from '../../chain/build/prepare-transaction.js';
import { responseOf } from '../../chain/node/landing.js';
import { readNamed } from '../../chain/program/program-snapshot.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { type Burn, findAnnouncement, findBurn } from '../../db/redemptions/burns.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { newUuid } from '../../domain/ids.js';
import { formatFixed, tokenDecimals } from '../../domain/money.js';
import { mayLoseBurn } from '../../domain/redemption.js';
import type { Address } from '../../domain/solana.js';
import { momentOf } from '../../domain/timestamp.js';
import { AppError, notAllowed } from '../../errors.js';
import type { ChainPlan } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { getVisibleRedemption } from './get-redemption.js';
import { readHeldRedemption } from './held-redemption.js';
import { requireUnsettled } from './plan-settlement.js';

const readWithinMs = 3_000;

/**
 * Plans to announce the burn of a collected redemption's tokens, which the keeper burns when the program allows it; until then the
 * guardian can object. Throws `redemption_not_found`; `transition_not_allowed` unless it is collected, its tokens are still in
 * escrow and no burn is announced; `service_unavailable`.
 */
export async function planBurn(ctx: Context, { redemptionId }: { redemptionId: string }): Promise<ChainPlan> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  await requireAnnounceable(ctx, ctx.db, redemption);
  const { id, partnerId } = redemption;
  const change = { action: 'redemption.burn' as const, objectId: id };
  const shown = shownOf(redemption);
  return {
    in: 'chain',
    ...change,
    request: { ...shown, wallet_address: null },
    before: null,
    objectHash: stateHashOf(redemption),
    takesTwo: true,
    build: async () => {
      const held = await readHeldRedemption(ctx, redemption);
      const config = ctx.chain.program.config();
      const instruction = await getAnnounceBurnInstructionAsync(
        {
          operations: createNoopSigner(config.hotKeys.operations),
          redemption: held.address,
          id: held.data.id,
        },
        { programAddress: ctx.chain.programAddress },
      );
      return {
        signedBy: ['operations'],
        row: { id: newUuid(), kind: 'announce_burn', redemptionId: id, partnerId, amount: null },
        instructions: [instruction],
        change: { ...change, before: shown, after: shown },
        recheck: async ({ tx }) => requireAnnounceable(ctx, tx, await getVisibleRedemption(tx, id)),
        readResult: async (slot) => ({ burn: await readBurn(ctx, held.address, slot) }),
        explain: async (error) => {
          const refusal = error instanceof AppError && refusals[error.programErrorName ?? ''];
          return refusal ? notAllowed(refusal, { cause: error }) : undefined;
        },
      };
    },
  };
}

/** What the program refuses although the records allow it. */
const refusals: Readonly<Record<string, string>> = {
  BurnAnnounced: 'The burn of this redemption is already announced.',
  BurnAnnouncedBefore:
    'A burn of this redemption was announced before, and its user can reclaim it by now: it cannot be announced again.',
};

/**
 * Plans to cancel an announced burn by the guardian or the admin. It can be announced again, unless its user can reclaim it by
 * then: so late, of gold that was handed out, it takes two people. Else it takes one, because it only stops something. Throws `redemption_not_found`, `transition_not_allowed` when none is
 * announced, and `service_unavailable`.
 */
export async function planBurnCancellation(
  ctx: Context,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<ChainPlan> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  await requireAnnounced(ctx.db, redemption);
  const { id, partnerId } = redemption;
  const change = { action: 'redemption.cancel_burn' as const, objectId: id };
  const shown = shownOf(redemption);
  return {
    in: 'chain',
    ...change,
    request: { ...shown, reason },
    before: null,
    objectHash: stateHashOf(redemption),
    takesTwo: mayLoseBurn(redemption, ctx.clock.now()),
    build: async () => {
      const held = await readHeldRedemption(ctx, redemption);
      const config = ctx.chain.program.config();
      const role = actingRole(ctx.chain, config, ['guardian', 'admin']);
      const instruction = await getCancelBurnInstructionAsync(
        {
          authority: createNoopSigner(keyOf(config, role)),
          redemption: held.address,
          id: held.data.id,
        },
        { programAddress: ctx.chain.programAddress },
      );
      return {
        signedBy: [role],
        row: { id: newUuid(), kind: 'cancel_burn', redemptionId: id, partnerId, amount: null },
        instructions: [instruction],
        change: { ...change, before: shown, after: shown, reason },
        recheck: ({ tx }) => requireAnnounced(tx, redemption),
        readResult: async () => ({ burn: null }),
      };
    },
  };
}

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
async function readBurn(ctx: Context, account: Address, slot: bigint): Promise<Burn | null> {
  const signal = AbortSignal.timeout(readWithinMs);
  const { accounts } = await responseOf(readNamed(ctx.chain, () => [account], signal, { minSlot: slot }));
  const bytes = Buffer.from(accounts[0]?.data[0] ?? '', 'base64');
  if (accounts[0]?.owner !== ctx.chain.programAddress) return null;
  const { burnReadyAt } = getRedemptionDecoder().decode(bytes);
  if (burnReadyAt === 0n) return null;
  return { announcedAt: new Date(ctx.clock.now()), dueAt: momentOf(burnReadyAt) };
}

function shownOf({ id, status, tokensRequired }: VisibleRedemption) {
  return { redemption_id: id, status, tokens: formatFixed(tokensRequired, tokenDecimals) };
}

function stateHashOf({ id, status, updatedAt, tokensRequired, userWallet }: VisibleRedemption): Uint8Array {
  return hashOf([id, status, updatedAt.toISOString(), tokensRequired.toString(), userWallet]);
}

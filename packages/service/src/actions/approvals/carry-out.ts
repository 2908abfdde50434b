import { requireSuccess } from '../../chain/admin/admin-operations.js';
import {
  actingRole,
  type PreparedTransaction,
  payerOf,
  prepareTransaction,
  type SignedTransaction,
} from '../../chain/build/prepare-transaction.js';
import type { Context } from '../../context.js';
import { insertOperatorTransaction } from '../../db/approvals/operator-transactions.js';
import type { ChangedBy } from '../../domain/audit.js';
import { newUuid } from '../../domain/ids.js';
import { AppError, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import { type ChangeTx, inChange } from '../change.js';
import { hasChanged, recordApproved, takeApproved, whilePending } from './decide-approval.js';
import { land } from './land.js';
import { type ChainPlan, stepsOf } from './operations.js';
import type { Changed, DatabasePlan, Done, Objects, Operation, Outcome } from './plan.js';
import { hashOf } from './plan-change.js';

/** A plan of which all is known that the nodes have to say before it is written down. */
interface ReadyOperation {
  plan: ChainPlan;
  operation: Operation;
  /** Nothing is sent without it. */
  prepared: PreparedTransaction | undefined;
}

/** A confirmation takes a second or two; a request waits this long for it. */
const waitMs = 20_000;

/** Carries out a plan on chain, without a request that could be repeated. Throws as the three steps do. */
export async function carryOut(ctx: Context, by: ChangedBy, plan: ChainPlan): Promise<Outcome> {
  const ready = await readyOperation(ctx, plan);
  const written = await inChange(ctx, by, (change) => writeOperation(ctx, change, ready));
  return written.kind === 'begun' ? landOperation(ctx, plan, written.signed) : written;
}

/**
 * The first step: queries the nodes, and builds and signs the transaction. What the chain would refuse is not begun. Throws
 * `broadcast_failed` with the program's words, `transition_not_allowed`, `service_unavailable`.
 */
export const readyOperation = (ctx: Context, plan: ChainPlan): Promise<ReadyOperation> =>
  whilePending(ctx, plan.approved, prepare(ctx, plan));

async function prepare(ctx: Context, plan: ChainPlan): Promise<ReadyOperation> {
  const operation = await stepsOf(plan).build(ctx, plan);
  const { signedBy, instructions } = operation;
  if (instructions.length === 0) return { plan, operation, prepared: undefined };
  const config = operation.config ?? ctx.chain.program.config();
  // Throws for a key that the program does not know.
  for (const role of signedBy) actingRole(ctx.chain, config, [role]);
  const payer = operation.payer ?? payerOf(ctx.chain, config, signedBy);
  try {
    const prepared = await prepareTransaction(ctx.chain, config, { instructions, payer });
    await requireSuccess(ctx.chain, prepared);
    return { plan, operation, prepared };
  } catch (error) {
    throw await explained(ctx, plan, error);
  }
}

/**
 * The second step, in one transaction: writes the row and the audit row of an operation before it is sent, so that wherever a
 * process dies nothing is done twice: until the chain has it or can no longer take it, the row blocks another. Then it looks
 * once more, and takes the approval before the first audit row. Returns what is to be sent now, or else the outcome. Throws
 * `transition_not_allowed`, and what the plan's `recheck` throws.
 */
export async function writeOperation(
  ctx: Context,
  change: ChangeTx,
  { plan, operation, prepared }: ReadyOperation,
): Promise<Outcome | { kind: 'begun'; signed: SignedTransaction }> {
  const { tx, by, at } = change;
  const { action, objectId, approved } = plan;
  const { row } = operation;
  const txHash = prepared?.txHash;
  if (prepared) {
    const { lastValidBlockHeight } = prepared;
    const written = {
      ...{ id: newUuid(), redemptionId: null, partnerId: null, amount: null, ...row },
      ...{ txSignature: txHash ?? null, lastValidBlockHeight, operatorId: by.personId },
    };
    if (!(await insertOperatorTransaction(tx, written, at))) {
      // Where it was written by another decision about the same request, that is what is refused.
      if (approved) await takeApproved(change, approved);
      throw alreadyUnderWay(row);
    }
  }
  // The row waits while another of its kind is being recorded; only after it is that one seen.
  await stepsOf(plan).recheck?.(ctx, change, plan);
  if (approved) {
    await takeApproved(change, approved);
    await recordApproved(change, approved);
  }
  const after = { ...operation.change.after, tx_hash: txHash ?? null };
  await recordChange(tx, by, { action, objectId, ...operation.change, after }, at);
  if (!prepared) return { kind: 'done', txHash: null, ...operation.unsent };
  if (txHash !== undefined) return { kind: 'begun', signed: { ...prepared, txHash } };
  const { transaction, missing: signers, expiresAtMs } = prepared;
  return { kind: 'unsigned', transaction, signers, expiresAt: new Date(expiresAtMs) };
}

/** The last step: sends what was begun, and waits until the chain has confirmed it. Throws as `readyOperation` does. */
export async function landOperation(ctx: Context, plan: ChainPlan, signed: SignedTransaction): Promise<Done> {
  try {
    const slot = await land(ctx.chain, signed, 'check again in a minute', waitMs);
    return { kind: 'done', txHash: signed.txHash, ...(await stepsOf(plan).readResult?.(ctx, plan, slot)) };
  } catch (error) {
    throw await explained(ctx, plan, error);
  }
}

async function explained(ctx: Context, plan: ChainPlan, error: unknown): Promise<unknown> {
  if (!(error instanceof AppError)) return error;
  return (await stepsOf(plan).explain?.(ctx, plan, error)) ?? error;
}

/**
 * Makes a change of the database. Throws `transition_not_allowed` when the object is not the one that was approved, or a change
 * that took one person when it was planned, such as to the present fee, takes two, or a confirmation, by now.
 */
export async function makeChange<Name extends keyof Objects>(
  change: ChangeTx,
  plan: DatabasePlan<Name>,
): Promise<Changed<Name>> {
  const { approved } = plan;
  const now = await plan.describe(change.tx);
  if (!approved) {
    if (now.takesTwo && !plan.takesTwo) throw notAllowed('Somebody else has changed this; check it again.');
    return plan.apply(change);
  }
  if (!Buffer.from(approved.approval.objectHash).equals(hashOf(now.state))) throw hasChanged();
  await takeApproved(change, approved);
  const changed = await plan.apply(change);
  await recordApproved(change, approved);
  return changed;
}

function alreadyUnderWay({ kind, redemptionId }: Operation['row']): AppError {
  return notAllowed(
    !redemptionId || kind === 'announce_burn' || kind === 'cancel_burn'
      ? 'The same change is already in progress.'
      : 'The tokens of this redemption have left escrow, or a transaction that takes them out may still land.',
  );
}

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
import { type AppError, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import { type ChangeTx, inChange } from '../change.js';
import { type Approved, hasChanged, recordApproved, takeApproved, whilePending } from './decide-approval.js';
import { land } from './land.js';
import type { Changed, DatabasePlan, Operation, Outcome, Plan } from './plan.js';
import { hashOf } from './plan-change.js';

/** A plan of which all is known that the nodes have to say before it is written down. */
export type ReadyPlan =
  | { in: 'database'; plan: DatabasePlan }
  /** Nothing is sent without `prepared`. */
  | { in: 'chain'; operation: Operation; prepared: PreparedTransaction | undefined };

/** An operation whose row is written, and which is to be sent now. */
export interface Begun {
  kind: 'begun';
  operation: Operation;
  signed: SignedTransaction;
}

/** A confirmation takes a second or two; a request waits this long for it. */
const waitMs = 20_000;

/** Carries a plan out, without a request that could be repeated. Throws as the three steps do. */
export async function carryOut(ctx: Context, by: ChangedBy, plan: Plan): Promise<Outcome> {
  const ready = await readyPlan(ctx, plan);
  const written = await inChange(ctx, by, (change) => writePlan(change, ready));
  return written.kind === 'begun' ? landOperation(ctx, written) : written;
}

/**
 * The first step: queries the nodes, and builds and signs the transaction. What the chain would refuse is not begun. Throws
 * `broadcast_failed` with the program's words, `transition_not_allowed`, `service_unavailable`.
 * @param approved the approval that it is carried out by.
 */
export const readyPlan = (ctx: Context, plan: Plan, approved?: Approved): Promise<ReadyPlan> =>
  approved ? whilePending(ctx, approved, prepare(ctx, plan)) : prepare(ctx, plan);

async function prepare(ctx: Context, plan: Plan): Promise<ReadyPlan> {
  if (plan.in === 'database') {
    await plan.look?.();
    return { in: 'database', plan };
  }
  const operation = await plan.build();
  const { signedBy, instructions } = operation;
  if (instructions.length === 0) return { in: 'chain', operation, prepared: undefined };
  const config = operation.config ?? ctx.chain.program.config();
  // Throws for a key that the program does not know.
  for (const role of signedBy) actingRole(ctx.chain, config, [role]);
  const payer = operation.payer ?? payerOf(ctx.chain, config, signedBy);
  try {
    const prepared = await prepareTransaction(ctx.chain, config, { instructions, payer });
    await requireSuccess(ctx.chain, prepared);
    return { in: 'chain', operation, prepared };
  } catch (error) {
    throw (await operation.explain?.(error)) ?? error;
  }
}

/**
 * The second step, in one transaction: makes the change, or writes the row and the audit row of an operation before it is
 * sent, so that wherever a process dies nothing is done twice: until the chain has it or can no longer take it, the row blocks
 * another. An approval is taken once the object is locked, and before the first audit row. Throws `transition_not_allowed`,
 * and what the plan throws.
 */
export async function writePlan(
  change: ChangeTx,
  ready: ReadyPlan,
  approved?: Approved,
): Promise<Outcome | Begun> {
  if (ready.in === 'database') {
    return { kind: 'changed', changed: await makeChange(change, ready.plan, approved) };
  }
  const { tx, by, at } = change;
  const { operation, prepared } = ready;
  await operation.recheck(change);
  if (approved) {
    await takeApproved(change, approved);
    await recordApproved(change, approved);
  }
  const { row } = operation;
  const txHash = prepared?.txHash;
  if (prepared) {
    const { lastValidBlockHeight } = prepared;
    const written = {
      ...row,
      txSignature: txHash ?? null,
      lastValidBlockHeight,
      operatorId: by.personId,
    };
    if (!(await insertOperatorTransaction(tx, written, at))) throw alreadyUnderWay(row);
  }
  const after = { ...operation.change.after, tx_hash: txHash ?? null };
  await recordChange(tx, by, { ...operation.change, after }, at);
  if (!prepared) {
    if (!operation.readUnsent) throw new Error('an operation without instructions has no result');
    return { kind: 'changed', changed: await operation.readUnsent(tx) };
  }
  if (txHash !== undefined) return { kind: 'begun', operation, signed: { ...prepared, txHash } };
  const { transaction, missing: signers, expiresAtMs } = prepared;
  return { kind: 'unsigned', transaction, signers, expiresAt: new Date(expiresAtMs) };
}

/** The last step: sends what was begun, and waits until the chain has confirmed it. Throws as `readyPlan` does. */
export async function landOperation(
  ctx: Context,
  { operation, signed }: Begun,
): Promise<Extract<Outcome, { kind: 'done' }>> {
  try {
    const slot = await land(ctx.chain, signed, 'check again in a minute', waitMs);
    return { kind: 'done', txHash: signed.txHash, ...(await operation.readResult?.(slot)) };
  } catch (error) {
    throw (await operation.explain?.(error)) ?? error;
  }
}

/**
 * Makes a change of the database. Throws `transition_not_allowed` when the object is not the one that was approved, or a change
 * that took one person when it was planned, such as to the present fee, takes two, or a confirmation, by now.
 */
async function makeChange(
  change: ChangeTx,
  plan: DatabasePlan,
  approved: Approved | undefined,
): Promise<Changed> {
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
    redemptionId === null || kind === 'announce_burn' || kind === 'cancel_burn'
      ? 'The same change is already in progress.'
      : 'The tokens of this redemption have left escrow, or a transaction that takes them out may still land.',
  );
}

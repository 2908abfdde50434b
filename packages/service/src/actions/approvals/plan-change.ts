import { createHash } from 'node:crypto';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import type { AuditAction } from '../../domain/audit.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import { type AppError, notAllowed } from '../../errors.js';
import { type ChangeTx, inChange } from '../change.js';
import type { Changed, Decision, Outcome, Plan } from './plan.js';

/** What an approver of a change sees, and the state that it is approved for. */
export interface ChangeFacts {
  objectId: string;
  /** What the change does, in the fields of the API, and all that is needed to carry it out later. */
  request: Record<string, unknown>;
  before: Record<string, unknown> | null;
  /** JSON of the object as far as it must not change until the approval. */
  state: unknown;
  /** Whether the change moves power: it then needs a second operator if the configuration requires one. */
  takesTwo: boolean;
}

export interface ChangeDraft {
  action: AuditAction;
  objectType: string;
  /** Locks the object, then checks whether the change can be made, and throws why not. */
  describe(tx: Tx): Promise<ChangeFacts>;
  /** Makes the change, and writes it to the audit log as its last statement. */
  apply(change: ChangeTx): Promise<Changed>;
}

/** Plans a change of the database. Throws what `describe` throws. */
export async function planChange(ctx: Context, draft: ChangeDraft): Promise<Plan> {
  const facts = await ctx.db.transaction((tx) => draft.describe(tx));
  return {
    action: draft.action,
    objectType: draft.objectType,
    objectId: facts.objectId,
    request: facts.request,
    before: facts.before,
    objectHash: hashOf(facts.state),
    takesTwo: facts.takesTwo,
    carryOut: (by, decision, settle) =>
      inChange<Outcome>(ctx, by, async (change) => {
        const { tx } = change;
        requireAsPlanned(decision, facts, await draft.describe(tx));
        await decision.take(tx);
        const changed = await draft.apply(change);
        await decision.record(tx);
        const outcome: Outcome = { kind: 'changed', changed };
        await settle(tx, outcome);
        return outcome;
      }),
  };
}

/**
 * Throws `transition_not_allowed` when the object is not the one that was approved, or a change that took one person when
 * it was planned, such as to the present fee, takes two, or a confirmation, by now.
 */
function requireAsPlanned({ objectHash }: Decision, planned: ChangeFacts, now: ChangeFacts): void {
  if (objectHash) {
    if (!Buffer.from(objectHash).equals(hashOf(now.state))) throw hasChanged();
  } else if (now.takesTwo && !planned.takesTwo) {
    throw notAllowed('Somebody else has changed this; check it again.');
  }
}

export function hasChanged(): AppError {
  return notAllowed('This has changed since the approval was requested: reject it and request it again.');
}

/** Returns SHA-256 of a state of an object. */
export function hashOf(state: unknown): Uint8Array {
  return createHash('sha256').update(canonicalJson(state)).digest();
}

import { createHash } from 'node:crypto';
import type { Context } from '../../context.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import type { DatabasePlan } from './plan.js';

/** A change of the database that is to be planned. */
export type ChangeDraft = Pick<DatabasePlan, 'action' | 'objectType' | 'look' | 'describe' | 'apply'>;

/** Plans a change of the database. Throws what `describe` throws. */
export async function planChange(ctx: Context, draft: ChangeDraft): Promise<DatabasePlan> {
  const { state, ...facts } = await ctx.db.transaction((tx) => draft.describe(tx));
  return { in: 'database', ...draft, ...facts, objectHash: hashOf(state) };
}

/** Returns SHA-256 of a state of an object. */
export function hashOf(state: unknown): Uint8Array {
  return createHash('sha256').update(canonicalJson(state)).digest();
}

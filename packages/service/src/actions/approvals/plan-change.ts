import { createHash } from 'node:crypto';
import type { Context } from '../../context.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import type { DatabasePlan, Objects } from './plan.js';

/** Plans a change of the database from what makes it. Throws what `describe` throws. */
export async function planChange<Name extends keyof Objects>(
  ctx: Context,
  draft: Pick<DatabasePlan<Name>, 'action' | 'objectType' | 'look' | 'describe' | 'apply'>,
): Promise<DatabasePlan<Name>> {
  const { state, ...facts } = await ctx.db.transaction((tx) => draft.describe(tx));
  return { in: 'database', ...draft, ...facts, objectHash: hashOf(state) };
}

/** Returns SHA-256 of a state of an object. */
export function hashOf(state: unknown): Uint8Array {
  return createHash('sha256').update(canonicalJson(state)).digest();
}

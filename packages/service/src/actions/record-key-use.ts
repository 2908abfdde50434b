import type { Context } from '../context.js';
import { updateLastUsed } from '../db/api-keys.js';
import { updateTokensLastUsed } from '../db/operator-tokens.js';
import type { Uuid } from '../domain/index.js';

/** Notes when keys were last used, many at once. */
export async function recordKeyUse(ctx: Context, uses: ReadonlyMap<Uuid, Date>): Promise<void> {
  await ctx.db.transaction((tx) => updateLastUsed(tx, uses));
}

/** The same of operators' tokens. */
export async function recordTokenUse(ctx: Context, uses: ReadonlyMap<Uuid, Date>): Promise<void> {
  await ctx.db.transaction((tx) => updateTokensLastUsed(tx, uses));
}

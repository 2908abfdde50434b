import type { Address } from '@solana/kit';
import type { Context } from '../context.js';
import { forgetWalk, keepWalkSteps, reopenWalk, type WalkStep } from '../db/indexer-walks.js';

/** Keeps how far the history of an address was listed back. */
export async function keepHistoryWalk(ctx: Context, steps: WalkStep[]): Promise<void> {
  await ctx.db.transaction((tx) => keepWalkSteps(tx, steps));
}

/** Notes that the history of an address goes on behind what was taken for its end. */
export async function reopenHistoryWalk(ctx: Context, address: Address): Promise<void> {
  await ctx.db.transaction((tx) => reopenWalk(tx, address));
}

/** Forgets how far the history of an address was listed back: it is recorded, or listed again. */
export async function forgetHistoryWalk(ctx: Context, address: Address): Promise<void> {
  await ctx.db.transaction((tx) => forgetWalk(tx, address));
}

import { issueDueStatements, issueRequested } from '../actions/papers/issue-papers.js';
import type { Context } from '../context.js';
import { VaultReader } from './vaults.js';

/** Reads the vaults, and issues the statements of months that are over where this process may sign them. */
export function statementRound(ctx: Context): (signal: AbortSignal) => Promise<void> {
  const vaults = new VaultReader(ctx);
  return async (signal) => {
    await vaults.round(signal);
    if (ctx.reservesSigner) await issueDueStatements(ctx, ctx.reservesSigner);
  };
}

/** Issues the papers that callers requested, where this process may sign them. */
export async function issueRequestedPapers(ctx: Context): Promise<void> {
  if (ctx.reservesSigner) await issueRequested(ctx, ctx.reservesSigner);
}

import { agreed } from '../chain/agreed.js';
import { readEscrow } from '../chain/house-balances.js';
import type { Context } from '../context.js';
import { findEscrowNeed } from '../db/escrow-need.js';
import { AppError } from '../errors.js';

/** Two calls to each node; a response is due within 5 s. */
const withinMs = 4_000;

/**
 * Checks, before gold or tokens leave, that escrow holds at least what open redemptions need: two nodes have to say so,
 * or the only one. Throws `transition_not_allowed` when it holds less or the nodes contradict each other, and
 * `service_unavailable` when they cannot be read.
 */
export async function requireEscrow(ctx: Pick<Context, 'db' | 'chain' | 'log'>): Promise<void> {
  const { witnesses, programAddress } = ctx.chain;
  const signal = AbortSignal.timeout(withinMs);
  let databaseFailure: unknown;
  const holdsEnough = agreed(
    witnesses,
    async (rpc) => {
      const { slot, balance } = await readEscrow({ rpc, programAddress }, signal);
      const need = await findEscrowNeed(ctx.db, slot).catch((error: unknown) => {
        databaseFailure = error;
        throw error;
      });
      return balance >= need;
    },
    signal,
  );
  const enough = await holdsEnough.catch((err: unknown) => {
    // Only the nodes' trouble is reported as theirs.
    if (databaseFailure !== undefined) throw databaseFailure;
    ctx.log.warn({ err }, 'escrow cannot be read');
    throw new AppError(
      'service_unavailable',
      'What escrow holds cannot be read: two Solana nodes have to respond, or the only one that is configured. Try again shortly.',
    );
  });
  if (enough) return;
  throw new AppError(
    'transition_not_allowed',
    'Escrow holds less GOLD than open redemptions need, or the Solana nodes contradict each other about it. Nothing leaves until that is resolved.',
  );
}

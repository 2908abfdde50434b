import type { Redemption } from '@karat/program-client';
import type { Account } from '@solana/kit';
import { agreed } from '../../chain/node/agreed.js';
import { responseOf } from '../../chain/node/landing.js';
import { readOpenRedemption } from '../../chain/program/open-redemption.js';
import type { Context } from '../../context.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { redemptionFromBytes, uuidFromBytes } from '../../domain/ids.js';
import { type AppError, notAllowed, unavailable } from '../../errors.js';

/** A response is due within 5 s. */
const withinMs = 4_000;

/**
 * Returns the account of a redemption, which the program keeps until its tokens leave escrow. Throws
 * `transition_not_allowed` when there is none, or one that differs from the record, and `service_unavailable` when the node
 * is silent.
 */
export async function getOpenRedemption(
  ctx: Pick<Context, 'chain'>,
  redemption: VisibleRedemption,
): Promise<Account<Redemption>> {
  const open = await responseOf(readOpenRedemption(ctx.chain, redemption.id, AbortSignal.timeout(withinMs)));
  if (!open) {
    throw notAllowed('The tokens of this redemption are no longer in escrow: they were refunded or burned.');
  }
  if (!isSame(redemption, open.data)) throw differs();
  return open;
}

/**
 * Checks, before gold is prepared, refunded or burned, that the program keeps the tokens of a redemption in escrow: two nodes
 * have to say so, or the only one. Throws `transition_not_allowed` if one disagrees, and `service_unavailable` if they cannot be read.
 */
export async function requireOpenRedemption(
  ctx: Pick<Context, 'chain' | 'log'>,
  redemption: VisibleRedemption,
): Promise<void> {
  const { witnesses, programAddress } = ctx.chain;
  const signal = AbortSignal.timeout(withinMs);
  const isOpen = await agreed(
    witnesses,
    async (rpc) => {
      const open = await readOpenRedemption({ rpc, programAddress }, redemption.id, signal);
      return open !== undefined && isSame(redemption, open.data);
    },
    signal,
  ).catch((err: unknown) => {
    ctx.log.warn({ err }, 'a redemption cannot be read from the chain');
    throw unavailable(
      'The balance of escrow cannot be read: two Solana nodes must respond, or the only one that is configured. Try again shortly.',
    );
  });
  if (!isOpen) throw differs();
}

function isSame(redemption: VisibleRedemption, open: Redemption): boolean {
  return (
    redemptionFromBytes(open.id) === redemption.id &&
    uuidFromBytes(open.partnerId) === redemption.partnerId &&
    open.user === redemption.userWallet &&
    open.amount === redemption.tokensRequired
  );
}

function differs(): AppError {
  return notAllowed(
    'The tokens of this redemption are not in escrow as recorded, or the Solana nodes disagree about it. No tokens leave escrow until that is resolved.',
  );
}

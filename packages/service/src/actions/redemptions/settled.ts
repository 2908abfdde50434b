import type { Db, Tx } from '../../db/client.js';
import { findSettlement, type Settlement } from '../../db/redemptions/settlements.js';
import type { RedemptionId } from '../../domain/ids.js';
import { isEndedBy, type OperatorAction } from '../../domain/redemption.js';
import { notAllowed } from '../../errors.js';

/** Returns whether the tokens have left escrow or may still do so. */
export function isUnderWay(settlement: Settlement | undefined): settlement is Settlement {
  return settlement?.status === 'pending' || settlement?.status === 'confirmed';
}

/** Returns how far a settlement is, to follow `This redemption`. */
export function stateOfSettlement({ status, kind }: Settlement): string {
  const state = status === 'confirmed' ? 'has already been' : 'is already being';
  return `${state} ${kind === 'refund' ? 'refunded' : 'burned'}`;
}

/**
 * Throws `transition_not_allowed`, naming the settlement, when an action would hand out gold, or lead to that, for tokens
 * that have left escrow or may still do so. In a transaction that holds until its end if the redemption is locked: a
 * settlement is noted in its row. Returns the settlement that does not stand in the way, if there is one.
 */
export async function requireTokensFor(
  tx: Db | Tx,
  id: RedemptionId,
  action: OperatorAction | 'collect_by_code',
): Promise<Settlement | undefined> {
  const settlement = await findSettlement(tx, id);
  if (!isUnderWay(settlement)) return undefined;
  const { kind } = settlement;
  if (!isEndedBy(kind, action)) return settlement;
  const rest =
    kind === 'burn' && action === 'collect_by_code'
      ? 'it can only be collected without a code.'
      : 'no gold can be handed out for it.';
  throw notAllowed(`This redemption ${stateOfSettlement(settlement)}: ${rest}`);
}

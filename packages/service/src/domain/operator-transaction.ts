import { moveOf, type Transitions } from './transitions.js';

/**
 * A transaction by which operators move value or power: `pending` until the chain has it or can no longer take it.
 * `failed` and `expired` are recorded from the finalized chain, and are ends: it may be made again.
 */
export const operatorTransactionStatuses = ['pending', 'confirmed', 'failed', 'expired'] as const;
export type OperatorTransactionStatus = (typeof operatorTransactionStatuses)[number];

/** What the chain can do with it. `revert`: it dropped what it had executed, and can no longer take it. */
export type OperatorTransactionEvent = 'execute' | 'fail' | 'expire' | 'revert';

const transitions: Transitions<OperatorTransactionStatus, OperatorTransactionEvent> = {
  pending: { execute: 'confirmed', fail: 'failed', expire: 'expired' },
  confirmed: { revert: 'expired' },
  failed: {},
  expired: {},
};

/** Returns the statuses that an event leads out of, and the one that it leads to. */
export const operatorTransactionMove = (event: OperatorTransactionEvent) => moveOf(transitions, event);

/** Returns whether nothing can happen to it any more. */
export function hasEnded(status: OperatorTransactionStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}

/** Statuses in which it has done its work or may still do it: there must be no other one for the same redemption. */
export const effectiveStatuses = [
  'pending',
  'confirmed',
] as const satisfies readonly OperatorTransactionStatus[];

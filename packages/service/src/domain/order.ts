import { moveOf, type Transitions } from './transitions.js';

/** What a partner does with its vault, or with who may act for it. */
export const orderKinds = ['purchase', 'sale', 'withdrawal', 'executive_update'] as const;
export type OrderKind = (typeof orderKinds)[number];

/** Executive authorities of a partner, and the places in each list of them that the program takes. */
export const maxExecutives = 8;

/**
 * `pending_signature` until the chain has the transaction or can no longer take it. Moved by the indexer alone, however
 * the transaction reached the chain. `failed` and `expired` are recorded from the finalized chain, and are ends.
 */
export const orderStatuses = ['pending_signature', 'confirmed', 'failed', 'expired'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** What the chain can do with an order. `revert`: it dropped what it had executed, and may still take it. */
export type OrderEvent = 'execute' | 'fail' | 'expire' | 'revert';

const transitions: Transitions<OrderStatus, OrderEvent> = {
  pending_signature: { execute: 'confirmed', fail: 'failed', expire: 'expired' },
  confirmed: { revert: 'pending_signature' },
  failed: {},
  expired: {},
};

/** Returns the statuses that an event leads out of, and the one that it leads to. */
export const orderMove = (event: OrderEvent) => moveOf(transitions, event);

export const vaultTokens = ['gold', 'usdc'] as const;
export type VaultToken = (typeof vaultTokens)[number];

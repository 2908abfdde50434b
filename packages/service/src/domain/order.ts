/** What a partner does with its vault, or with who may act for it. */
export const orderKinds = ['purchase', 'sale', 'withdrawal', 'executive_update'] as const;
export type OrderKind = (typeof orderKinds)[number];

/**
 * `pending_signature` until the chain has the transaction or can no longer take it. Moved by the indexer alone, however
 * the transaction reached the chain.
 */
export const orderStatuses = ['pending_signature', 'confirmed', 'failed', 'expired'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const vaultTokens = ['gold', 'usdc'] as const;
export type VaultToken = (typeof vaultTokens)[number];

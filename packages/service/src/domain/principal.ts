import type { Uuid } from './ids.js';
import type { WalletAddress } from './solana.js';

/** Who makes a request to the partner API: an active key of an active partner, or a member of a partner in a session. */
export type Principal = { partnerId: Uuid } & ({ keyId: Uuid } | { memberId: Uuid });

/** Returns who made a request, as histories have it. */
export const actorOf = (principal: Principal) =>
  'keyId' in principal ? (`key:${principal.keyId}` as const) : (`member:${principal.memberId}` as const);

/** What a key of the tradebook API may do, by the roles that its wallet has on chain. */
export const tradebookScopes = [
  'PARTNER_EXECUTIVE_AUTHORITY',
  'PARTNER_UPDATE_AUTHORITY',
  'PARTNER_WITHDRAWAL_AUTHORITY',
  'ADMIN',
] as const;
export type TradebookScope = (typeof tradebookScopes)[number];

/** Who makes a request to the tradebook API: an active key of an active partner, or of the program's admin. */
export interface TradebookCaller {
  keyId: Uuid;
  /** Null for the admin, who acts for no partner. */
  partnerId: Uuid | null;
  walletAddress: WalletAddress;
  /** Those that the key was minted with and the wallet still has on chain; at least one. */
  scopes: TradebookScope[];
}

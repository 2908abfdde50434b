import type { Uuid } from './ids.js';
import type { Person } from './person.js';
import type { WalletAddress } from './solana.js';

/** What a member of a partner may do; docs/portal.md has the table. */
export const memberRoles = ['owner', 'developer', 'finance', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Someone who acts for a partner in its portal. */
export interface Member extends Person {
  kind: 'member';
  partnerId: Uuid;
  partnerStatus: 'active' | 'suspended';
  role: MemberRole;
  /** That of an owner who signs in with a wallet of the partner, and has no email. */
  walletAddress: WalletAddress | null;
}

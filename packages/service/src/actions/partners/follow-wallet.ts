import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import {
  findWalletHolder,
  insertPartnerWallet,
  markWalletRevoked,
} from '../../db/partners/partner-wallets.js';
import { findPartner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';
import type { WalletAddress } from '../../domain/solana.js';

/** A partner's wallet on chain that another replaced. */
export interface WalletChange {
  partnerId: Uuid;
  before: WalletAddress;
  after: WalletAddress;
}

/**
 * Does to the registered wallets of a partner what the chain did to its wallet: the new one is active, the old one revoked,
 * so that a thief of it gets no key. A wallet that is revoked, or another partner's, stays so, and is logged: the
 * partner then gets no quotes until it hands over to a new one. Doing it again changes nothing. The chain is the record of
 * it, so the audit log has no row.
 */
export async function followWallet(ctx: Context, tx: Tx, change: WalletChange, at: Date): Promise<void> {
  const { partnerId, before, after } = change;
  if (!(await findPartner(tx, partnerId))) return;
  const wallet = {
    partnerId,
    walletAddress: after,
    status: 'active' as const,
    createdAt: at,
    revokedAt: null,
  };
  if (!(await insertPartnerWallet(tx, wallet))) {
    const holder = await findWalletHolder(tx, after);
    if (holder?.partnerId !== partnerId || holder.status !== 'active') {
      const known = { partner: holder?.partnerId, status: holder?.status };
      ctx.log.error({ ...change, known }, 'a partner has a wallet on chain that it may not have');
    }
  }
  await markWalletRevoked(tx, { partnerId, walletAddress: before }, at);
}

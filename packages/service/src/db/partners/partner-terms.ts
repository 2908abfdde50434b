import type { Address, WalletAddress } from '../../domain/solana.js';
import type { Partner } from './partners.js';

/** A partner and what it trades by, as the database has it and as this process last read it on chain. */
export interface PartnerTerms {
  partner: Partner;
  /** `suspended` if the partner is suspended in the database or on chain: both stop trades. */
  status: Partner['status'];
  /** Active ones, in the order of their registration. */
  wallets: WalletAddress[];
  /** Undefined for a partner that is not set up on chain. */
  integrator: { address: Address; openFeeBps: number; closedFeeBps: number } | undefined;
  /** Base units of USDC; undefined for no limit, and while the program's configuration is not known. */
  maxTradeUsdc: bigint | undefined;
  requestsPerMinute: number;
}

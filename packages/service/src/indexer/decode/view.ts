import type { Config } from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { Uuid } from '../../domain/ids.js';

/** Mints and treasury token accounts, as the program's configuration names them; redemptions are paid into `escrowGold`. */
export type TreasuryAccounts = Pick<
  Config,
  'usdcMint' | 'goldMint' | 'treasuryUsdc' | 'treasuryGold' | 'feeUsdc' | 'escrowGold'
>;

/** What decoding needs in addition to the transaction. */
export interface DecodeView {
  programAddress: Address;
  /** Keys whose memos are believed in a transaction of that slot: the service signers that the program had then. */
  trustedSigners(slot: bigint): ReadonlySet<Address>;
  /** Undefined while the program's configuration was never read. */
  treasury: TreasuryAccounts | undefined;
  /** Address of a partner's integrator account. */
  integratorOf(partnerId: Uuid): Promise<Address>;
}

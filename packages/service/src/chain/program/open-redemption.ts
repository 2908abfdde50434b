import { fetchMaybeRedemption, findRedemptionPda, type Redemption } from '@karat/program-client';
import type { Account } from '@solana/kit';
import { type RedemptionId, redemptionBytes } from '../../domain/ids.js';
import type { Chain } from '../chain.js';

/**
 * Reads the account of a redemption, which the program keeps from the payment to the settlement; undefined before and
 * after. Rejects when the node fails.
 */
export async function readOpenRedemption(
  { rpc, programAddress }: Pick<Chain, 'rpc' | 'programAddress'>,
  id: RedemptionId,
  abortSignal: AbortSignal,
): Promise<Account<Redemption> | undefined> {
  const [address] = await findRedemptionPda({ id: redemptionBytes(id) }, { programAddress });
  const account = await fetchMaybeRedemption(rpc, address, { commitment: 'confirmed', abortSignal });
  return account.exists && account.programAddress === programAddress ? account : undefined;
}

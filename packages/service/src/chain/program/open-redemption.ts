import { findRedemptionPda, getRedemptionDecoder, type Redemption } from '@karat/program-client';
import { type Address, fetchEncodedAccount } from '@solana/kit';
import { type RedemptionId, redemptionBytes } from '../../domain/ids.js';
import type { Chain } from '../chain.js';
import { agreedAccount, type Nodes } from '../node/agreed.js';

/** The account of a redemption, which the program keeps from the payment to the settlement. */
export interface OpenRedemption {
  address: Address;
  data: Redemption;
}

/**
 * Reads the account of a redemption as all nodes have it at `finalized`; undefined before the payment and after the
 * settlement. Throws as `agreedAccounts` does.
 */
export async function readOpenRedemption(
  chain: Nodes & Pick<Chain, 'programAddress'>,
  id: RedemptionId,
  signal: AbortSignal,
): Promise<OpenRedemption | undefined> {
  const { programAddress } = chain;
  const address = await addressOf(programAddress, id);
  const account = await agreedAccount(chain, address, signal);
  if (account?.owner !== programAddress) return undefined;
  return { address, data: getRedemptionDecoder().decode(account.data) };
}

/**
 * Returns whether one node has the account at `confirmed`, where a settlement shows that is not final yet; true also when the
 * node does not respond.
 */
export async function isStillOpen(
  { rpc, programAddress }: Pick<Chain, 'rpc' | 'programAddress'>,
  id: RedemptionId,
): Promise<boolean> {
  const address = await addressOf(programAddress, id);
  const account = await fetchEncodedAccount(rpc, address, { commitment: 'confirmed' }).catch(() => undefined);
  return account?.exists ?? true;
}

/** Returns the address of the account that a redemption has while it is open. */
export async function addressOf(programAddress: Address, id: RedemptionId): Promise<Address> {
  return (await findRedemptionPda({ id: redemptionBytes(id) }, { programAddress }))[0];
}

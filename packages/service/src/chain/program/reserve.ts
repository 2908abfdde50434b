import { type Config, findReservePda, getReserveDecoder, type Reserve } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { getMintDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Chain } from '../chain.js';
import { agreedAccounts, type NodeAccount, type Nodes } from '../node/agreed.js';
import { clockAddress, secondsOf } from './chain-clock.js';

/** How much GOLD there is, and how much of it is attested; read together. */
export interface GoldStanding {
  /** Base units of GOLD, all holders together. */
  supply: bigint;
  /** The last attestation; undefined before the first. */
  attestation: Reserve | undefined;
}

/** Reads supply and attestation as all nodes have them at `finalized`. Throws as `agreedAccounts` does. */
export async function readGoldStanding(
  chain: Nodes & Pick<Chain, 'programAddress'>,
  { goldMint }: Pick<Config, 'goldMint'>,
  signal: AbortSignal,
): Promise<GoldStanding> {
  const [mint, reserve] = await agreedAccounts(chain, [goldMint, await reserveAddressOf(chain)], signal);
  return { supply: supplyOf(mint), attestation: attestationOf(reserve, chain.programAddress) };
}

/**
 * Reads the chain's clock at commitment `confirmed`, unix seconds. Its bytes are others in every slot, so nodes never agree on
 * them. Rejects when the node fails.
 */
export async function readChainSeconds(
  { rpc }: Pick<Chain, 'rpc'>,
  abortSignal?: AbortSignal,
): Promise<bigint> {
  const { value: clock } = await rpc
    .getAccountInfo(clockAddress, { commitment: 'confirmed', encoding: 'base64' })
    .send(abortSignal && { abortSignal });
  if (!clock) throw new Error('the node has no clock');
  return secondsOf(clock);
}

/** Returns base units of GOLD; 0 for what is no mint. */
export function supplyOf(mint: NodeAccount | undefined): bigint {
  return mint?.owner === TOKEN_PROGRAM_ADDRESS ? getMintDecoder().decode(mint.data).supply : 0n;
}

/** Returns the attestation in the program's account; undefined when the program has not made it yet. */
export function attestationOf(
  account: NodeAccount | undefined,
  programAddress: Address,
): Reserve | undefined {
  return account?.owner === programAddress ? getReserveDecoder().decode(account.data) : undefined;
}

/** Returns the one account of attestations. */
export async function reserveAddressOf({ programAddress }: Pick<Chain, 'programAddress'>): Promise<Address> {
  return (await findReservePda({ programAddress }))[0];
}

import { type Attestation, type Config, findConfigPda, getConfigDecoder } from '@karat/program-client';
import type { Chain } from '../chain.js';
import { agreedAccounts, type Nodes } from '../node/agreed.js';
import { clockAddress, secondsOf } from './chain-clock.js';
import { supplyOf } from './token-accounts.js';

/** How much GOLD there is, and how much of it is attested; read together. */
export interface GoldStanding {
  /** Base units of GOLD, all holders together. */
  supply: bigint;
  /** Base units of GOLD burned so far. */
  burnedTotal: bigint;
  /** The last attestation; undefined before the first. */
  attestation: Attestation | undefined;
}

/** Reads supply and attestation as all nodes have them at `finalized`. Throws as `agreedAccounts` does. */
export async function readGoldStanding(
  chain: Nodes & Pick<Chain, 'programAddress'>,
  { goldMint }: Pick<Config, 'goldMint'>,
  signal: AbortSignal,
): Promise<GoldStanding> {
  const { programAddress } = chain;
  const [address] = await findConfigPda({ programAddress });
  const [mint, account] = await agreedAccounts(chain, [goldMint, address], signal);
  if (account?.owner !== programAddress)
    return { supply: supplyOf(mint), burnedTotal: 0n, attestation: undefined };
  const config = getConfigDecoder().decode(account.data);
  return { supply: supplyOf(mint), burnedTotal: config.burnedTotal, attestation: attestationOf(config) };
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

/** Returns the last attestation; undefined before the first. */
export function attestationOf({ attestation }: Pick<Config, 'attestation'>): Attestation | undefined {
  return attestation.asOf === 0n ? undefined : attestation;
}

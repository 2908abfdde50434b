import { attestedLessBurns } from '../attestation.js';
import type { ChainReserves } from './statement.js';

/** What of the chain says whether GOLD is backed, at one finalized slot. Base units. */
export type ChainBacking = Pick<
  ChainReserves,
  'slot' | 'supply' | 'burned' | 'escrowOpen' | 'attestation' | 'maxAttestationAgeSeconds'
>;

/** Gold against tokens at a moment. Base units of GOLD. */
export interface Backing extends ChainBacking {
  at: Date;
  /** The bars in the vaults, and the fine gold in them. */
  bars: { count: number; gold: bigint };
  /** GOLD of redemptions whose bars were handed over, which escrow holds until it is burned. */
  awaitingBurn: bigint;
  /** What was burned since the attestor counted. */
  burnedSince: bigint;
  /** So much GOLD may exist by the attestation, less what was burned since. */
  backed: bigint;
  /** What may be minted on the attestation; negative: more exists than it covers. */
  attestedSurplus: bigint;
  /** What the bars hold beyond the tokens that have not had their gold; negative: the bars do not cover them. */
  barsSurplus: bigint;
  /** Since the attestor counted; undefined before the first attestation. */
  attestationAgeSeconds: number | undefined;
  /** Whether the program refuses to give out GOLD because of the attestation's age. */
  attestationStale: boolean;
  /** Whether attestation and bars both cover the tokens. */
  covered: boolean;
}

/** Compares what exists with what is attested and with the bars in the vaults. */
export function compareBacking(
  chain: ChainBacking,
  { at, bars, awaitingBurn }: Pick<Backing, 'at' | 'bars' | 'awaitingBurn'>,
): Backing {
  const { supply, burned, attestation } = chain;
  const backed = attestation ? attestedLessBurns(attestation, burned) : 0n;
  const ageMs = attestation && Math.max(0, at.getTime() - attestation.asOf.getTime());
  const attestationAgeSeconds = ageMs === undefined ? undefined : Math.floor(ageMs / 1_000);
  const isOld = attestationAgeSeconds === undefined || attestationAgeSeconds > chain.maxAttestationAgeSeconds;
  const attestedSurplus = backed - supply;
  const barsSurplus = bars.gold - (supply - awaitingBurn);
  // Before the first token there is nothing to cover.
  const attestationStale = isOld && supply > 0n;
  return {
    ...chain,
    at,
    bars,
    awaitingBurn,
    burnedSince: attestation ? burned - attestation.burnedAtAsOf : 0n,
    backed,
    attestedSurplus,
    barsSurplus,
    attestationAgeSeconds,
    attestationStale,
    covered: attestedSurplus >= 0n && barsSurplus >= 0n && !attestationStale,
  };
}

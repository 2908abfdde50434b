import { isDeepStrictEqual } from 'node:util';
import { type Attestation, type Config, findConfigPda } from '@karat/program-client';
import { token2022Program } from '@karat/signer';
import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { toInteger } from '../../domain/integer.js';
import type { ChainBacking } from '../../domain/reserves/backing.js';
import type { ChainAttestation, ChainReserves } from '../../domain/reserves/statement.js';
import { momentOf } from '../../domain/timestamp.js';
import type { Chain } from '../chain.js';
import { readOfEach, toNodeAccount } from '../node/agreed.js';
import { readNamed } from './program-snapshot.js';
import { attestationOf } from './reserve.js';
import { supplyOf, tokenAmountOf } from './token-accounts.js';

type ReserveChain = Pick<Chain, 'witnesses' | 'programAddress'>;

/**
 * Reads what a statement of the reserves says of the chain, at one finalized slot that is not before `from`. All nodes that
 * respond have to agree on everything but the slot, and at least two where so many are configured. Rejects when they do not,
 * or fail, and when mint, treasury or escrow is missing.
 */
export async function readReserves(
  chain: ReserveChain,
  from: number,
  signal: AbortSignal,
): Promise<ChainReserves> {
  const reported = await readOfEach(
    chain,
    (node) => readFrom(node, { chain, from, abortSignal: signal }),
    signal,
  );
  const [first, ...others] = reported.map(({ value }) => value);
  if (!first || others.some((other) => !isDeepStrictEqual({ ...other, slot: first.slot }, first)))
    throw new Error('the Solana nodes do not agree on the reserves');
  return first;
}

/** Reads what of the chain says whether GOLD is backed, at one finalized slot, from one node. Rejects when it fails, and when there is no mint. */
export async function readBackingOfChain(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  abortSignal: AbortSignal,
): Promise<ChainBacking> {
  const { slot, config, accounts } = await readNamed(chain, ({ goldMint }) => [goldMint], abortSignal, {
    commitment: 'finalized',
  });
  const [mint] = accounts;
  if (mint?.owner !== token2022Program) throw new Error('the node has no GOLD mint');
  return { slot: toInteger(slot), supply: supplyOf(toNodeAccount(mint)), ...backingOf(config) };
}

interface Reading {
  chain: ReserveChain;
  from: number;
  abortSignal: AbortSignal;
}

async function readFrom(
  node: Rpc<SolanaRpcApi>,
  { chain, from, abortSignal }: Reading,
): Promise<ChainReserves> {
  const { programAddress } = chain;
  const [address] = await findConfigPda({ programAddress });
  const genesisHash = await node.getGenesisHash().send({ abortSignal });
  const { slot, config, accounts } = await readNamed(
    { rpc: node, programAddress },
    ({ goldMint, treasuryGold, escrowGold }) => [goldMint, treasuryGold, escrowGold],
    abortSignal,
    { commitment: 'finalized', minSlot: BigInt(from) },
  );
  const [mint, treasury, escrow] = accounts;
  const [inTreasury, inEscrow] = [tokenAmountOf(treasury), tokenAmountOf(escrow)];
  if (mint?.owner !== token2022Program || inTreasury === undefined || inEscrow === undefined)
    throw new Error('the node has no GOLD mint, treasury or escrow');
  return {
    slot: toInteger(slot),
    genesisHash,
    programId: programAddress,
    goldMint: config.goldMint,
    mintAuthority: config.treasuryAuthority,
    accounts: { config: address, escrow: config.escrowGold, treasury: config.treasuryGold },
    supply: supplyOf(toNodeAccount(mint)),
    treasury: inTreasury,
    escrow: inEscrow,
    ...backingOf(config),
  };
}

function backingOf(config: Config): Omit<ChainBacking, 'slot' | 'supply'> {
  return {
    escrowOpen: config.escrowOpen,
    burned: config.burnedTotal,
    attestation: toChainAttestation(attestationOf(config)),
    maxAttestationAgeSeconds: config.settings.maxAttestationAge,
  };
}

function toChainAttestation(attestation: Attestation | undefined): ChainAttestation | undefined {
  if (!attestation) return undefined;
  const { amount, asOf, burnedAtAsOf, reportHash } = attestation;
  return { amount, burnedAtAsOf, asOf: momentOf(asOf), reportHash: Buffer.from(reportHash).toString('hex') };
}

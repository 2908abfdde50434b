import { isDeepStrictEqual } from 'node:util';
import { findConfigPda } from '@karat/program-client';
import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { toInteger } from '../../domain/integer.js';
import type { ChainReserves } from '../../domain/reserves/statement.js';
import { momentOf } from '../../domain/timestamp.js';
import type { Chain } from '../chain.js';
import { readOfEach, toNodeAccount } from '../node/agreed.js';
import { readNamed } from './program-snapshot.js';
import { attestationOf, reserveAddressOf, supplyOf } from './reserve.js';
import { tokenAmountOf } from './wallet.js';

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
  const reserve = await reserveAddressOf(chain);
  const [address] = await findConfigPda({ programAddress });
  const genesisHash = await node.getGenesisHash().send({ abortSignal });
  const { slot, config, accounts } = await readNamed(
    { rpc: node, programAddress },
    ({ goldMint, treasuryGold, escrowGold }) => [goldMint, treasuryGold, escrowGold, reserve],
    abortSignal,
    { commitment: 'finalized', minSlot: BigInt(from) },
  );
  const [mint, treasury, escrow, attested] = accounts;
  const [inTreasury, inEscrow] = [tokenAmountOf(treasury), tokenAmountOf(escrow)];
  if (mint?.owner !== TOKEN_PROGRAM_ADDRESS || inTreasury === undefined || inEscrow === undefined)
    throw new Error('the node has no GOLD mint, treasury or escrow');
  const attestation = attestationOf(toNodeAccount(attested), programAddress);
  return {
    slot: toInteger(slot),
    genesisHash,
    programId: programAddress,
    goldMint: config.goldMint,
    mintAuthority: config.treasuryAuthority,
    accounts: { config: address, escrow: config.escrowGold, reserve, treasury: config.treasuryGold },
    supply: supplyOf(toNodeAccount(mint)),
    treasury: inTreasury,
    escrow: inEscrow,
    escrowOpen: config.escrowOpen,
    attested: attestation?.attested ?? 0n,
    attestedAsOf: attestation && momentOf(attestation.asOf),
    reportHash: attestation && Buffer.from(attestation.reportHash).toString('hex'),
  };
}

import { isDeepStrictEqual } from 'node:util';
import { findConfigPda, getConfigDecoder } from '@karat/program-client';
import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { toInteger } from '../../domain/integer.js';
import type { ChainReserves } from '../../domain/reserves/statement.js';
import { momentOf } from '../../domain/timestamp.js';
import type { Chain } from '../chain.js';
import { readOfEach, toNodeAccount } from '../node/agreed.js';
import { asOf } from '../node/as-of.js';
import { NoConfigError } from './keeper-view.js';
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
  const said = await readOfEach(
    chain,
    (node) => readFrom(node, { chain, from, abortSignal: signal }),
    signal,
  );
  const [first, ...others] = said.map(({ value }) => value);
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
  const options = { commitment: 'finalized', encoding: 'base64' } as const;
  const [config] = await findConfigPda({ programAddress: chain.programAddress });
  const reserve = await reserveAddressOf(chain);
  const genesisHash = await node.getGenesisHash().send({ abortSignal });
  const { value: first } = await node.getAccountInfo(config, options).send({ abortSignal });
  if (first?.owner !== chain.programAddress) throw new NoConfigError();
  const { goldMint, treasuryGold, escrowGold, treasuryAuthority } = decode(first.data[0]);
  const accounts = [config, goldMint, treasuryGold, escrowGold, reserve];
  const { context, value } = await asOf(BigInt(from), (least) =>
    node.getMultipleAccounts(accounts, { ...options, ...least }).send({ abortSignal }),
  );
  const [settings, mint, treasury, escrow, attested] = value;
  if (settings?.owner !== chain.programAddress) throw new NoConfigError();
  const [inTreasury, inEscrow] = [tokenAmountOf(treasury), tokenAmountOf(escrow)];
  if (mint?.owner !== TOKEN_PROGRAM_ADDRESS || inTreasury === undefined || inEscrow === undefined)
    throw new Error('the node has no GOLD mint, treasury or escrow');
  const attestation = attestationOf(toNodeAccount(attested), chain.programAddress);
  return {
    slot: toInteger(context.slot),
    genesisHash,
    programId: chain.programAddress,
    goldMint,
    mintAuthority: treasuryAuthority,
    accounts: { config, escrow: escrowGold, reserve, treasury: treasuryGold },
    supply: supplyOf(toNodeAccount(mint)),
    treasury: inTreasury,
    escrow: inEscrow,
    escrowOpen: decode(settings.data[0]).escrowOpen,
    attested: attestation?.attested ?? 0n,
    attestedAsOf: attestation && momentOf(attestation.asOf),
    reportHash: attestation && Buffer.from(attestation.reportHash).toString('hex'),
  };
}

const decode = (data: string) => getConfigDecoder().decode(Buffer.from(data, 'base64'));

import { type Config, decodeReserve, findReservePda, type Reserve } from '@karat/program-client';
import { type Address, address, parseBase64RpcAccount } from '@solana/kit';
import { getMintDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Chain } from '../chain.js';

/** How much GOLD there is, and how much of it is attested; read together. */
export interface GoldStanding {
  /** Base units of GOLD, all holders together. */
  supply: bigint;
  /** The last attestation; undefined before the first. */
  attestation: Reserve | undefined;
  /** The chain's clock, unix seconds. */
  nowSeconds: bigint;
}

const clockAddress = address('SysvarC1ock11111111111111111111111111111111');
/** Slot, start of the epoch, epoch, leader schedule's epoch; then unix seconds i64. */
const clockTimestampOffset = 32;

/** Reads supply and attestation from the node now, at commitment `confirmed`. Rejects when the node fails. */
export async function readGoldStanding(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  { goldMint }: Pick<Config, 'goldMint'>,
  abortSignal?: AbortSignal,
): Promise<GoldStanding> {
  const reserveAddress = await reserveAddressOf(chain);
  const { value } = await chain.rpc
    .getMultipleAccounts([goldMint, reserveAddress, clockAddress], {
      commitment: 'confirmed',
      encoding: 'base64',
    })
    .send(abortSignal && { abortSignal });
  const [mint, reserve, clock] = value;
  if (!clock) throw new Error('the node has no clock');
  return {
    supply: supplyOf(mint),
    attestation: attestationOf(reserveAddress, reserve, chain.programAddress),
    nowSeconds: Buffer.from(clock.data[0], 'base64').readBigInt64LE(clockTimestampOffset),
  };
}

type Account = Parameters<typeof parseBase64RpcAccount>[1];

/** Returns base units of GOLD; 0 for what is no mint. */
export function supplyOf(mint: Account | undefined): bigint {
  if (mint?.owner !== TOKEN_PROGRAM_ADDRESS) return 0n;
  return getMintDecoder().decode(Buffer.from(mint.data[0], 'base64')).supply;
}

/** Returns the attestation in the account at `reserveAddress`; undefined when the program has not made it yet. */
export function attestationOf(
  reserveAddress: Address,
  account: Account | undefined,
  programAddress: Address,
): Reserve | undefined {
  if (account?.owner !== programAddress) return undefined;
  return decodeReserve(parseBase64RpcAccount(reserveAddress, account)).data;
}

/** Returns the one account of attestations. */
export async function reserveAddressOf({ programAddress }: Pick<Chain, 'programAddress'>): Promise<Address> {
  return (await findReservePda({ programAddress }))[0];
}

import { token2022Program } from '@karat/signer';
import type { Address, Base64EncodedDataResponse, TransactionSigner } from '@solana/kit';
import {
  AccountState,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintDecoder,
  getTokenDecoder,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
  type Token as TokenAccount,
} from '@solana-program/token';
import sodium from 'sodium-native';
import { addressOf, addressToBytes } from '../../domain/solana.js';

/** A mint and the token program that keeps its accounts: their associated addresses depend on both. */
export interface Token {
  mint: Address;
  program: Address;
}

export function goldOf({ goldMint }: { goldMint: Address }): Token {
  return { mint: goldMint, program: token2022Program };
}

export function usdcOf({ usdcMint }: { usdcMint: Address }): Token {
  return { mint: usdcMint, program: TOKEN_PROGRAM_ADDRESS };
}

/** Returns the token of a mint, which is that of GOLD or one of SPL Token. */
export function tokenOf(mint: Address, config: { goldMint: Address }): Token {
  return mint === config.goldMint ? goldOf(config) : usdcOf({ usdcMint: mint });
}

/**
 * Returns the associated token account of an owner: the SHA-256 of owner, token program, mint, a bump, the program of associated
 * token accounts and a marker, with the highest bump for which that is no point of Ed25519. `findAssociatedTokenPda` of
 * @solana-program/token gives the same, and takes 14 times as long, most of it for whether it is a point.
 */
export function tokenAccountOf(owner: Address, { mint, program }: Token): Address {
  const seeds = Buffer.concat([
    addressToBytes(owner),
    addressToBytes(program),
    addressToBytes(mint),
    Buffer.alloc(1),
    associatedTokenProgramBytes,
    derivedAddressMarker,
  ]);
  const hash = Buffer.alloc(sodium.crypto_hash_sha256_BYTES);
  for (let bump = 255; bump >= 0; bump -= 1) {
    seeds[bumpOffset] = bump;
    sodium.crypto_hash_sha256(hash, seeds);
    if (!isPoint(hash)) return addressOf(hash);
  }
  throw new Error(`${owner} has no token account of ${mint}`);
}

const associatedTokenProgramBytes = addressToBytes(ASSOCIATED_TOKEN_PROGRAM_ADDRESS);
const derivedAddressMarker = Buffer.from('ProgramDerivedAddress');
const bumpOffset = 96;

/** The base point of Ed25519. */
const basePoint = Buffer.from(`58${'66'.repeat(31)}`, 'hex');
const sum = Buffer.alloc(sodium.crypto_core_ed25519_BYTES);

/** Returns whether 32 bytes are a point of Ed25519, of whichever order: to those alone libsodium adds another one. */
function isPoint(bytes: Buffer): boolean {
  try {
    sodium.crypto_core_ed25519_add(sum, bytes, basePoint);
    return true;
  } catch {
    return false;
  }
}

/** Makes the associated token account of an owner, unless it exists. */
export function createTokenAccount(payer: TransactionSigner, owner: Address, token: Token) {
  return createTokenAccountAt(tokenAccountOf(owner, token), payer, owner, token);
}

/** The same where `ata`, the address, is known already. */
export function createTokenAccountAt(
  ata: Address,
  payer: TransactionSigner,
  owner: Address,
  { mint, program }: Token,
) {
  return getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint, tokenProgram: program });
}

/** What accounts of Token-2022 hold behind those of SPL Token: their kind, at this offset, then extensions. */
const kindOffset = getTokenSize();
const tokenAccountKind = 2;

/** Returns whether a program is one of the two that keep tokens. */
export function isTokenProgram(program: Address): boolean {
  return program === TOKEN_PROGRAM_ADDRESS || program === token2022Program;
}

/** Returns whether bytes that a token program owns are those of a token account, and not those of a mint. */
function isTokenAccount(program: Address, data: Uint8Array): boolean {
  if (!isTokenProgram(program)) return false;
  if (data.length === getTokenSize()) return true;
  return program === token2022Program && data[kindOffset] === tokenAccountKind;
}

/** Returns what a token account is; undefined for an account of another kind. */
export function decodeTokenAccount(program: Address, data: Uint8Array): TokenAccount | undefined {
  if (!isTokenAccount(program, data)) return undefined;
  const account = getTokenDecoder().decode(data);
  return account.state === AccountState.Uninitialized ? undefined : account;
}

type EncodedAccount = { owner: Address; data: Base64EncodedDataResponse } | null | undefined;

/** Returns the token account that an account of a node's response is; undefined for one that does not exist or is none. */
export function tokenAccountIn(account: EncodedAccount): TokenAccount | undefined {
  return account ? decodeTokenAccount(account.owner, Buffer.from(account.data[0], 'base64')) : undefined;
}

/** Returns what a token account holds, base units; undefined for an account that does not exist or is none. */
export function tokenAmountOf(account: EncodedAccount): bigint | undefined {
  return tokenAccountIn(account)?.amount;
}

/** Returns base units of GOLD; 0 for what is no mint. */
export function supplyOf(mint: { owner: Address; data: Uint8Array } | null | undefined): bigint {
  return mint?.owner === token2022Program ? getMintDecoder().decode(mint.data).supply : 0n;
}

/**
 * The mint of GOLD: of Token-2022, with its own name in it. Extensions and metadata as spl-token-2022 and
 * spl-token-metadata-interface lay them out; `initialize` of the program refuses any other mint.
 */

import { createHash } from 'node:crypto';
import { goldMintBytes, token2022Program } from '@karat/signer';
import {
  type AccountMeta,
  AccountRole,
  type Address,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getInitializeMint2Instruction,
  getSetAuthorityInstruction,
} from '@solana-program/token';
import { tokenDecimals } from '../../domain/money.js';
import { addressOf, addressToBytes } from '../../domain/solana.js';
import { noKey } from '../program/wallet.js';

/** What wallets show of GOLD. */
export interface GoldMetadata {
  name: string;
  symbol: string;
  /** Of a JSON document with the logo. */
  uri: string;
  /** Who promises the gold; with the ounces of a token the additional fields. */
  issuer: string;
}

/** What a mint says of itself. */
export interface TokenMetadata extends Omit<GoldMetadata, 'issuer'> {
  updateAuthority: Address;
  /** The additional fields by their names. */
  additional: Record<string, string>;
}

/** Troy ounces of gold that one GOLD is. */
const ozPerToken = '1';

const extensionHeadBytes = 4;

/** Bytes that the mint has once its metadata is written. */
export function goldMintBytesWith(metadata: GoldMetadata): number {
  const texts = [metadata.name, metadata.symbol, metadata.uri, ...additionalFields(metadata).flat()];
  const vectorBytes = 4;
  const written = texts.reduce((sum, value) => sum + text(value).length, 2 * 32 + vectorBytes);
  return goldMintBytes + extensionHeadBytes + written;
}

function additionalFields({ issuer }: GoldMetadata): [key: string, value: string][] {
  return [
    ['oz_per_token', ozPerToken],
    ['issuer', issuer],
  ];
}

/**
 * Makes the mint: `payer` names it, then gives mint and freezing to `treasury` and the metadata to `admin`, who need not
 * sign. All of it belongs into one transaction, so that there never is a mint with half of this. `lamports` is the rent of
 * `goldMintBytesWith`.
 */
export function goldMintInstructions(input: {
  payer: TransactionSigner;
  mint: TransactionSigner;
  metadata: GoldMetadata;
  treasury: Address;
  admin: Address;
  lamports: bigint;
}): Instruction[] {
  const { payer, mint, metadata, treasury, admin, lamports } = input;
  const target = { programAddress: token2022Program };
  const handOver = (authorityType: AuthorityType) =>
    getSetAuthorityInstruction(
      { owned: mint.address, owner: payer, authorityType, newAuthority: treasury },
      target,
    );
  return [
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports,
      space: BigInt(goldMintBytes),
      programAddress: token2022Program,
    }),
    initializeMetadataPointer(mint.address),
    getInitializeMint2Instruction(
      {
        mint: mint.address,
        decimals: tokenDecimals,
        mintAuthority: payer.address,
        freezeAuthority: payer.address,
      },
      target,
    ),
    initializeMetadata(mint.address, payer, metadata),
    ...additionalFields(metadata).map(([key, value]) => updateField(mint.address, payer, key, value)),
    updateAuthority(mint.address, payer, admin),
    handOver(AuthorityType.MintTokens),
    handOver(AuthorityType.FreezeAccount),
  ];
}

/** A pointer of the mint to itself that can never be moved: it has no authority. */
function initializeMetadataPointer(mint: Address): Instruction {
  const data = [
    metadataPointerExtension,
    initializePointer,
    ...addressToBytes(noKey),
    ...addressToBytes(mint),
  ];
  return token2022(data, [{ address: mint, role: AccountRole.WRITABLE }]);
}

const metadataPointerExtension = 39;
const initializePointer = 0;

function initializeMetadata(
  mint: Address,
  authority: TransactionSigner,
  metadata: GoldMetadata,
): Instruction {
  const { name, symbol, uri } = metadata;
  const data = [...discriminator('initialize_account'), ...text(name), ...text(symbol), ...text(uri)];
  return token2022(data, [
    { address: mint, role: AccountRole.WRITABLE },
    { address: authority.address, role: AccountRole.READONLY },
    { address: mint, role: AccountRole.READONLY },
    signing(authority),
  ]);
}

/** Numbers of fields; the last one is any that is none of name, symbol and uri. */
const [uriField, additionalField] = [2, 3];

function updateField(mint: Address, authority: TransactionSigner, key: string, value: string): Instruction {
  const data = [...discriminator('updating_field'), additionalField, ...text(key), ...text(value)];
  return token2022(data, [{ address: mint, role: AccountRole.WRITABLE }, signing(authority)]);
}

/** Has the mint name another document. A longer address than before needs more rent, which the mint must hold already. */
export function updateUriInstruction(mint: Address, authority: TransactionSigner, uri: string): Instruction {
  const data = [...discriminator('updating_field'), uriField, ...text(uri)];
  return token2022(data, [{ address: mint, role: AccountRole.WRITABLE }, signing(authority)]);
}

function updateAuthority(mint: Address, authority: TransactionSigner, next: Address): Instruction {
  const data = [...discriminator('update_the_authority'), ...addressToBytes(next)];
  return token2022(data, [{ address: mint, role: AccountRole.WRITABLE }, signing(authority)]);
}

function token2022(data: number[], accounts: AccountMeta[]): Instruction {
  return { programAddress: token2022Program, accounts, data: Uint8Array.from(data) };
}

function signing(signer: TransactionSigner): AccountMeta & { signer: TransactionSigner } {
  return { address: signer.address, role: AccountRole.READONLY_SIGNER, signer };
}

/** The first 8 bytes of an instruction of the metadata interface. */
function discriminator(name: string): Buffer {
  return createHash('sha256').update(`spl_token_metadata_interface:${name}`).digest().subarray(0, 8);
}

/** A text as Borsh writes it: its length in bytes, then UTF-8. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The extension of a mint that holds its metadata. */
const tokenMetadataExtension = 19;

/**
 * Returns what a mint of Token-2022 says of itself, and who may change it; undefined when it has no metadata. Throws when
 * the bytes end too early.
 */
export function decodeTokenMetadata(data: Uint8Array): TokenMetadata | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 166; at + extensionHeadBytes <= bytes.length; ) {
    const [type, length] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
    at += extensionHeadBytes;
    if (type === tokenMetadataExtension) return readMetadata(bytes.subarray(at, at + length));
    at += length;
  }
  return undefined;
}

function readMetadata(bytes: Buffer): TokenMetadata {
  let at = 64;
  const read = () => {
    const length = bytes.readUInt32LE(at);
    if (at + 4 + length > bytes.length) throw new RangeError('the metadata ends too early');
    at += 4 + length;
    return bytes.toString('utf8', at - length, at);
  };
  const [name, symbol, uri] = [read(), read(), read()];
  const count = bytes.readUInt32LE(at);
  at += 4;
  const additional: [key: string, value: string][] = [];
  while (additional.length < count) additional.push([read(), read()]);
  const updateAuthority = addressOf(bytes.subarray(0, 32));
  return { name, symbol, uri, updateAuthority, additional: Object.fromEntries(additional) };
}

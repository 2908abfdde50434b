import {
  CREATE_INTEGRATOR_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SettlementMode,
  TREASURY_WITHDRAW_DISCRIMINATOR,
} from '@karat/program-client';
import type { InstructionPlace } from '@karat/wire';
import { type Address, getAddressDecoder } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  getMintSize,
  getTokenSize,
  INITIALIZE_ACCOUNT3_DISCRIMINATOR,
  INITIALIZE_MINT2_DISCRIMINATOR,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { goldMintBytes, token2022Program } from './programs.js';
import type { ReadMessage } from './read-message.js';

/** Returns the rent of an account of `bytes`, lamports. Should the chain require less one day, less is signed too. */
export const rentOf = (bytes: number): bigint => BigInt(128 + bytes) * 6_960n;

/** Why an account is not paid for: it is none of the service's, or it is given more than its rent. */
export interface NewAccountFault {
  rule: 'instruction' | 'fee';
  detail: string;
}

/** An account that an instruction of the System program makes. */
interface NewAccount {
  /** Places among the accounts of the message. */
  payer: number;
  account: number;
  /** Undefined for an account with a key of its own. */
  seeded: { base: Address; seed: string } | undefined;
  lamports: bigint;
  space: bigint;
  owner: Address;
}

const decoder = getAddressDecoder();
const withKey = 0;
const withSeed = 3;
/** What has a place among the accounts of an instruction: the same index in both. */
const placeOf = (bytes: Buffer, { accountsAt, accountCount }: InstructionPlace, place: number) =>
  place < accountCount ? bytes[accountsAt + place] : undefined;

/**
 * Reads CreateAccount (u32 number, u64 lamports, u64 space, 32 bytes owner) and CreateAccountWithSeed (the same behind 32
 * bytes base, u64 length and text of the seed). Undefined for anything else.
 */
export function readNewAccount(bytes: Buffer, instruction: InstructionPlace): NewAccount | undefined {
  const [payer, account] = [placeOf(bytes, instruction, 0), placeOf(bytes, instruction, 1)];
  const data = bytes.subarray(instruction.dataAt, instruction.dataAt + instruction.dataLength);
  if (payer === undefined || account === undefined || data.length < 52) return undefined;
  const number = data.readUInt32LE(0);
  if (number !== withKey && number !== withSeed) return undefined;
  const seedBytes = number === withSeed ? Number(data.readBigUInt64LE(36)) : 0;
  const at = number === withSeed ? 44 + seedBytes : 4;
  if (data.length !== at + 48) return undefined;
  const base = () => ({ base: decoder.decode(data, 4), seed: data.toString('latin1', 44, at) });
  return {
    payer,
    account,
    seeded: number === withSeed ? base() : undefined,
    lamports: data.readBigUInt64LE(at),
    space: data.readBigUInt64LE(at + 8),
    owner: decoder.decode(data, at + 16),
  };
}

/**
 * Returns why a message makes an account that the service does not make; undefined when it makes none such. Whoever gets
 * an account that is not needed can close it and keep its rent.
 */
export function newAccountFault(
  message: ReadMessage,
  role: 'operations' | 'admin',
  program: Address,
): NewAccountFault | undefined {
  for (const [position, instruction] of message.layout.instructions.entries()) {
    const called = message.programs[position];
    if (called === SYSTEM_PROGRAM_ADDRESS) {
      const made = readNewAccount(message.bytes, instruction);
      const size = made && (role === 'admin' ? mintSize : refundSize)(message, made, { position, program });
      if (size === undefined) return { rule: 'instruction', detail: 'it makes an account of its own' };
      if (made && made.lamports > rentOf(size)) {
        return { rule: 'fee', detail: `it gives ${made.lamports} lamports to an account` };
      }
    } else if (called === ASSOCIATED_TOKEN_PROGRAM_ADDRESS && role === 'operations') {
      const [payer, account] = [0, 1].map((place) => placeOf(message.bytes, instruction, place));
      if (payer === message.key && !isReceived(message, account, program)) {
        return { rule: 'instruction', detail: 'it makes a token account that nothing comes to' };
      }
    }
  }
  return undefined;
}

/**
 * Returns the bytes of the token account that a refund goes to, at the seed of its redemption, when the wallet's own is
 * frozen: it is initialized next, and the refund follows. Undefined for any other account.
 */
function refundSize(
  { bytes, layout, programs, key }: ReadMessage,
  { payer, account, seeded, space, owner }: NewAccount,
  { position, program }: { position: number; program: Address },
): number | undefined {
  const next = layout.instructions[position + 1];
  const isInitialized =
    next !== undefined &&
    programs[position + 1] === token2022Program &&
    bytes[next.dataAt] === INITIALIZE_ACCOUNT3_DISCRIMINATOR &&
    placeOf(bytes, next, 0) === account;
  const refund = layout.instructions.find(
    (each, at) => at > position && programs[at] === program && receives(bytes, each, account) === 'refund',
  );
  const redemption = refund && placeOf(bytes, refund, 2);
  if (!isInitialized || redemption === undefined) return undefined;
  const addressAt = (index: number) => decoder.decode(bytes, layout.accountsAt + index * 32);
  const isOfRedemption =
    payer === key &&
    seeded?.base === addressAt(key) &&
    seeded.seed === addressAt(redemption).slice(0, 32) &&
    owner === token2022Program;
  return isOfRedemption && space === BigInt(getTokenSize()) ? getTokenSize() : undefined;
}

/** Returns the bytes of a mint that the same message initializes, once all is written; undefined for any other account. */
function mintSize(
  { bytes, layout, programs, key }: ReadMessage,
  { account, seeded, space, owner }: NewAccount,
): number | undefined {
  const about = layout.instructions.filter(
    (each, at) => programs[at] === owner && placeOf(bytes, each, 0) === account,
  );
  const isMint = about.some(({ dataAt }) => bytes[dataAt] === INITIALIZE_MINT2_DISCRIMINATOR);
  if (!isMint || account === key || seeded) return undefined;
  if (owner === TOKEN_PROGRAM_ADDRESS) return space === BigInt(getMintSize()) ? getMintSize() : undefined;
  if (owner !== token2022Program || space !== BigInt(goldMintBytes)) return undefined;
  return about.reduce((size, each) => size + metadataBytes(bytes, each), goldMintBytes);
}

/** Returns how many bytes an instruction of the metadata adds: two keys and lengths with the first texts, then each field. */
function metadataBytes(bytes: Buffer, { dataAt, dataLength }: InstructionPlace): number {
  const [initializes, addsField] = [210, 221];
  if (bytes[dataAt] === initializes) return 4 + 64 + 4 + dataLength - 8;
  return bytes[dataAt] === addsField ? dataLength - 9 : 0;
}

/** Returns whether something comes to an account by an instruction of the program in the same message. */
function isReceived(
  { bytes, layout, programs }: ReadMessage,
  account: number | undefined,
  program: Address,
): boolean {
  return layout.instructions.some(
    (each, at) => programs[at] === program && receives(bytes, each, account) !== undefined,
  );
}

/** Returns what an instruction of the program does for a token account, by its place there; undefined where it has none. */
function receives(
  bytes: Buffer,
  instruction: InstructionPlace,
  account: number | undefined,
): 'refund' | 'withdrawal' | 'vault' | undefined {
  const { dataAt, dataLength } = instruction;
  const isAt = (place: number) => account !== undefined && placeOf(bytes, instruction, place) === account;
  switch (bytes[dataAt]) {
    case SETTLE_REDEMPTION_DISCRIMINATOR:
      // u8 number, 16 bytes id, u8 mode.
      return dataLength === 18 && bytes[dataAt + 17] === SettlementMode.Refund && isAt(7)
        ? 'refund'
        : undefined;
    case TREASURY_WITHDRAW_DISCRIMINATOR:
      return isAt(4) ? 'withdrawal' : undefined;
    case CREATE_INTEGRATOR_DISCRIMINATOR:
      return isAt(4) || isAt(5) ? 'vault' : undefined;
    default:
      return undefined;
  }
}

/**
 * The loader of programs that can be upgraded (BPF loader v3): addresses, accounts and instructions. Numbers are
 * little-endian; an instruction begins with its number in four bytes, an account with its kind.
 */
import {
  type AccountMeta,
  AccountRole,
  type Address,
  address,
  createAddressWithSeed,
  createNoopSigner,
  getAddressCodec,
  getProgramDerivedAddress,
  type Instruction,
} from '@solana/kit';
import {
  getCreateAccountInstruction,
  getCreateAccountWithSeedInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { notAllowed } from '../../errors.js';
import type { Chain } from '../chain.js';
import { asOf } from '../node/as-of.js';
import { responseOf } from '../node/landing.js';

const loaderV3 = address('BPFLoaderUpgradeab1e11111111111111111111111');
const rentSysvar = address('SysvarRent111111111111111111111111111111111');
const clockSysvar = address('SysvarC1ock11111111111111111111111111111111');

/** Bytes of an account in front of the code; the account of a program holds none. */
export const headerBytes = { program: 36, programData: 45, buffer: 37 } as const;
const kinds = { buffer: 1, program: 2, programData: 3 } as const;
const codec = getAddressCodec();

/** Code on chain, with who may replace it. */
export interface CodeAccount {
  /** Undefined: the code can never be replaced. */
  authority: Address | undefined;
  /** The code, and in a program zeros up to the end of its room. */
  code: Uint8Array;
}

/** Returns the address of the account in which the loader keeps a program's code and its upgrade authority. */
export async function programDataAddress(programAddress: Address): Promise<Address> {
  const seeds = [codec.encode(programAddress)];
  const [found] = await getProgramDerivedAddress({ programAddress: loaderV3, seeds });
  return found;
}

/** Returns the address of the buffer that a payer derives from `seed`, so that a later call finds it again. */
export function bufferAddress(payer: Address, seed: string): Promise<Address> {
  return createAddressWithSeed({ baseAddress: payer, programAddress: loaderV3, seed });
}

type Reader = Pick<Chain, 'rpc'>;

/** Reads a buffer; undefined where there is none. Throws `transition_not_allowed` for an account of another kind. */
export function readBuffer(chain: Reader, at: Address): Promise<CodeAccount | undefined> {
  return readCode(chain, at, 'buffer');
}

/**
 * Reads the code of a program as of `minSlot` or later; undefined where there is no program. Throws `transition_not_allowed`
 * for an account that is not a program of the loader, and for a program that was closed.
 */
export async function readProgram(
  chain: Reader,
  program: Address,
  minSlot = 0n,
): Promise<CodeAccount | undefined> {
  const account = await readAccount(chain, program, minSlot);
  if (!account || account.owner === SYSTEM_PROGRAM_ADDRESS) return undefined;
  if (account.owner !== loaderV3 || account.data.readUInt32LE(0) !== kinds.program) {
    throw notAllowed(`The account ${program} is not an upgradeable program.`);
  }
  const code = await readCode(chain, await programDataAddress(program), 'programData', minSlot);
  if (code) return code;
  throw notAllowed(`The program ${program} was closed, and its address cannot be used again.`);
}

async function readCode(
  chain: Reader,
  at: Address,
  kind: 'buffer' | 'programData',
  minSlot = 0n,
): Promise<CodeAccount | undefined> {
  const account = await readAccount(chain, at, minSlot);
  if (!account) return undefined;
  const { owner, data } = account;
  const header = headerBytes[kind];
  if (owner !== loaderV3 || data.length < header || data.readUInt32LE(0) !== kinds[kind]) {
    throw notAllowed(`The account ${at} does not contain a program.`);
  }
  // The header ends with the authority: a byte that is 1 if there is one, and its key.
  const authority = data[header - 33] === 1 ? codec.decode(data.subarray(header - 32, header)) : undefined;
  return { authority, code: data.subarray(header) };
}

/** Returns the program that an account belongs to; undefined where there is no account. */
export async function readOwner(chain: Reader, at: Address): Promise<Address | undefined> {
  return (await readAccount(chain, at, 0n))?.owner;
}

async function readAccount({ rpc }: Reader, at: Address, minSlot: bigint) {
  const { value } = await responseOf(
    asOf(minSlot, (least) =>
      rpc.getAccountInfo(at, { commitment: 'confirmed', encoding: 'base64', ...least }).send(),
    ),
  );
  return value && { ...value, data: Buffer.from(value.data[0], 'base64') };
}

/** Makes an empty buffer for `size` bytes of code at `bufferAddress(payer, seed)`, which the payer writes. */
export function createBuffer(
  payer: Address,
  { buffer, seed, size, rent }: { buffer: Address; seed: string; size: number; rent: bigint },
): Instruction[] {
  const create = getCreateAccountWithSeedInstruction({
    payer: createNoopSigner(payer),
    newAccount: buffer,
    base: payer,
    seed,
    amount: rent,
    space: headerBytes.buffer + size,
    programAddress: loaderV3,
  });
  return [create, instruction(0, [writable(buffer), readonly(payer)])];
}

export function writeCode(buffer: Address, authority: Address, at: number, code: Uint8Array): Instruction {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(at, 0);
  head.writeBigUInt64LE(BigInt(code.length), 4);
  return instruction(1, [writable(buffer), signer(authority)], head, code);
}

/** Who and what a deployment or an upgrade takes. The buffer has to be of the upgrade authority. */
export interface CodeChange {
  payer: Address;
  program: Address;
  buffer: Address;
  authority: Address;
}

/** Makes a program of a buffer, with room for `maxBytes` of code; `rent` is that of the program's own account. */
export async function deployCode(
  { payer, program, buffer, authority }: CodeChange,
  { maxBytes, rent }: { maxBytes: number; rent: bigint },
): Promise<Instruction[]> {
  const create = getCreateAccountInstruction({
    payer: createNoopSigner(payer),
    newAccount: createNoopSigner(program),
    lamports: rent,
    space: headerBytes.program,
    programAddress: loaderV3,
  });
  const room = Buffer.alloc(8);
  room.writeBigUInt64LE(BigInt(maxBytes));
  const accounts = [
    { address: payer, role: AccountRole.WRITABLE_SIGNER },
    ...[await programDataAddress(program), program, buffer].map(writable),
    ...[rentSysvar, clockSysvar, SYSTEM_PROGRAM_ADDRESS].map(readonly),
    signer(authority),
  ];
  return [create, instruction(2, accounts, room)];
}

/** Replaces a program's code by that of a buffer, whose rent the payer gets back. */
export async function upgradeCode({ payer, program, buffer, authority }: CodeChange): Promise<Instruction[]> {
  const accounts = [
    ...[await programDataAddress(program), program, buffer, payer].map(writable),
    ...[rentSysvar, clockSysvar].map(readonly),
    signer(authority),
  ];
  return [instruction(3, accounts)];
}

/** Hands a buffer over to another authority. */
export function handOverBuffer(buffer: Address, authority: Address, next: Address): Instruction {
  return instruction(4, [writable(buffer), signer(authority), readonly(next)]);
}

/** Hands a program over to another upgrade authority, which need not sign. */
export async function handOverProgram(
  program: Address,
  authority: Address,
  next: Address,
): Promise<Instruction> {
  return instruction(4, [writable(await programDataAddress(program)), signer(authority), readonly(next)]);
}

function instruction(number: number, accounts: AccountMeta[], ...body: Uint8Array[]): Instruction {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(number);
  return { programAddress: loaderV3, accounts, data: Uint8Array.from(Buffer.concat([head, ...body])) };
}

const writable = (at: Address): AccountMeta => ({ address: at, role: AccountRole.WRITABLE });
const readonly = (at: Address): AccountMeta => ({ address: at, role: AccountRole.READONLY });
const signer = (at: Address): AccountMeta => ({ address: at, role: AccountRole.READONLY_SIGNER });

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
  getAddressCodec,
  getProgramDerivedAddress,
  type Instruction,
  type Rpc,
  type SolanaRpcApi,
} from '@solana/kit';

export const loaderV3 = address('BPFLoaderUpgradeab1e11111111111111111111111');
const systemProgram = address('11111111111111111111111111111111');
const rentSysvar = address('SysvarRent111111111111111111111111111111111');
const clockSysvar = address('SysvarC1ock11111111111111111111111111111111');

/** Bytes of an account in front of the code; the account of a program holds none. */
export const headerBytes = { program: 36, programData: 45, buffer: 37 } as const;
const kinds = { buffer: 1, program: 2, programData: 3 } as const;
const codec = getAddressCodec();

/** Code on chain, with who may replace it. */
export interface CodeAccount {
  address: Address;
  lamports: bigint;
  /** Undefined: nobody, for good. */
  authority: Address | undefined;
  /** The code, and in a program zeros up to the end of its room. */
  code: Uint8Array;
}

/** Returns the address of the account in which the loader keeps a program's code and its upgrade authority. */
export async function programDataAddress(programAddress: Address): Promise<Address> {
  const [found] = await getProgramDerivedAddress({
    programAddress: loaderV3,
    seeds: [codec.encode(programAddress)],
  });
  return found;
}

/** Text from which, with the payer's key, the address of a program's buffer is derived: at most 32 bytes. */
export function bufferSeed(programAddress: Address): string {
  return programAddress.slice(0, 32);
}

/** Returns the address of the one buffer that a payer uses for a program, so that a later call finds it again. */
export function bufferAddress(payer: Address, programAddress: Address): Promise<Address> {
  const seed = bufferSeed(programAddress);
  return createAddressWithSeed({ baseAddress: payer, programAddress: loaderV3, seed });
}

/** An account that stands where one of the loader was looked for. */
export class OtherAccountError extends Error {
  override name = 'OtherAccountError';
}

/** Reads a buffer; undefined where there is none. Throws `OtherAccountError` for an account of another kind. */
export function readBuffer(rpc: Rpc<SolanaRpcApi>, at: Address): Promise<CodeAccount | undefined> {
  return readCode(rpc, at, 'buffer');
}

/**
 * Reads the code of a program as of `minSlot` or later; undefined where there is no program. Throws `OtherAccountError` for an account that is no
 * program of the loader, and for a program that was closed.
 */
export async function readProgram(
  rpc: Rpc<SolanaRpcApi>,
  programAddress: Address,
  minSlot?: bigint,
): Promise<CodeAccount | undefined> {
  const account = await readAccount(rpc, programAddress, minSlot);
  if (!account || account.owner === systemProgram) return undefined;
  const isProgram = account.owner === loaderV3 && account.data.readUInt32LE(0) === kinds.program;
  if (!isProgram)
    throw new OtherAccountError(`The account ${programAddress} is no program that can be upgraded.`);
  const code = await readCode(rpc, await programDataAddress(programAddress), 'programData', minSlot);
  if (code) return code;
  throw new OtherAccountError(`The program ${programAddress} was closed, and no other can take its address.`);
}

async function readCode(
  rpc: Rpc<SolanaRpcApi>,
  at: Address,
  kind: 'buffer' | 'programData',
  minSlot?: bigint,
): Promise<CodeAccount | undefined> {
  const account = await readAccount(rpc, at, minSlot);
  if (!account) return undefined;
  const { owner, data, lamports } = account;
  const header = headerBytes[kind];
  if (owner !== loaderV3 || data.length < header || data.readUInt32LE(0) !== kinds[kind]) {
    throw new OtherAccountError(`The account ${at} holds no code.`);
  }
  // The authority ends the header: a byte that says whether there is one, and its key.
  const authority = data[header - 33] === 1 ? codec.decode(data.subarray(header - 32, header)) : undefined;
  return { address: at, lamports, authority, code: data.subarray(header) };
}

async function readAccount(rpc: Rpc<SolanaRpcApi>, at: Address, minSlot?: bigint) {
  const { value } = await rpc
    .getAccountInfo(at, {
      commitment: 'confirmed',
      encoding: 'base64',
      ...(minSlot === undefined ? {} : { minContextSlot: minSlot }),
    })
    .send();
  return value && { ...value, data: Buffer.from(value.data[0], 'base64') };
}

/** Makes a new account of the loader a buffer, which `authority` writes. */
export function initializeBuffer(buffer: Address, authority: Address): Instruction {
  return instruction(0, [writable(buffer), readonly(authority)]);
}

/** Writes code into a buffer. */
export function writeCode(
  buffer: Address,
  authority: Address,
  offset: number,
  code: Uint8Array,
): Instruction {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(offset, 0);
  head.writeBigUInt64LE(BigInt(code.length), 4);
  return instruction(1, [writable(buffer), signer(authority)], head, code);
}

/** The accounts of a deployment or an upgrade. The buffer has to be of the upgrade authority. */
export interface CodeChange {
  payer: Address;
  program: Address;
  programData: Address;
  buffer: Address;
  authority: Address;
}

/** Turns a buffer into a program with room for `maxBytes` of code. */
export function deployCode(
  { payer, program, programData, buffer, authority }: CodeChange,
  maxBytes: number,
): Instruction {
  const room = Buffer.alloc(8);
  room.writeBigUInt64LE(BigInt(maxBytes));
  const accounts = [
    { address: payer, role: AccountRole.WRITABLE_SIGNER },
    ...[programData, program, buffer].map(writable),
    ...[rentSysvar, clockSysvar, systemProgram].map(readonly),
    signer(authority),
  ];
  return instruction(2, accounts, room);
}

/** Replaces a program's code by that of a buffer, whose rent the payer gets back. */
export function upgradeCode({ payer, program, programData, buffer, authority }: CodeChange): Instruction {
  const accounts = [
    ...[programData, program, buffer, payer].map(writable),
    ...[rentSysvar, clockSysvar].map(readonly),
    signer(authority),
  ];
  return instruction(3, accounts);
}

/** Gives a buffer or the code of a program another authority; undefined: nobody, for good. */
export function setCodeAuthority(of: Address, authority: Address, next: Address | undefined): Instruction {
  return instruction(4, [writable(of), signer(authority), ...(next === undefined ? [] : [readonly(next)])]);
}

/** Closes a buffer; `receiver` gets its rent. */
export function closeBuffer(buffer: Address, authority: Address, receiver: Address): Instruction {
  return instruction(5, [writable(buffer), writable(receiver), signer(authority)]);
}

function instruction(number: number, accounts: AccountMeta[], ...body: Uint8Array[]): Instruction {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(number);
  return { programAddress: loaderV3, accounts, data: Uint8Array.from(Buffer.concat([head, ...body])) };
}

const writable = (at: Address): AccountMeta => ({ address: at, role: AccountRole.WRITABLE });
const readonly = (at: Address): AccountMeta => ({ address: at, role: AccountRole.READONLY });
const signer = (at: Address): AccountMeta => ({ address: at, role: AccountRole.READONLY_SIGNER });

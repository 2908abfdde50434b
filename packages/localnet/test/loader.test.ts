import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Localnet } from '@karat/localnet';
import {
  type AccountMeta,
  AccountRole,
  type AccountSignerMeta,
  type Address,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { afterAll, expect, test } from 'vitest';
import { programDataAddress } from '../src/programs.js';
import {
  fundedSigner,
  type Json,
  now,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sign,
  startNode,
} from './harness.js';

// Expected is what Agave 3.0 does: `programs/bpf_loader/src/lib.rs`, `transaction-status/src/parse_bpf_loader.rs`, and for
// the slot's delay `program-runtime/src/loaded_programs.rs` (DELAY_VISIBILITY_SLOT_OFFSET).

const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address;
const RENT = 'SysvarRent111111111111111111111111111111111' as Address;
const CLOCK = 'SysvarC1ock11111111111111111111111111111111' as Address;
const CHUNK_BYTES = 900;
const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Slots only move by warp here, so that "from the next slot on" can be shown.
const node = await startNode({ ledger: folder, slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);

/** Code of programs that every chain has: two that behave differently. */
async function codeOf(program: string): Promise<Uint8Array> {
  const account = node.getAccount(program);
  if (account?.owner !== LOADER) return account?.data ?? new Uint8Array(0);
  return node.getAccount(await programDataAddress(program))?.data.subarray(45) ?? new Uint8Array(0);
}
const memo = await codeOf('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const associatedToken = await codeOf('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

const MAX_BYTES = Math.max(memo.length, associatedToken.length);

const writable = (address: Address): AccountMeta => ({ address, role: AccountRole.WRITABLE });
const readonly = (address: Address): AccountMeta => ({ address, role: AccountRole.READONLY });
const signer = (one: KeyPairSigner, role: AccountRole = AccountRole.WRITABLE_SIGNER): AccountSignerMeta =>
  ({ address: one.address, role, signer: one }) as AccountSignerMeta;
const authority = () => signer(payer, AccountRole.READONLY_SIGNER);

function loader(
  variant: number,
  accounts: (AccountMeta | AccountSignerMeta)[],
  body = Buffer.alloc(0),
): Instruction {
  const data = Buffer.concat([Buffer.alloc(4), body]);
  data.writeUInt32LE(variant, 0);
  return { programAddress: LOADER, accounts, data: new Uint8Array(data) };
}

async function attempt(
  on: Localnet,
  instructions: Instruction[],
): Promise<{ error: Json; signature: string }> {
  const signed = await sign(on, payer, instructions);
  return { error: (await send(on, signed)).error, signature: signed.signature };
}

async function land(on: Localnet, instructions: Instruction[]): Promise<string> {
  const { error, signature } = await attempt(on, instructions);
  if (error) throw new Error(JSON.stringify(error));
  return signature;
}

const rent = (bytes: number) => BigInt(890_880 + 6_960 * bytes);

/** Writes code into a buffer, chunk by chunk, as the command line tools do; gives the buffer and the signatures. */
async function writeBuffer(code: Uint8Array): Promise<{ buffer: Address; signatures: string[] }> {
  const buffer = await generateKeyPairSigner();
  const space = 37 + code.length;
  const create = getCreateAccountInstruction({
    payer,
    newAccount: buffer,
    lamports: rent(space),
    space,
    programAddress: LOADER,
  });
  const signatures = [
    await land(node, [create, loader(0, [writable(buffer.address), readonly(payer.address)])]),
  ];
  for (let at = 0; at < code.length; at += CHUNK_BYTES) {
    const chunk = code.subarray(at, at + CHUNK_BYTES);
    const body = Buffer.alloc(12);
    body.writeUInt32LE(at, 0);
    body.writeBigUInt64LE(BigInt(chunk.length), 4);
    signatures.push(
      await land(node, [loader(1, [writable(buffer.address), authority()], Buffer.concat([body, chunk]))]),
    );
  }
  return { buffer: buffer.address, signatures };
}

async function deploy(program: KeyPairSigner, buffer: Address, maxBytes: number): Promise<string> {
  const body = Buffer.alloc(8);
  body.writeBigUInt64LE(BigInt(maxBytes));
  const accounts = [
    signer(payer),
    writable((await programDataAddress(program.address)) as Address),
    writable(program.address),
    writable(buffer),
    readonly(RENT),
    readonly(CLOCK),
    readonly(SYSTEM_PROGRAM as Address),
    authority(),
  ];
  const create = getCreateAccountInstruction({
    payer,
    newAccount: program,
    lamports: rent(36),
    space: 36,
    programAddress: LOADER,
  });
  return await land(node, [create, loader(2, accounts, body)]);
}

async function upgrade(program: Address, buffer: Address): Promise<Instruction> {
  return loader(3, [
    writable((await programDataAddress(program)) as Address),
    writable(program),
    writable(buffer),
    writable(payer.address),
    readonly(RENT),
    readonly(CLOCK),
    authority(),
  ]);
}

/** Calls a program with a text; gives the error or the logs. */
async function run(program: Address, text: string, on = node): Promise<{ error: Json; logs: string[] }> {
  const instruction = { programAddress: program, accounts: [], data: new TextEncoder().encode(text) };
  const { error, signature } = await attempt(on, [instruction]);
  if (error) return { error: error.data.err, logs: error.data.logs };
  on.warp({ slots: 1 });
  const found = await result(on, 'getTransaction', signature, {
    commitment: 'confirmed',
    maxSupportedTransactionVersion: 0,
  });
  return { error: undefined, logs: found.meta.logMessages };
}

const parsed = async (signature: string) => {
  node.warp({ slots: 31 });
  const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 };
  const found = await result(node, 'getTransaction', signature, config);
  return found.transaction.message.instructions;
};

const program = await generateKeyPairSigner();
const programData = (await programDataAddress(program.address)) as Address;
const accountOf = async (address: string) =>
  (await result(node, 'getAccountInfo', address, { encoding: 'jsonParsed', ...now })).value;

test('a buffer is made and written by transactions, and shown as jsonParsed', async () => {
  const code = memo.subarray(0, 2_000);
  const { buffer, signatures } = await writeBuffer(code);
  const account = await accountOf(buffer);
  expect(account.data).toEqual({
    program: 'bpf-upgradeable-loader',
    parsed: {
      type: 'buffer',
      info: { authority: payer.address, data: [Buffer.from(code).toString('base64'), 'base64'] },
    },
    space: 2_037,
  });
  const [create, initialize] = await parsed(signatures[0] ?? '');
  expect(create.parsed.type).toBe('createAccount');
  expect(initialize).toMatchObject({
    program: 'bpf-upgradeable-loader',
    parsed: { type: 'initializeBuffer', info: { account: buffer, authority: payer.address } },
  });
  const [write] = await parsed(signatures[2] ?? '');
  expect(write.parsed).toEqual({
    type: 'write',
    info: {
      account: buffer,
      authority: payer.address,
      bytes: Buffer.from(code.subarray(CHUNK_BYTES, 2 * CHUNK_BYTES)).toString('base64'),
      offset: CHUNK_BYTES,
    },
  });
  const closing = await land(node, [loader(5, [writable(buffer), writable(payer.address), authority()])]);
  expect(await accountOf(buffer)).toBeNull();
  expect((await parsed(closing))[0].parsed).toEqual({
    type: 'close',
    info: { account: buffer, authority: payer.address, programAccount: null, recipient: payer.address },
  });
}, 180_000);

test('a deployed program is there at once and runs from the next slot on, as on a node', async () => {
  const { buffer } = await writeBuffer(memo);
  const signature = await deploy(program, buffer, MAX_BYTES);
  expect(await accountOf(program.address)).toMatchObject({
    executable: true,
    owner: LOADER,
    data: { parsed: { type: 'program', info: { programData } } },
  });
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  expect((await accountOf(programData)).data.parsed).toMatchObject({
    type: 'programData',
    info: { authority: payer.address, slot },
  });
  expect(await run(program.address, 'too early')).toEqual({
    error: { InstructionError: [0, 'UnsupportedProgramId'] },
    logs: [
      `Program ${program.address} invoke [1]`,
      'Program is not deployed',
      `Program ${program.address} failed: Unsupported program id`,
    ],
  });
  node.warp({ slots: 1 });
  expect((await run(program.address, 'hello')).logs.join()).toContain('hello');
  expect((await parsed(signature))[1].parsed).toEqual({
    type: 'deployWithMaxDataLen',
    info: {
      authority: payer.address,
      bufferAccount: buffer,
      clockSysvar: CLOCK,
      maxDataLen: MAX_BYTES,
      payerAccount: payer.address,
      programAccount: program.address,
      programDataAccount: programData,
      rentSysvar: RENT,
      systemProgram: SYSTEM_PROGRAM,
    },
  });
});

test('an upgraded program runs its new code from the next slot on', async () => {
  // The memo program logs a text, the associated token program refuses it.
  const before = (await run(program.address, 'old')).logs;
  expect(before.join()).toContain('old');
  const { buffer } = await writeBuffer(associatedToken);
  const signature = await land(node, [await upgrade(program.address, buffer)]);
  const early = await sign(node, payer, [{ programAddress: program.address, accounts: [] }]);
  const balance = node.getAccount(payer.address)?.lamports ?? 0n;
  await send(node, early, { skipPreflight: true });
  expect((await result(node, 'getSignatureStatuses', [early.signature])).value[0].err).toEqual({
    InstructionError: [0, 'UnsupportedProgramId'],
  });
  expect(node.getAccount(payer.address)?.lamports).toBe(balance - 5_000n);
  node.warp({ slots: 1 });
  const after = await run(program.address, 'new');
  expect(after.error).toEqual({ InstructionError: [0, 'InvalidInstructionData'] });
  expect((await parsed(signature))[0].parsed).toMatchObject({
    type: 'upgrade',
    info: { authority: payer.address, bufferAccount: buffer, spillAccount: payer.address },
  });
}, 180_000);

test('only the authority upgrades; without one a program is final', async () => {
  const { buffer } = await writeBuffer(memo);
  const stranger = await fundedSigner(node, SOL);
  const foreign = await upgrade(program.address, buffer);
  const accounts = [...(foreign.accounts ?? [])].slice(0, 6);
  const attemptBy = async (by: KeyPairSigner) =>
    (await attempt(node, [loader(3, [...accounts, signer(by, AccountRole.READONLY_SIGNER)])])).error.data.err;
  expect(await attemptBy(stranger)).toEqual({ InstructionError: [0, 'IncorrectAuthority'] });
  const setting = await land(node, [loader(4, [writable(programData), authority()])]);
  expect(await attemptBy(payer)).toEqual({ InstructionError: [0, 'Immutable'] });
  expect((await accountOf(programData)).data.parsed.info.authority).toBeNull();
  expect((await parsed(setting))[0].parsed).toEqual({
    type: 'setAuthority',
    info: { account: programData, authority: payer.address, newAuthority: null },
  });
});

test('a deployed program survives a restart', async () => {
  await node.stop();
  const again = await startNode({ ledger: folder, slotMs: 3_600_000 });
  const { error } = await run(program.address, 'still there', again);
  expect(error).toEqual({ InstructionError: [0, 'InvalidInstructionData'] });
  await again.stop();
}, 180_000);

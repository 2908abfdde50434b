import {
  type AccountMeta,
  AccountRole,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { expect, test } from 'vitest';
import type { AccountState } from '../src/account.js';
import type { Localnet } from '../src/index.js';
import { programDataAddress } from '../src/programs.js';
import { freshAddress, fundedSigner, result, SOL, send, sign, startNode } from './harness.js';

// Expected is what Agave 3.0 does: `programs/bpf_loader/src/lib.rs` (Close), `svm/src/account_loader.rs`
// (`load_transaction_accounts`: a program, and its owner, must have an account).

const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address;
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
// Slots only move by warp here.
const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
const memo =
  node.getAccount(await programDataAddress(MEMO))?.data.subarray(45) ?? node.getAccount(MEMO)?.data;

/** A node with a program of its own, which the payer may close. */
async function givenProgram(programs: Address[]): Promise<{ node: Localnet; payer: KeyPairSigner }> {
  if (!memo) throw new Error('no code');
  const [first] = programs;
  const one = await startNode({
    slotMs: 3_600_000,
    programs: programs.map((address) => ({ address, so: memo, upgradeAuthority: payer.address })),
  });
  one.airdrop(payer.address, 1_000n * SOL);
  one.warp({ slots: 2 });
  expect((await call(one, first as Address)).error).toBeUndefined();
  return { node: one, payer };
}

async function call(on: Localnet, program: Address) {
  const instruction: Instruction = {
    programAddress: program,
    accounts: [{ address: payer.address, role: AccountRole.READONLY_SIGNER }],
    data: new TextEncoder().encode(`${Math.random()}`),
  };
  const signed = await sign(on, payer, [instruction]);
  return await send(on, signed);
}

const writable = (address: Address): AccountMeta => ({ address, role: AccountRole.WRITABLE });

async function close(on: Localnet, program: Address): Promise<void> {
  const data = new Uint8Array([5, 0, 0, 0]);
  const accounts = [
    writable((await programDataAddress(program)) as Address),
    writable(payer.address),
    { address: payer.address, role: AccountRole.READONLY_SIGNER },
    writable(program),
  ];
  const signed = await sign(on, payer, [{ programAddress: LOADER, accounts, data }]);
  expect((await send(on, signed)).error).toBeUndefined();
}

test('a closed program runs no more, wherever its code lay', async () => {
  // LiteSVM takes accounts in by their addresses: of twelve programs some lie before their code and some behind it.
  const programs = (await Promise.all(Array.from({ length: 12 }, freshAddress))) as Address[];
  const { node: one } = await givenProgram(programs);
  for (const program of programs) {
    await close(one, program);
    one.warp({ slots: 1 });
    const { error } = await call(one, program);
    expect(error?.data?.err).toEqual({ InstructionError: [0, 'UnsupportedProgramId'] });
    expect(error?.data?.logs).toContain('Program is not deployed');
  }
});

test('a program whose account is deleted past all rules is not there, and the node lives on', async () => {
  const [program, other] = [(await freshAddress()) as Address, (await freshAddress()) as Address];
  const { node: one } = await givenProgram([program, other]);
  await result(one, 'karat_setAccount', program, { lamports: '0' });
  expect((await call(one, program)).error?.data?.err).toBe('ProgramAccountNotFound');
  // Nor is one whose loader has no account.
  expect((await call(one, other)).error).toBeUndefined();
  await result(one, 'karat_setAccount', LOADER, { lamports: '0' });
  expect((await call(one, other)).error?.data?.err).toBe('ProgramAccountNotFound');
  expect(await result(one, 'getHealth')).toBe('ok');
});

test('a program written before its code runs, and its new code once that is written', async () => {
  const source = (await freshAddress()) as Address;
  const { node: from } = await givenProgram([source]);
  const codeAddress = await programDataAddress(source);
  const [program, code] = [source, codeAddress].map((address) => from.getAccount(address) as AccountState);
  const shown = ({ lamports, owner, data, executable }: AccountState) => ({
    ...{ lamports: String(lamports), owner, executable },
    data: Buffer.from(data).toString('base64'),
  });
  await result(node, 'karat_setAccount', source, shown(program as AccountState));
  expect((await call(node, source)).error?.data?.err).toEqual({
    InstructionError: [0, 'UnsupportedProgramId'],
  });
  await result(node, 'karat_setAccount', codeAddress, shown(code as AccountState));
  expect((await call(node, source)).error).toBeUndefined();
  await result(node, 'karat_setAccount', codeAddress, { lamports: '0' });
  expect((await call(node, source)).error?.data?.err).toEqual({
    InstructionError: [0, 'UnsupportedProgramId'],
  });
});

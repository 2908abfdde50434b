import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { afterAll, expect, test } from 'vitest';
import { programDataAddress } from '../src/programs.js';
import { freshAddress, fundedSigner, result, SOL, send, sign, startNode } from './harness.js';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The code of a program that every chain has: behind the head of its program data, or its account itself. */
async function codeOf(program: string): Promise<Uint8Array> {
  const node = await startNode();
  const account = node.getAccount(program);
  if (account?.owner !== LOADER) return account?.data ?? new Uint8Array(0);
  return node.getAccount(await programDataAddress(program))?.data.subarray(45) ?? new Uint8Array(0);
}
const memoCode = () => codeOf(MEMO);

test('a program added at the start runs, has its upgrade authority, and survives restarts', async () => {
  const so = await memoCode();
  const address = await freshAddress();
  const upgradeAuthority = await freshAddress();
  for (const round of [1, 2]) {
    const node = await startNode({
      ledger: folder,
      programs: [{ address, so, upgradeAuthority }],
      slotMs: 3_600_000,
    });
    const payer = await fundedSigner(node, SOL);
    const instruction: Instruction = {
      programAddress: address,
      accounts: [{ address: payer.address, role: AccountRole.READONLY_SIGNER }],
      data: new TextEncoder().encode(`round ${round}`),
    };
    const signed = await sign(node, payer, [instruction]);
    expect((await send(node, signed)).result).toBe(signed.signature);
    node.warp({ slots: 31 });
    const { meta } = await result(node, 'getTransaction', signed.signature, {
      maxSupportedTransactionVersion: 0,
    });
    expect(meta.logMessages).toContain(`Program log: round ${round}`);
    await node.stop();
  }
  const node = await startNode({ ledger: folder, slotMs: 3_600_000 });
  expect(node.getAccount(address)).toMatchObject({ owner: LOADER, executable: true });
  const data = Buffer.from(node.getAccount(await programDataAddress(address))?.data ?? []);
  // u32 kind 3, slot 0, an authority: 1 and its key, then the code.
  expect(data.subarray(0, 13).toString('hex')).toBe(`03000000${'00'.repeat(8)}01`);
  const { getAddressEncoder } = await import('@solana/kit');
  expect(data.subarray(13, 45)).toEqual(Buffer.from(getAddressEncoder().encode(upgradeAuthority as Address)));
  expect(data.subarray(45)).toEqual(Buffer.from(so));
  await node.stop();
});

test('a program is added only where there is nothing', async () => {
  const so = await memoCode();
  const node = await startNode({ programs: [{ address: MEMO, so }] });
  const untouched = await startNode();
  expect(node.getAccount(MEMO)).toEqual(untouched.getAccount(MEMO));
});

import { AccountRole, type Address } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { expect, test } from 'vitest';
import { freshAddress, fundedSigner, result, SOL, send, sign, startNode } from './harness.js';
import { memoCaller } from './memo-caller.js';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const caller = await freshAddress();
const node = await startNode({
  slotMs: 3_600_000,
  programs: [{ address: caller, so: memoCaller() }],
});
const payer = await fundedSigner(node, 10n * SOL);
const call = {
  programAddress: caller,
  accounts: [{ address: MEMO, role: AccountRole.READONLY }],
  data: new Uint8Array(0),
};
const note = (memo: string) => getAddMemoInstruction({ memo }, { programAddress: MEMO });

async function land(...instructions: Parameters<typeof sign>[2]) {
  const signed = await sign(node, payer, instructions);
  expect(await send(node, signed)).toMatchObject({ result: signed.signature });
  node.warp({ slots: 31 });
  const [listed] = await result(node, 'getSignaturesForAddress', caller, { limit: 1 });
  expect(listed.signature).toBe(signed.signature);
  const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 };
  return { listed, found: await result(node, 'getTransaction', signed.signature, config) };
}

// Agave `transaction-status/src/extract_memos.rs` looks at the instructions of the message alone.
test('a memo that a program calls is among the inner instructions, and not listed as the memo', async () => {
  const { listed, found } = await land(call);
  expect(found.meta.err).toBeNull();
  expect(found.meta.logMessages).toContainEqual(expect.stringContaining('cpi memo'));
  expect(found.meta.innerInstructions).toEqual([
    {
      index: 0,
      instructions: [{ parsed: 'cpi memo', program: 'spl-memo', programId: MEMO, stackHeight: 2 }],
    },
  ]);
  expect(listed.memo).toBeNull();
});

test('a memo that begins with a byte order mark keeps it', async () => {
  const { listed } = await land(call, note('\ufeffx'));
  expect(listed.memo).toBe('[4] \ufeffx');
});

test('the first of a memo in the message and one that a program calls is listed alone', async () => {
  const { listed, found } = await land(note('outside'), call, note('again'));
  expect(listed.memo).toBe('[7] outside; [5] again');
  expect(found.meta.innerInstructions.map(({ index }: { index: number }) => index)).toEqual([1]);
});

import type { AccountState } from '@karat/localnet';
import { type Address, generateKeyPairSigner, getBase58Decoder, getBase64Encoder } from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
  getSetLoadedAccountsDataSizeLimitInstruction,
} from '@solana-program/compute-budget';
import { expect, test } from 'vitest';
import {
  BASE64,
  call,
  failure,
  forged,
  freshAddress,
  fundedSigner,
  type Json,
  now,
  result,
  type Signed,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sendTransfer,
  sign,
  startNode,
  TOKEN_PROGRAM,
  transfer,
} from './harness.js';

// Expected is what Agave 3.0 returns: `rpc/src/rpc.rs` (`send_transaction`, `request_airdrop`, `get_fee_for_message`),
// `rpc-client-api/src/custom_error.rs`, and what a leader takes: `svm/src/account_loader.rs`, `fee/src/lib.rs`.

// Slots only move by warp here, so that nothing depends on when a test runs.
const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
node.warp({ slots: 40 });

const bytesOf = (base64: string) => Buffer.from(base64, 'base64');
const status = async (signature: string) =>
  (await result(node, 'getSignatureStatuses', [signature], { searchTransactionHistory: true })).value[0];

test('a transfer lands, pays its fee and is there at once', async () => {
  const to = await freshAddress();
  const before = (await result(node, 'getBalance', payer.address, now)).value;
  const signature = await sendTransfer(node, payer, to, SOL);
  expect((await result(node, 'getBalance', to, now)).value).toBe(1_000_000_000);
  expect((await result(node, 'getBalance', payer.address, now)).value).toBe(before - 1_000_005_000);
  expect(await status(signature)).toEqual({
    confirmationStatus: 'processed',
    confirmations: 0,
    err: null,
    slot: await result(node, 'getSlot', { commitment: 'processed' }),
    status: { Ok: null },
  });
});

test('base58 is the default encoding, base64 must be named, others are refused', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  const base58 = getBase58Decoder().decode(getBase64Encoder().encode(signed.wire));
  expect(await result(node, 'sendTransaction', base58, { preflightCommitment: 'confirmed' })).toBe(
    signed.signature,
  );
  expect(await failure(node, 'sendTransaction', signed.wire, { encoding: 'json' })).toEqual({
    code: -32602,
    message: 'unsupported encoding: json. Supported encodings: base58, base64',
  });
  expect(await failure(node, 'sendTransaction', signed.wire)).toMatchObject({
    code: -32602,
    message: expect.stringMatching(
      /^invalid base58 encoding: InvalidCharacter \{ character: '.', index: \d+ \}$/,
    ),
  });
});

test('undecodable and oversized transactions are -32602', async () => {
  // Agave `rpc/src/rpc.rs`, `decode_and_deserialize`; what is in it are the errors of the crate base64.
  for (const [text, fault] of [
    ['AA!A', 'InvalidByte(2, 33)'],
    ['AAAAA', 'InvalidLength(5)'],
    ['AAA', 'InvalidPadding'],
    ['AAF=', 'InvalidLastSymbol(2, 70)'],
  ])
    expect(await failure(node, 'sendTransaction', text, BASE64)).toEqual({
      code: -32602,
      message: `invalid base64 encoding: ${fault}`,
    });
  expect(await failure(node, 'sendTransaction', 'AAAA', BASE64)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('failed to deserialize'),
  });
  expect(await failure(node, 'sendTransaction', 'A'.repeat(1648), BASE64)).toEqual({
    code: -32602,
    message:
      'base64 encoded solana_transaction::versioned::VersionedTransaction too large: 1648 bytes (max: encoded/raw 1644/1232)',
  });
  const oversize = Buffer.alloc(1233).toString('base64');
  expect(await failure(node, 'sendTransaction', oversize, BASE64)).toEqual({
    code: -32602,
    message:
      'decoded solana_transaction::versioned::VersionedTransaction too large: 1233 bytes (max: 1232 bytes)',
  });
  expect(await failure(node, 'sendTransaction')).toMatchObject({ code: -32602 });
});

test('every truncation and every single-byte version change is refused, never executed', async () => {
  const before = (await result(node, 'getBalance', payer.address, now)).value;
  const bytes = bytesOf((await sign(node, payer, [transfer(payer, await freshAddress(), SOL)])).wire);
  const batch = Array.from({ length: bytes.length }, (_, length) =>
    bytes.subarray(0, length).toString('base64'),
  );
  for (const wire of batch) {
    expect(await failure(node, 'sendTransaction', wire, { ...BASE64, skipPreflight: true })).toMatchObject({
      code: -32602,
    });
  }
  const version1 = Buffer.from(bytes);
  version1[65] = 0x81;
  expect(await failure(node, 'sendTransaction', version1.toString('base64'), BASE64)).toMatchObject({
    code: -32602,
  });
  expect((await result(node, 'getBalance', payer.address, now)).value).toBe(before);
}, 180_000);

test('minContextSlot is checked after decoding and before everything else: -32016', async () => {
  const slot = await result(node, 'getSlot', { commitment: 'confirmed' });
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  expect(
    await failure(node, 'sendTransaction', forged(signed.wire), { ...BASE64, minContextSlot: slot + 1 }),
  ).toEqual({
    code: -32016,
    message: 'Minimum context slot has not been reached',
    data: { contextSlot: slot },
  });
  expect(
    await failure(node, 'sendTransaction', 'AAAA', { ...BASE64, minContextSlot: slot + 1 }),
  ).toMatchObject({ code: -32602 });
  expect((await send(node, signed, { minContextSlot: slot })).result).toBe(signed.signature);
});

test('an unsound message is -32602, also with skipPreflight', async () => {
  const bytes = bytesOf(
    (await sign(node, payer, [transfer(payer, await freshAddress(), SOL)], { version: 'legacy' })).wire,
  );
  // Behind the signature: header of three bytes, then the number of keys.
  bytes[65 + 1] = 1;
  for (const skipPreflight of [false, true]) {
    expect(
      await failure(node, 'sendTransaction', bytes.toString('base64'), { ...BASE64, skipPreflight }),
    ).toEqual({
      code: -32602,
      message: 'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
    });
  }
});

test('a bad signature is -32003, before the blockhash is looked at; with skipPreflight it never lands', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)], {
    blockhash: SYSTEM_PROGRAM,
  });
  expect(await failure(node, 'sendTransaction', forged(signed.wire), BASE64)).toEqual({
    code: -32003,
    message: 'Transaction signature verification failure',
  });
  const good = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  const signature = await result(node, 'sendTransaction', forged(good.wire), {
    ...BASE64,
    skipPreflight: true,
  });
  expect(await status(signature)).toBeNull();
});

test('a missing signature (all zeros) is -32003', async () => {
  const bytes = bytesOf((await sign(node, payer, [transfer(payer, await freshAddress(), SOL)])).wire);
  bytes.fill(0, 1, 65);
  expect(await failure(node, 'sendTransaction', bytes.toString('base64'), BASE64)).toMatchObject({
    code: -32003,
  });
});

test('an unknown blockhash is -32002 with the reason; with skipPreflight it never lands', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)], {
    blockhash: SYSTEM_PROGRAM,
  });
  expect((await send(node, signed)).error).toEqual({
    code: -32002,
    message: 'Transaction simulation failed: Blockhash not found',
    data: {
      accounts: null,
      err: 'BlockhashNotFound',
      fee: null,
      innerInstructions: null,
      loadedAccountsDataSize: 0,
      loadedAddresses: null,
      logs: [],
      postBalances: null,
      postTokenBalances: null,
      preBalances: null,
      preTokenBalances: null,
      replacementBlockhash: null,
      returnData: null,
      unitsConsumed: 0,
    },
  });
  expect((await send(node, signed, { skipPreflight: true })).result).toBe(signed.signature);
  expect(await status(signed.signature)).toBeNull();
});

test('a confirmed blockhash is unknown to a preflight at finalized, which is the default', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  expect(await failure(node, 'sendTransaction', signed.wire, { encoding: 'base64' })).toMatchObject({
    code: -32002,
    data: { err: 'BlockhashNotFound' },
  });
  expect((await send(node, signed)).result).toBe(signed.signature);
});

test('a program error is -32002 with logs and units, and with skipPreflight it lands and pays', async () => {
  const poor = await fundedSigner(node, SOL);
  const signed = await sign(node, poor, [transfer(poor, await freshAddress(), 5n * SOL)]);
  const { error } = await send(node, signed);
  expect(error).toMatchObject({
    code: -32002,
    message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
    data: {
      err: { InstructionError: [0, { Custom: 1 }] },
      unitsConsumed: 150,
      accounts: null,
      returnData: null,
    },
  });
  expect(error.data.logs).toContain('Transfer: insufficient lamports 999995000, need 5000000000');
  expect((await result(node, 'getBalance', poor.address, now)).value).toBe(1_000_000_000);

  expect((await send(node, signed, { skipPreflight: true })).result).toBe(signed.signature);
  expect(await status(signed.signature)).toMatchObject({
    err: { InstructionError: [0, { Custom: 1 }] },
    status: { Err: { InstructionError: [0, { Custom: 1 }] } },
  });
  expect((await result(node, 'getBalance', poor.address, now)).value).toBe(999_995_000);
});

test('a payer without lamports is refused, and never lands', async () => {
  const penniless = await generateKeyPairSigner();
  const signed = await sign(node, penniless, [transfer(penniless, await freshAddress(), 1n)]);
  expect((await send(node, signed)).error).toMatchObject({
    code: -32002,
    message:
      'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
    data: { err: 'AccountNotFound' },
  });
  expect((await send(node, signed, { skipPreflight: true })).result).toBe(signed.signature);
  expect(await status(signed.signature)).toBeNull();
});

test('a duplicate is AlreadyProcessed with preflight, and otherwise gets a response but does not run again', async () => {
  const to = await freshAddress();
  const signed = await sign(node, payer, [transfer(payer, to, SOL)]);
  expect((await send(node, signed)).result).toBe(signed.signature);
  expect((await send(node, signed)).error).toMatchObject({
    code: -32002,
    message: 'Transaction simulation failed: This transaction has already been processed',
    data: { err: 'AlreadyProcessed', logs: [] },
  });
  expect((await send(node, signed, { skipPreflight: true })).result).toBe(signed.signature);
  expect((await result(node, 'getBalance', to, now)).value).toBe(1_000_000_000);
});

test('exactly one of ten equal transactions sent at once lands', async () => {
  const to = await freshAddress();
  const signed = await sign(node, payer, [transfer(payer, to, SOL)]);
  const responses = await Promise.all(Array.from({ length: 10 }, () => send(node, signed)));
  expect(responses.filter((response) => response.result === signed.signature)).toHaveLength(1);
  expect(responses.filter((response) => response.error?.data.err === 'AlreadyProcessed')).toHaveLength(9);
  expect((await result(node, 'getBalance', to, now)).value).toBe(1_000_000_000);
});

test('a blockhash lives for 150 blocks', async () => {
  const { blockhash, lastValidBlockHeight } = (
    await result(node, 'getLatestBlockhash', { commitment: 'processed' })
  ).value;
  const height = await result(node, 'getBlockHeight', { commitment: 'processed' });
  expect(lastValidBlockHeight).toBe(height + 150);
  const early = await sign(node, payer, [transfer(payer, await freshAddress(), 1n * SOL)], { blockhash });
  const late = await sign(node, payer, [transfer(payer, await freshAddress(), 2n * SOL)], { blockhash });
  const valid = async () =>
    (await result(node, 'isBlockhashValid', blockhash, { commitment: 'processed' })).value;
  // At finalized the blockhash does not exist yet.
  expect((await result(node, 'isBlockhashValid', blockhash)).value).toBe(false);
  node.warp({ slots: 150 });
  expect(await valid()).toBe(true);
  expect((await result(node, 'isBlockhashValid', blockhash)).value).toBe(true);
  // A preflight leaves 6 blocks for the way to a leader (`bank.rs`, `simulate_transaction`).
  expect((await send(node, early)).error.data.err).toBe('BlockhashNotFound');
  await send(node, early, { skipPreflight: true });
  expect(await status(early.signature)).toMatchObject({ err: null });
  node.warp({ slots: 1 });
  expect(await valid()).toBe(false);
  expect((await send(node, late, { preflightCommitment: 'processed' })).error).toMatchObject({
    data: { err: 'BlockhashNotFound' },
  });
  // Once its blockhash is too old, what landed before is no duplicate any more.
  expect((await send(node, early, { preflightCommitment: 'processed' })).error).toMatchObject({
    data: { err: 'BlockhashNotFound' },
  });
});

test('preflight and simulation take a blockhash of 144 blocks, not of 145', async () => {
  const { blockhash } = (await result(node, 'getLatestBlockhash', { commitment: 'processed' })).value;
  const config = { encoding: 'base64', commitment: 'processed', preflightCommitment: 'processed' };
  const build = async () =>
    await sign(node, payer, [transfer(payer, await freshAddress(), SOL)], { blockhash });
  const [first, second] = [await build(), await build()];
  const simulated = async () => (await result(node, 'simulateTransaction', second.wire, config)).value.err;
  node.warp({ slots: 144 });
  expect(await simulated()).toBeNull();
  expect((await send(node, first, config)).result).toBe(first.signature);
  node.warp({ slots: 1 });
  expect(await simulated()).toBe('BlockhashNotFound');
  expect((await send(node, second, config)).error.data.err).toBe('BlockhashNotFound');
  const valid = await result(node, 'isBlockhashValid', blockhash, config);
  expect(valid.value).toBe(true);
});

test('priority fees are charged as getFeeForMessage foretells', async () => {
  const instructions = [
    getSetComputeUnitLimitInstruction({ units: 1_001 }),
    getSetComputeUnitPriceInstruction({ microLamports: 1_500_000n }),
    transfer(payer, await freshAddress(), SOL),
  ];
  const signed = await sign(node, payer, instructions);
  const message = bytesOf(signed.wire).subarray(65).toString('base64');
  const before = (await result(node, 'getBalance', payer.address, now)).value;
  // 5,000 for the signature, and 1,001 units at 1.5 lamports, rounded up.
  expect((await result(node, 'getFeeForMessage', message, { commitment: 'confirmed' })).value).toBe(6_502);
  expect((await send(node, signed)).result).toBe(signed.signature);
  expect((await result(node, 'getBalance', payer.address, now)).value).toBe(before - 1_000_006_502);
  const fees = await result(node, 'getRecentPrioritizationFees', [payer.address]);
  expect(fees.at(-1)).toMatchObject({ slot: await result(node, 'getSlot', { commitment: 'processed' }) });
  expect(fees).toHaveLength(150);
});

test('getFeeForMessage: null for an unknown blockhash, -32602 for what is no message', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)], {
    blockhash: SYSTEM_PROGRAM,
  });
  const message = bytesOf(signed.wire).subarray(65).toString('base64');
  expect((await result(node, 'getFeeForMessage', message)).value).toBeNull();
  expect(await failure(node, 'getFeeForMessage', 'AAAA')).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^failed to deserialize solana_message::versions::VersionedMessage: /),
  });
  expect(await failure(node, 'getFeeForMessage', '!!!!')).toEqual({
    code: -32602,
    message: 'invalid base64 encoding: InvalidByte(0, 33)',
  });
  expect(await failure(node, 'getFeeForMessage', 'A'.repeat(1648))).toEqual({
    code: -32602,
    message:
      'base64 encoded solana_message::versions::VersionedMessage too large: 1648 bytes (max: encoded/raw 1644/1232)',
  });
  // `SanitizeError` of the SDK, behind the text of `get_fee_for_message`. Bytes: version, then the header of three.
  const overlapping = Buffer.from(message, 'base64');
  overlapping[2] = 1;
  expect(await failure(node, 'getFeeForMessage', overlapping.toString('base64'))).toEqual({
    code: -32602,
    message: 'invalid transaction message: invalid value',
  });
  overlapping[2] = 0;
  overlapping[3] = 9;
  expect(await failure(node, 'getFeeForMessage', overlapping.toString('base64'))).toEqual({
    code: -32602,
    message: 'invalid transaction message: index out of bounds',
  });
});

test('isBlockhashValid reports a wrong blockhash without `Invalid param` (Agave `rpc.rs`, `is_blockhash_valid`)', async () => {
  for (const [text, message] of [
    ['abc', 'WrongSize'],
    ['0OIl', 'Invalid'],
  ])
    expect(await failure(node, 'isBlockhashValid', text)).toEqual({ code: -32602, message });
});

test('getRecentPrioritizationFees takes at most 128 addresses', async () => {
  const addresses = Array.from({ length: 129 }, () => payer.address);
  expect(await failure(node, 'getRecentPrioritizationFees', addresses)).toEqual({
    code: -32602,
    message: 'Too many inputs provided; max 128',
  });
  expect(await result(node, 'getRecentPrioritizationFees', addresses.slice(1))).toHaveLength(150);
});

test('requestAirdrop lands as a transaction; two equal ones are two', async () => {
  const to = await freshAddress();
  const first = await result(node, 'requestAirdrop', to, 1_000_000_000);
  const second = await result(node, 'requestAirdrop', to, 1_000_000_000);
  expect(second).not.toBe(first);
  expect((await result(node, 'getBalance', to, now)).value).toBe(2_000_000_000);
  node.warp({ slots: 1 });
  const listed = await result(node, 'getSignaturesForAddress', to, { commitment: 'confirmed' });
  expect(listed.map((entry: { signature: string }) => entry.signature)).toEqual([second, first]);
});

test('an airdrop that cannot be is refused with the reason, and leaves nothing', async () => {
  const to = await freshAddress();
  expect(await failure(node, 'requestAirdrop', to, 5)).toMatchObject({
    code: -32002,
    data: { err: { InsufficientFundsForRent: { account_index: 1 } } },
  });
  expect(await failure(node, 'requestAirdrop', to, -5)).toMatchObject({ code: -32602 });
  expect((await result(node, 'getBalance', to, now)).value).toBe(0);
});

// `rpc-client-types/src/response.rs`, `RpcSimulateTransactionResult`: what getTransaction would show of it.
// `svm/src/account_loader.rs`: 64 bytes an account beside its data, and the code of programs.
// `cost-model/src/cost_model.rs`: 720 a signature, 300 a write lock, a unit for 4 bytes of data, 8 for 32 KiB loaded.
test('costUnits of a transfer are 1,481, in getTransaction and getBlock', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  await send(node, signed);
  node.warp({ slots: 1 });
  const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const { meta, slot } = await result(node, 'getTransaction', signed.signature, config);
  expect(meta.costUnits).toBe(720 + 2 * 300 + 150 + 12 / 4 + 8);
  const block = await result(node, 'getBlock', slot, config);
  expect(block.transactions.map((one: Json) => one.meta.costUnits)).toContain(1_481);
});

test('a message that names a missing lookup table is -32602', async () => {
  const bytes = bytesOf((await sign(node, payer, [transfer(payer, await freshAddress(), SOL)])).wire);
  // Version 0 ends with the number of lookups: one table, one writable index.
  const table = Buffer.concat([
    bytes.subarray(0, -1),
    Buffer.from([1]),
    Buffer.alloc(32, 9),
    Buffer.from([1, 0, 0]),
  ]);
  expect(await failure(node, 'sendTransaction', table.toString('base64'), BASE64)).toEqual({
    code: -32602,
    message: "invalid transaction: Transaction loads an address table account that doesn't exist",
  });
});

test('maxRetries is taken', async () => {
  const signed = await sign(node, payer, [transfer(payer, (await freshAddress()) as Address, SOL)]);
  expect((await send(node, signed, { maxRetries: 3 })).result).toBe(signed.signature);
  expect((await send(node, signed, { maxRetries: 'many' })).error).toMatchObject({ code: -32602 });
});

test('a transaction that never landed is never listed: bad signature, unknown blockhash, duplicate, missing payer', async () => {
  const to = await freshAddress();
  const skipPreflight = true;
  const good = await sign(node, payer, [transfer(payer, to, SOL)]);
  const stale = await sign(node, payer, [transfer(payer, to, 2n * SOL)], { blockhash: SYSTEM_PROGRAM });
  await call(node, 'sendTransaction', forged(good.wire), { ...BASE64, skipPreflight });
  await send(node, stale, { skipPreflight });
  await send(node, good, { skipPreflight });
  await send(node, good, { skipPreflight });
  node.warp({ slots: 31 });
  const listed = await result(node, 'getSignaturesForAddress', to);
  expect(listed.map((entry: { signature: string }) => entry.signature)).toEqual([good.signature]);
  expect(await result(node, 'getTransaction', stale.signature)).toBeNull();
});

test('sendTransaction wants an array of parameters with a string first', async () => {
  expect(await failure(node, 'sendTransaction', 5)).toEqual({
    code: -32602,
    message: 'Invalid params: invalid type: integer `5`, expected a string.',
  });
  expect(await failure(node, 'sendTransaction', 'AAAA', 'base64')).toMatchObject({ code: -32602 });
});

/** What is paid for a transaction that loads nothing and runs nothing (Agave `TransactionLoadResult::FeesOnly`). */
async function expectFeesOnly(signed: Signed, signer: string, err: string, fee = 5_000n) {
  const before = node.getAccount(signer)?.lamports ?? 0n;
  expect((await send(node, signed, { skipPreflight: true })).result).toBe(signed.signature);
  expect(await status(signed.signature)).toMatchObject({ err, status: { Err: err } });
  expect(node.getAccount(signer)?.lamports ?? 0n).toBe(before - fee);
  node.warp({ slots: 1 });
  const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const { meta } = await result(node, 'getTransaction', signed.signature, config);
  expect(meta).toMatchObject({
    computeUnitsConsumed: 0,
    err,
    fee: Number(fee),
    innerInstructions: null,
    logMessages: null,
    postTokenBalances: [],
  });
  expect(meta.preBalances[0] - meta.postBalances[0]).toBe(Number(fee));
  const listed = await result(node, 'getSignaturesForAddress', signer, { commitment: 'confirmed', limit: 1 });
  expect(listed[0]).toMatchObject({ signature: signed.signature, err });
}

test('a missing program is refused by preflight; without it the transaction lands and pays its fee', async () => {
  const signer = await fundedSigner(node, SOL);
  const to = await freshAddress();
  const missing = { programAddress: await freshAddress(), accounts: [] };
  const signed = await sign(node, signer, [transfer(signer, to, 1_000_000n), missing]);
  expect((await send(node, signed)).error).toMatchObject({
    code: -32002,
    message: 'Transaction simulation failed: Attempt to load a program that does not exist',
    data: { err: 'ProgramAccountNotFound', logs: [], unitsConsumed: 0 },
  });
  await expectFeesOnly(signed, signer.address, 'ProgramAccountNotFound');
  // Nothing ran, not even the transfer before it; and it does not land again.
  expect(node.getAccount(to)).toBeUndefined();
  expect((await send(node, signed)).error.data.err).toBe('AlreadyProcessed');
});

test('an account that is no program, called as one: it lands and pays, priority fee included', async () => {
  const signer = await fundedSigner(node, SOL);
  const wallet = await fundedSigner(node, SOL);
  const signed = await sign(node, signer, [
    getSetComputeUnitLimitInstruction({ units: 1_000 }),
    getSetComputeUnitPriceInstruction({ microLamports: 2_000_000n }),
    { programAddress: wallet.address, accounts: [] },
  ]);
  expect((await send(node, signed)).error).toMatchObject({
    message: 'Transaction simulation failed: This program may not be used for executing instructions',
    data: { err: 'InvalidProgramForExecution' },
  });
  await expectFeesOnly(signed, signer.address, 'InvalidProgramForExecution', 7_000n);
});

test('more data of accounts than the transaction allows: it lands and pays', async () => {
  const signer = await fundedSigner(node, SOL);
  const large = await freshAddress();
  node.setAccount(large, {
    lamports: SOL,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(5_000),
    executable: false,
  });
  const signed = await sign(node, signer, [
    getSetLoadedAccountsDataSizeLimitInstruction({ accountDataSizeLimit: 4_000 }),
    { ...transfer(signer, large, 1n) },
  ]);
  expect((await send(node, signed)).error).toMatchObject({
    message: 'Transaction simulation failed: Transaction exceeded max loaded accounts data size cap',
  });
  await expectFeesOnly(signed, signer.address, 'MaxLoadedAccountsDataSizeExceeded');
});

test('a payer that cannot pay is not charged: too little, no wallet, less than rent left', async () => {
  const missing = { programAddress: await freshAddress(), accounts: [] };
  const poor = async (state: Partial<AccountState>) => {
    const signer = await generateKeyPairSigner();
    const rest = { lamports: SOL, owner: SYSTEM_PROGRAM, data: new Uint8Array(0), executable: false };
    node.setAccount(signer.address, { ...rest, ...state });
    const signed = await sign(node, signer, [missing]);
    await send(node, signed, { skipPreflight: true });
    return { landed: await status(signed.signature), left: node.getAccount(signer.address)?.lamports };
  };
  const gone = { landed: null };
  expect(await poor({ lamports: 4_999n })).toEqual({ ...gone, left: 4_999n });
  // 890,880 keep an account without data; with the fee gone it would be less, but not nothing.
  expect(await poor({ lamports: 892_000n })).toEqual({ ...gone, left: 892_000n });
  expect(await poor({ owner: TOKEN_PROGRAM })).toEqual({ ...gone, left: SOL });
  expect(await poor({ data: new Uint8Array(7) })).toEqual({ ...gone, left: SOL });
  expect(await poor({ lamports: 5_000n })).toMatchObject({ landed: { err: 'ProgramAccountNotFound' } });
});

test('getFeeForMessage counts every signature', async () => {
  const other = await fundedSigner(node, SOL);
  const signed = await sign(node, payer, [
    transfer(other, payer.address, 1n),
    transfer(payer, other.address, 1n),
  ]);
  const message = bytesOf(signed.wire)
    .subarray(1 + 2 * 64)
    .toString('base64');
  expect((await result(node, 'getFeeForMessage', message, { commitment: 'confirmed' })).value).toBe(10_000);
});

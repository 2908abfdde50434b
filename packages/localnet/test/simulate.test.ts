import type { Address } from '@solana/kit';
import { getSetLoadedAccountsDataSizeLimitInstruction } from '@solana-program/compute-budget';
import { getTransferInstruction } from '@solana-program/token';
import { expect, test } from 'vitest';
import {
  call,
  failure,
  forged,
  freshAddress,
  fundedSigner,
  type Json,
  makeMint,
  result,
  type Signed,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sign,
  startNode,
  transfer,
} from './harness.js';

// Expected is what Agave 3.0 returns: `rpc/src/rpc.rs` (`simulate_transaction`), `runtime/src/bank.rs`.

// Slots only move by warp here, so that nothing depends on when a test runs.
const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
node.warp({ slots: 40 });

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

test('simulateTransaction: logs, units, accounts after, and nothing kept', async () => {
  const to = await freshAddress();
  const signed = await sign(node, payer, [transfer(payer, to, SOL)]);
  const accounts = { encoding: 'base64', addresses: [to, SYSTEM_PROGRAM] };
  const { value, context } = await result(node, 'simulateTransaction', signed.wire, {
    encoding: 'base64',
    commitment: 'confirmed',
    sigVerify: true,
    innerInstructions: true,
    accounts,
  });
  expect(context.slot).toBe(await result(node, 'getSlot', { commitment: 'confirmed' }));
  expect(value).toMatchObject({ err: null, unitsConsumed: 150, innerInstructions: [], returnData: null });
  expect(value.logs).toEqual([`Program ${SYSTEM_PROGRAM} invoke [1]`, `Program ${SYSTEM_PROGRAM} success`]);
  expect(value.accounts[0]).toMatchObject({ lamports: 1_000_000_000, owner: SYSTEM_PROGRAM });
  // A read-only account of the transaction is returned as well.
  expect(value.accounts[1]).toMatchObject({ executable: true });
  expect((await result(node, 'getBalance', to)).value).toBe(0);
});

test('simulateTransaction reports the fee, and balances before and after', async () => {
  const signer = await fundedSigner(node, SOL);
  const mint = await makeMint(node, signer.address);
  const source = (await node.setTokenBalance(signer.address, mint, 30n)) as Address;
  const destination = (await node.setTokenBalance(await freshAddress(), mint, 0n)) as Address;
  const move = getTransferInstruction({ source, destination, authority: signer, amount: 7n });
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const simulate = async (signed: Signed) =>
    (await result(node, 'simulateTransaction', signed.wire, config)).value;
  const signed = await sign(node, signer, [move]);
  const value = await simulate(signed);
  expect(value).toMatchObject({ err: null, fee: 5_000, loadedAddresses: { readonly: [], writable: [] } });
  expect((await send(node, signed)).result).toBe(signed.signature);
  node.warp({ slots: 1 });
  const { meta } = await result(node, 'getTransaction', signed.signature, {
    commitment: 'confirmed',
    maxSupportedTransactionVersion: 0,
  });
  for (const side of ['preBalances', 'postBalances', 'preTokenBalances', 'postTokenBalances'])
    expect(value[side]).toEqual(meta[side]);
  expect(value.postTokenBalances.map((one: Json) => one.uiTokenAmount.amount).sort()).toEqual(['23', '7']);

  const failing = await simulate(await sign(node, signer, [transfer(signer, destination, 5n * SOL)]));
  expect(failing).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, fee: 5_000 });
  expect(failing.preBalances[0] - failing.postBalances[0]).toBe(5_000);
  const stale = await sign(node, signer, [move], { blockhash: SYSTEM_PROGRAM });
  const refused = await simulate(stale);
  expect(refused).toMatchObject({ err: 'BlockhashNotFound', fee: null, loadedAccountsDataSize: 0 });
  expect(refused.postBalances).toEqual(refused.preBalances);
  // 890,880 keep an account without data; with the fee gone it would be less, but not nothing.
  const poor = await fundedSigner(node, 892_000n);
  const unpaid = await simulate(await sign(node, poor, [transfer(poor, signer.address, 1n)]));
  expect(unpaid).toMatchObject({ err: { InsufficientFundsForRent: { account_index: 0 } }, fee: null });
  expect(unpaid.postBalances).toEqual(unpaid.preBalances);
});

test('loadedAccountsDataSize is what the limit of a transaction is held against, to the byte', async () => {
  const mint = await makeMint(node, payer.address);
  const source = (await node.setTokenBalance(payer.address, mint, 30n)) as Address;
  const missing = await freshAddress();
  const work = [
    transfer(payer, missing, SOL),
    getTransferInstruction({ source, destination: source, authority: payer, amount: 7n }),
    { programAddress: MEMO, accounts: [], data: new TextEncoder().encode('x') },
  ];
  const simulate = async (accountDataSizeLimit: number) => {
    const limit = getSetLoadedAccountsDataSizeLimitInstruction({ accountDataSizeLimit });
    const signed = await sign(node, payer, [limit, ...work]);
    const config = { encoding: 'base64', commitment: 'confirmed' };
    return (await result(node, 'simulateTransaction', signed.wire, config)).value;
  };
  const { err, loadedAccountsDataSize: size } = await simulate(10_000_000);
  expect([err, size > 100_000]).toEqual([null, true]);
  expect(await simulate(size)).toMatchObject({ err: null, loadedAccountsDataSize: size });
  expect(await simulate(size - 1)).toMatchObject({
    err: 'MaxLoadedAccountsDataSizeExceeded',
    fee: 5_000,
    loadedAccountsDataSize: 0,
  });

  // What the VM itself counts where no program has its code elsewhere: the payer, and two programs of 21 and 22 bytes.
  const limit = getSetLoadedAccountsDataSizeLimitInstruction({ accountDataSizeLimit: 3 * 64 + 43 });
  const small = await sign(node, payer, [limit, transfer(payer, missing, SOL)]);
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await result(node, 'simulateTransaction', small.wire, config);
  expect(value).toMatchObject({ err: null, loadedAccountsDataSize: 235 });
});

test('simulateTransaction refuses what a node refuses', async () => {
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  const simulate = (config: object) =>
    call(node, 'simulateTransaction', signed.wire, {
      encoding: 'base64',
      commitment: 'confirmed',
      ...config,
    });
  expect((await simulate({ sigVerify: true, replaceRecentBlockhash: true })).error).toEqual({
    code: -32602,
    message: 'sigVerify may not be used with replaceRecentBlockhash',
  });
  expect((await simulate({ accounts: { encoding: 'base58', addresses: [] } })).error).toMatchObject({
    code: -32602,
  });
  const addresses = Array.from({ length: 4 }, () => payer.address);
  expect((await simulate({ accounts: { encoding: 'base64', addresses } })).error).toEqual({
    code: -32602,
    message: 'Too many accounts provided; max 3',
  });
  const broken = await failure(node, 'simulateTransaction', forged(signed.wire), {
    encoding: 'base64',
    commitment: 'confirmed',
    sigVerify: true,
  });
  expect(broken).toMatchObject({ code: -32003 });
  expect((await simulate({ minContextSlot: 1_000_000 })).error).toMatchObject({ code: -32016 });
});

test('simulateTransaction reports errors in its value; a landed transaction is AlreadyProcessed', async () => {
  const unknown = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)], {
    blockhash: SYSTEM_PROGRAM,
  });
  const config = { encoding: 'base64', commitment: 'confirmed' };
  expect((await result(node, 'simulateTransaction', unknown.wire, config)).value).toMatchObject({
    err: 'BlockhashNotFound',
    logs: [],
  });
  const replaced = await result(node, 'simulateTransaction', unknown.wire, {
    ...config,
    replaceRecentBlockhash: true,
  });
  const latest = (await result(node, 'getLatestBlockhash', { commitment: 'confirmed' })).value;
  expect(replaced.value).toMatchObject({ err: null, replacementBlockhash: latest });
  const landed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  await send(node, landed);
  expect((await result(node, 'simulateTransaction', landed.wire, config)).value.err).toBe('AlreadyProcessed');
  const failing = await sign(node, payer, [transfer(payer, await freshAddress(), 10_000n * SOL)]);
  const { value } = await result(node, 'simulateTransaction', failing.wire, {
    ...config,
    accounts: { encoding: 'base64', addresses: [payer.address] },
  });
  expect(value).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, accounts: [null] });
});

test('simulateTransaction: accounts outside the transaction, missing ones, parsed token accounts', async () => {
  const mint = await makeMint(node, payer.address);
  const token = await node.setTokenBalance(payer.address, mint, 1_500_000n);
  const [to, outside] = [await freshAddress(), await freshAddress()];
  const signed = await sign(node, payer, [transfer(payer, to, SOL)]);
  const { value } = await result(node, 'simulateTransaction', signed.wire, {
    encoding: 'base64',
    commitment: 'confirmed',
    accounts: { encoding: 'jsonParsed', addresses: [token, outside, to] },
  });
  // A node looks what the transaction does not name up in its bank.
  expect(value.accounts[0].data.parsed.info).toMatchObject({ mint, tokenAmount: { uiAmountString: '1.5' } });
  expect(value.accounts[1]).toBeNull();
  expect(value.accounts[2]).toMatchObject({ lamports: 1_000_000_000, data: ['', 'base64'] });
  expect(value).toMatchObject({ innerInstructions: null, replacementBlockhash: null, returnData: null });
});

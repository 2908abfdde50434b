import { type Address, generateKeyPairSigner } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
} from '@solana-program/token';
import { beforeAll, expect, test } from 'vitest';
import {
  cpuMs,
  failure,
  freshAddress,
  fundedSigner,
  type Json,
  makeMint,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sendTransfer,
  sign,
  startNode,
  TOKEN_PROGRAM,
  transfer,
} from './harness.js';

// Expected is what Agave 3.0 returns: `rpc/src/rpc.rs` (`get_transaction`, `get_signatures_for_address`, `get_block`),
// `ledger/src/blockstore.rs` (`get_confirmed_signatures_for_address2`), `transaction-status/src/lib.rs`.

const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const memo = (text: string) => getAddMemoInstruction({ memo: text }, { programAddress: MEMO });
const finalize = () => node.warp({ slots: 31 });
const V0 = { maxSupportedTransactionVersion: 0 };

async function sendAll(
  instructions: Parameters<typeof sign>[2],
  config: object = {},
  options: Parameters<typeof sign>[3] = {},
): Promise<string> {
  const signed = await sign(node, payer, instructions, options);
  const response = await send(node, signed, config);
  if (response.error) throw new Error(JSON.stringify(response.error));
  return signed.signature;
}

test('a transaction becomes confirmed one slot later and finalized 31 later', async () => {
  const signature = await sendTransfer(node, payer, await freshAddress(), SOL);
  const status = async () => (await result(node, 'getSignatureStatuses', [signature])).value[0];
  const seen = async (commitment: string) =>
    (await result(node, 'getTransaction', signature, { ...V0, commitment })) !== null;
  expect(await status()).toMatchObject({ confirmationStatus: 'processed', confirmations: 0 });
  expect(await seen('confirmed')).toBe(false);
  node.warp({ slots: 1 });
  expect(await status()).toMatchObject({ confirmationStatus: 'confirmed', confirmations: 1 });
  expect([await seen('confirmed'), await seen('finalized')]).toEqual([true, false]);
  expect(await result(node, 'getTransaction', signature, V0)).toBeNull();
  node.warp({ slots: 29 });
  expect(await status()).toMatchObject({ confirmationStatus: 'confirmed', confirmations: 30 });
  node.warp({ slots: 1 });
  expect(await status()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
  expect(await seen('finalized')).toBe(true);
});

test('methods of history refuse the commitment processed', async () => {
  const signature = await sendTransfer(node, payer, await freshAddress(), SOL);
  const refused = { code: -32602, message: 'Method does not support commitment below `confirmed`' };
  const processed = { commitment: 'processed' };
  expect(await failure(node, 'getTransaction', signature, processed)).toEqual(refused);
  expect(await failure(node, 'getSignaturesForAddress', payer.address, processed)).toEqual(refused);
  expect(await failure(node, 'getBlock', 5, processed)).toEqual(refused);
});

test('statuses: old ones only when the history is searched, 256 at most', async () => {
  const signature = await sendTransfer(node, payer, await freshAddress(), SOL);
  node.warp({ slots: 151 });
  const status = async (config?: object) =>
    (await result(node, 'getSignatureStatuses', [signature], config)).value[0];
  expect(await status()).toBeNull();
  expect(await status({ searchTransactionHistory: true })).toMatchObject({
    confirmationStatus: 'finalized',
    err: null,
  });
  expect(await failure(node, 'getSignatureStatuses', Array(257).fill(signature))).toEqual({
    code: -32602,
    message: 'Too many inputs provided; max 256',
  });
  expect(await failure(node, 'getSignatureStatuses', ['abc'])).toEqual({
    code: -32602,
    message: 'Invalid param: WrongSize',
  });
});

test('getTransaction returns all its encodings', async () => {
  const to = await freshAddress();
  const signed = await sign(node, payer, [transfer(payer, to, SOL)], { version: 'legacy' });
  await send(node, signed);
  finalize();
  const json = await result(node, 'getTransaction', signed.signature);
  expect(json).toMatchObject({
    slot: expect.any(Number),
    blockTime: await result(node, 'getBlockTime', json.slot),
    meta: {
      computeUnitsConsumed: 150,
      err: null,
      fee: 5_000,
      innerInstructions: [],
      loadedAddresses: { writable: [], readonly: [] },
      logMessages: [`Program ${SYSTEM_PROGRAM} invoke [1]`, `Program ${SYSTEM_PROGRAM} success`],
      preTokenBalances: [],
      postTokenBalances: [],
      status: { Ok: null },
    },
    transaction: {
      signatures: [signed.signature],
      message: {
        accountKeys: [payer.address, to, SYSTEM_PROGRAM],
        header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1, numRequiredSignatures: 1 },
        instructions: [{ accounts: [0, 1], programIdIndex: 2, data: '3Bxs3zzLZLuLQEYX' }],
      },
    },
  });
  const [before, after] = [json.meta.preBalances, json.meta.postBalances];
  expect([before[1], after[1], before[0] - after[0]]).toEqual([0, 1_000_000_000, 1_000_005_000]);
  expect('version' in json).toBe(false);
  expect('returnData' in json.meta).toBe(false);
  expect((await result(node, 'getTransaction', signed.signature, V0)).version).toBe('legacy');

  const parsed = await result(node, 'getTransaction', signed.signature, { encoding: 'jsonParsed', ...V0 });
  expect(parsed.transaction.message.instructions).toEqual([
    {
      parsed: { type: 'transfer', info: { destination: to, lamports: 1_000_000_000, source: payer.address } },
      program: 'system',
      programId: SYSTEM_PROGRAM,
      stackHeight: 1,
    },
  ]);
  expect(parsed.transaction.message.accountKeys[0]).toEqual({
    pubkey: payer.address,
    signer: true,
    source: 'transaction',
    writable: true,
  });
  const base64 = await result(node, 'getTransaction', signed.signature, { encoding: 'base64', ...V0 });
  expect(base64.transaction).toEqual([signed.wire, 'base64']);
  const base58 = await result(node, 'getTransaction', signed.signature, { encoding: 'base58', ...V0 });
  const { getBase58Encoder } = await import('@solana/kit');
  expect(Buffer.from(getBase58Encoder().encode(base58.transaction[0])).toString('base64')).toBe(signed.wire);
  // Older clients pass the encoding alone.
  expect((await result(node, 'getTransaction', signed.signature, 'base64')).transaction[1]).toBe('base64');
});

test('a version 0 transaction needs maxSupportedTransactionVersion: -32015, also in getBlock', async () => {
  const signature = await sendTransfer(node, payer, await freshAddress(), SOL);
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  finalize();
  const unsupported = {
    code: -32015,
    message:
      'Transaction version (0) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
  };
  expect(await failure(node, 'getTransaction', signature)).toEqual(unsupported);
  expect(await failure(node, 'getBlock', slot)).toEqual(unsupported);
  expect((await result(node, 'getTransaction', signature, V0)).version).toBe(0);
});

test('token balances: each side shows the accounts that exist there', async () => {
  const mint = await makeMint(node, payer.address);
  const source = (await node.setTokenBalance(payer.address, mint, 5_000_000n)) as Address;
  const owner = await generateKeyPairSigner();
  const [target] = await findAssociatedTokenPda({
    owner: owner.address,
    mint,
    tokenProgram: TOKEN_PROGRAM as Address,
  });
  const create = await getCreateAssociatedTokenIdempotentInstructionAsync({
    payer,
    owner: owner.address,
    mint,
  });
  const move = (amount: bigint) =>
    getTransferCheckedInstruction({
      source,
      mint,
      destination: target,
      authority: payer,
      amount,
      decimals: 6,
    });
  const signature = await sendAll([create, move(1_250_000n)]);
  finalize();
  const { meta, transaction } = await result(node, 'getTransaction', signature, {
    ...V0,
    encoding: 'jsonParsed',
  });
  const keys = transaction.message.accountKeys.map((key: { pubkey: string }) => key.pubkey);
  const balance = (account: string, holder: string, amount: string, uiAmount: number) => ({
    accountIndex: keys.indexOf(account),
    mint,
    owner: holder,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount, decimals: 6, uiAmount, uiAmountString: String(uiAmount) },
  });
  const byOwner = (one: Json, other: Json) => one.owner.localeCompare(other.owner);
  expect(meta.preTokenBalances).toEqual([balance(source, payer.address, '5000000', 5)]);
  expect(meta.postTokenBalances.sort(byOwner)).toEqual(
    [balance(source, payer.address, '3750000', 3.75), balance(target, owner.address, '1250000', 1.25)].sort(
      byOwner,
    ),
  );
  // The create instruction called the system and token programs.
  const inner = meta.innerInstructions[0].instructions.map(
    (one: Json) => `${one.program}:${one.parsed.type}@${one.stackHeight}`,
  );
  expect(inner).toEqual([
    'spl-token:getAccountDataSize@2',
    'system:createAccount@2',
    'spl-token:initializeImmutableOwner@2',
    'spl-token:initializeAccount3@2',
  ]);
  expect(transaction.message.instructions.map((one: Json) => one.parsed.type)).toEqual([
    'createIdempotent',
    'transferChecked',
  ]);
  expect(transaction.message.instructions[1].parsed.info).toEqual({
    authority: payer.address,
    destination: target,
    mint,
    source,
    tokenAmount: { amount: '1250000', decimals: 6, uiAmount: 1.25, uiAmountString: '1.25' },
  });
  const raw = await result(node, 'getTransaction', signature, V0);
  expect(raw.meta.innerInstructions[0]).toMatchObject({ index: 0 });
  expect(raw.meta.innerInstructions[0].instructions[0]).toEqual({
    accounts: expect.any(Array),
    data: expect.any(String),
    programIdIndex: keys.indexOf(TOKEN_PROGRAM),
    stackHeight: 2,
  });

  await node.setTokenBalance(payer.address, mint, 0n);
  const closing = await sendAll([
    getCloseAccountInstruction({ account: source, destination: payer.address, owner: payer }),
  ]);
  finalize();
  const closed = (await result(node, 'getTransaction', closing, V0)).meta;
  expect([closed.preTokenBalances.length, closed.postTokenBalances.length]).toEqual([1, 0]);
});

const listOwner = await freshAddress();
const signatures: string[] = [];
let memoSlot = 0;

beforeAll(async () => {
  // Five transactions in three slots; the last failed, and was sent without preflight.
  signatures.push(await sendAll([transfer(payer, listOwner, 1n * SOL)]));
  signatures.push(await sendAll([transfer(payer, listOwner, 2n * SOL)]));
  node.warp({ slots: 1 });
  signatures.push(await sendAll([transfer(payer, listOwner, 3n * SOL), memo('täk'), memo('two')]));
  memoSlot = await result(node, 'getSlot', { commitment: 'processed' });
  signatures.push(await sendAll([transfer(payer, listOwner, 4n * SOL)]));
  node.warp({ slots: 1 });
  signatures.push(await sendAll([transfer(payer, listOwner, 10_000n * SOL)], { skipPreflight: true }));
  finalize();
});
const list = async (config?: object) => await result(node, 'getSignaturesForAddress', listOwner, config);
const names = async (config?: object) =>
  (await list(config)).map((entry: Json) => signatures.indexOf(entry.signature));

test('getSignaturesForAddress: newest first, failed ones included', async () => {
  expect(await names()).toEqual([4, 3, 2, 1, 0]);
  const [failed, , withMemo] = await list();
  expect(failed).toMatchObject({
    err: { InstructionError: [0, { Custom: 1 }] },
    confirmationStatus: 'finalized',
    memo: null,
  });
  // The length counts bytes.
  expect(withMemo).toEqual({
    blockTime: await result(node, 'getBlockTime', memoSlot),
    confirmationStatus: 'finalized',
    err: null,
    memo: '[4] täk; [3] two',
    signature: signatures[2],
    slot: memoSlot,
    transactionIndex: 0,
  });
});

test('getSignaturesForAddress pages with before and until', async () => {
  expect(await names({ limit: 2 })).toEqual([4, 3]);
  expect(await names({ before: signatures[3], limit: 2 })).toEqual([2, 1]);
  expect(await names({ until: signatures[1] })).toEqual([4, 3, 2]);
  expect(await names({ before: signatures[4], until: signatures[1] })).toEqual([3, 2]);
  expect(await names({ before: signatures[1], until: signatures[3] })).toEqual([]);
});

test('getSignaturesForAddress: before and until may be of other addresses; unknown ones', async () => {
  const elsewhere = await sendTransfer(node, payer, await freshAddress(), SOL);
  finalize();
  expect(await names({ before: elsewhere })).toEqual([4, 3, 2, 1, 0]);
  expect(await names({ until: elsewhere })).toEqual([]);
  const unknown = '1'.repeat(64);
  expect(await names({ before: unknown })).toEqual([]);
  expect(await names({ until: unknown })).toEqual([4, 3, 2, 1, 0]);
});

test('getSignaturesForAddress refuses limits 0 and 1001, bad signatures, a slot ahead', async () => {
  const limit = { code: -32602, message: 'Invalid limit; max 1000' };
  expect(await failure(node, 'getSignaturesForAddress', listOwner, { limit: 0 })).toEqual(limit);
  expect(await failure(node, 'getSignaturesForAddress', listOwner, { limit: 1001 })).toEqual(limit);
  expect(await failure(node, 'getSignaturesForAddress', listOwner, { before: 'abc' })).toMatchObject({
    code: -32602,
  });
  expect(
    await failure(node, 'getSignaturesForAddress', listOwner, { minContextSlot: 1_000_000 }),
  ).toMatchObject({ code: -32016 });
});

test('a transaction is listed under every key it names, and only at its commitment', async () => {
  const to = await freshAddress();
  const signature = await sendTransfer(node, payer, to, SOL);
  const listed = async (key: string, commitment: string) =>
    (await result(node, 'getSignaturesForAddress', key, { commitment, limit: 1 }))
      .map((entry: Json) => entry.signature)
      .includes(signature);
  expect(await listed(to, 'confirmed')).toBe(false);
  node.warp({ slots: 1 });
  for (const key of [to, payer.address, SYSTEM_PROGRAM]) expect(await listed(key, 'confirmed')).toBe(true);
  expect(await listed(to, 'finalized')).toBe(false);
});

test('blocks chain: hash, parent and height; their blockhash is one that was handed out', async () => {
  const { blockhash } = (await result(node, 'getLatestBlockhash', { commitment: 'confirmed' })).value;
  const slot = await result(node, 'getSlot', { commitment: 'confirmed' });
  const at = (number: number, config = {}) =>
    result(node, 'getBlock', number, { commitment: 'confirmed', ...V0, ...config });
  const [block, parent] = [await at(slot), await at(slot - 1)];
  expect(block.blockhash).toBe(blockhash);
  expect(block.previousBlockhash).toBe(parent.blockhash);
  expect(block.parentSlot).toBe(slot - 1);
  expect(block.blockHeight).toBe(parent.blockHeight + 1);
  expect(block.rewards).toEqual([]);
});

test('getBlock: details full, accounts, signatures, none', async () => {
  const at = (config: object) => result(node, 'getBlock', memoSlot, { ...V0, ...config });
  const full = await at({});
  expect(full.transactions.map((one: Json) => one.transaction.signatures[0])).toEqual(signatures.slice(2, 4));
  expect(full.transactions[0]).toMatchObject({ version: 0, meta: { fee: 5_000 } });
  const accounts = await at({ transactionDetails: 'accounts' });
  expect(accounts.transactions[0].transaction.accountKeys[0]).toMatchObject({
    pubkey: payer.address,
    signer: true,
  });
  expect(accounts.transactions[0].transaction.signatures).toEqual([signatures[2]]);
  const brief = await at({ transactionDetails: 'signatures', rewards: false });
  expect(brief.signatures).toEqual(signatures.slice(2, 4));
  expect('rewards' in brief).toBe(false);
  expect('transactions' in (await at({ transactionDetails: 'none' }))).toBe(false);
});

test('a slot ahead of the commitment is -32004, in getBlock and getBlockTime', async () => {
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  const error = (at: number) => ({ code: -32004, message: `Block not available for slot ${at}` });
  expect(await failure(node, 'getBlock', slot, { commitment: 'confirmed' })).toEqual(error(slot));
  expect(await failure(node, 'getBlock', slot - 1)).toEqual(error(slot - 1));
  expect(await failure(node, 'getBlockTime', slot + 1)).toEqual(error(slot + 1));
});

test('slot, height and epoch agree', async () => {
  const config = { commitment: 'processed' };
  const slot = await result(node, 'getSlot', config);
  expect(await result(node, 'getBlockHeight', config)).toBe(slot);
  expect(await result(node, 'getEpochInfo', config)).toMatchObject({
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: 0,
    slotIndex: slot,
    slotsInEpoch: 432_000,
  });
  expect(await result(node, 'getSlot', { commitment: 'confirmed' })).toBe(slot - 1);
  expect(await result(node, 'getSlot')).toBe(slot - 31);
  expect(await result(node, 'getFirstAvailableBlock')).toBe(0);
});

test('the window of history is bounded', async () => {
  const small = await startNode({ slotMs: 3_600_000, historyTransactions: 20 });
  const sender = await fundedSigner(small, 1_000n * SOL);
  const sent: string[] = [];
  for (let i = 0; i < 60; i += 1) {
    small.warp({ slots: 1 });
    sent.push(await sendTransfer(small, sender, sender.address, BigInt(i + 1)));
  }
  small.warp({ slots: 31 });
  const listed = await result(small, 'getSignaturesForAddress', sender.address);
  expect(listed.length).toBeGreaterThanOrEqual(20);
  expect(listed.length).toBeLessThanOrEqual(22);
  expect(listed.map((entry: Json) => entry.signature)).toEqual(sent.slice(-listed.length).reverse());
  expect(await result(small, 'getTransaction', sent[0], V0)).toBeNull();
  const first = await result(small, 'getFirstAvailableBlock');
  expect(first).toBe(listed.at(-1).slot + 1);
  expect(await failure(small, 'getBlock', first - 1)).toMatchObject({ code: -32001 });
}, 180_000);

test('a page of 1,000 signatures out of 100,000 takes less than 20 ms, wherever it begins', async () => {
  const { History } = await import('../src/history.js');
  const history = new History(100_000);
  // As the search halves its list each time, a million is four steps more; the benchmark measures that.
  const total = 100_000;
  const name = (i: number) => String(i).padStart(64, 'z');
  const shared = { blockTime: 0, err: null, memo: null, loaded: { writable: [], readonly: [] } };
  const rest = { keys: [payer.address], unitPrice: 0, number: 0 };
  for (let i = 0; i < total; i += 1)
    history.add({ ...shared, ...rest, signature: name(i), slot: Math.floor(i / 50), index: i % 50 });
  const times: number[] = [];
  for (const from of [1_000, 30_000, 50_000, 70_000, 99_999]) {
    let page: { signature: string }[] = [];
    const ask = () => {
      page = history.of(payer.address, { before: name(from), limit: 1_000, maxSlot: total });
    };
    times.push(await cpuMs(ask));
    expect(page[0]?.signature).toBe(name(from - 1));
    expect(page.at(-1)?.signature).toBe(name(from - 1_000));
  }
  expect(times.sort((one, other) => one - other)[2]).toBeLessThan(20);
}, 180_000);

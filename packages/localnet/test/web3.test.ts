import { getBase58Decoder } from '@solana/kit';
import {
  type AccountInfo,
  Connection,
  Keypair,
  type Logs,
  NONCE_ACCOUNT_LENGTH,
  NonceAccount,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, expect, test } from 'vitest';
import { makeMint, startNode, until } from './harness.js';

const node = await startNode({ slotMs: 50 });
const connection = new Connection(node.rpcUrl, 'confirmed');
const SOL = 1_000_000_000;

interface Internals {
  _disableBlockhashCaching: boolean;
  _rpcWebSocket: { setAutoReconnect(on: boolean): void; close(): void };
}
const internals = connection as unknown as Internals;

// A blockhash is kept for 30 s otherwise, whether it is still good or not: here they last for 7.5 s.
internals._disableBlockhashCaching = true;

// web3.js has no call that ends its socket, and would try to get it back for ever once the node is gone: at a port
// where another one may listen by then.
afterAll(() => {
  internals._rpcWebSocket.setAutoReconnect(false);
  internals._rpcWebSocket.close();
});

async function funded(): Promise<Keypair> {
  const keypair = Keypair.generate();
  const signature = await connection.requestAirdrop(keypair.publicKey, 10 * SOL);
  await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) });
  return keypair;
}

const transfer = (from: Keypair, to: PublicKey, lamports: number) =>
  new Transaction().add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports }));

test('web3.js: requestAirdrop, confirmTransaction and sendAndConfirmTransaction work', async () => {
  const from = await funded();
  const to = Keypair.generate().publicKey;
  const signature = await sendAndConfirmTransaction(connection, transfer(from, to, SOL), [from]);
  expect(await connection.getBalance(to)).toBe(SOL);
  expect((await connection.getSignatureStatus(signature)).value).toMatchObject({
    err: null,
    // A busy machine may finalize it before the status is read.
    confirmationStatus: expect.toBeOneOf(['confirmed', 'finalized']),
  });
});

test('web3.js: sendAndConfirmTransaction works at finalized and with skipPreflight', async () => {
  const from = await funded();
  const to = Keypair.generate().publicKey;
  await sendAndConfirmTransaction(connection, transfer(from, to, SOL), [from], {
    commitment: 'finalized',
    skipPreflight: true,
  });
  expect(await connection.getBalance(to, 'finalized')).toBe(SOL);
});

test('a failing transaction: thrown with its logs, and confirmed with its error', async () => {
  const from = await funded();
  const failing = transfer(from, Keypair.generate().publicKey, 100 * SOL);
  const error = await sendAndConfirmTransaction(connection, failing, [from]).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SendTransactionError);
  expect((error as SendTransactionError).message).toContain('custom program error: 0x1');
  expect((error as SendTransactionError).logs).toContainEqual(
    expect.stringContaining('insufficient lamports'),
  );
  const landed = await sendAndConfirmTransaction(connection, failing, [from], { skipPreflight: true }).catch(
    (thrown: unknown) => thrown,
  );
  // web3.js rejects with its own error when the socket was first, with the bare one when the status did.
  expect(
    landed instanceof SendTransactionError ? landed.transactionError.message : JSON.stringify(landed),
  ).toContain('"Custom":1');
});

test('an expired blockhash: Blockhash not found', async () => {
  const from = await funded();
  const transaction = transfer(from, Keypair.generate().publicKey, SOL);
  transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
  transaction.sign(from);
  node.warp({ slots: 200 });
  await expect(connection.sendRawTransaction(transaction.serialize())).rejects.toThrow('Blockhash not found');
});

test('web3.js: versioned transactions land', async () => {
  const from = await funded();
  const to = Keypair.generate().publicKey;
  const message = new TransactionMessage({
    payerKey: from.publicKey,
    recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: SOL })],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign([from]);
  const simulated = await connection.simulateTransaction(transaction, { sigVerify: true });
  expect(simulated.value).toMatchObject({ err: null, unitsConsumed: 150 });
  const signature = await connection.sendTransaction(transaction);
  await connection.confirmTransaction(signature);
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found).toMatchObject({ version: 0, meta: { fee: 5_000, err: null } });
  expect((await connection.getFeeForMessage(message)).value).toBe(5_000);
  const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(parsed?.transaction.message.instructions[0]).toMatchObject({
    program: 'system',
    parsed: { type: 'transfer' },
  });
  expect(parsed?.transaction.message.accountKeys[0]).toMatchObject({ signer: true, writable: true });
});

test('web3.js: onSignature, onAccountChange and onLogs notify', async () => {
  const from = await funded();
  const to = Keypair.generate().publicKey;
  const accounts: AccountInfo<Buffer>[] = [];
  const logs: Logs[] = [];
  const slots: number[] = [];
  const ids = [
    connection.onAccountChange(to, (account) => accounts.push(account)),
    connection.onLogs(to, (entry) => logs.push(entry)),
    connection.onSlotChange(({ slot }) => slots.push(slot)),
  ] as const;
  await until(() => (slots.length > 0 ? true : undefined));
  const transaction = transfer(from, to, SOL);
  transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
  transaction.sign(from);
  const raw = transaction.serialize();
  const signature = getBase58Decoder().decode(transaction.signature ?? Buffer.alloc(0));
  const reported = new Promise((resolve) => connection.onSignature(signature, (outcome) => resolve(outcome)));
  await connection.sendRawTransaction(raw);
  expect(await reported).toEqual({ err: null });
  await until(() => (accounts.length > 0 && logs.length > 0 ? true : undefined));
  expect(accounts[0]).toMatchObject({ lamports: SOL, owner: SystemProgram.programId });
  expect(logs[0]).toMatchObject({ signature, err: null });
  await connection.removeAccountChangeListener(ids[0]);
  await connection.removeOnLogsListener(ids[1]);
  await connection.removeSlotChangeListener(ids[2]);
});

test('reads: accounts, tokens, history, blocks, cluster', async () => {
  const from = await funded();
  const mint = await makeMint(node, from.publicKey.toBase58());
  const token = new PublicKey(await node.setTokenBalance(from.publicKey.toBase58(), mint, 1_500_000n));
  const owned = await connection.getParsedTokenAccountsByOwner(from.publicKey, { mint: new PublicKey(mint) });
  expect(owned.value[0]?.account.data.parsed.info.tokenAmount.uiAmount).toBe(1.5);
  expect((await connection.getTokenAccountBalance(token)).value.amount).toBe('1500000');
  expect((await connection.getAccountInfo(token))?.data).toHaveLength(165);
  const programs = await connection.getProgramAccounts(
    new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
    {
      filters: [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint } }],
    },
  );
  expect(programs.map(({ pubkey }) => pubkey.toBase58())).toEqual([token.toBase58()]);
  const [newest] = await connection.getSignaturesForAddress(from.publicKey);
  const block = await connection.getBlock(newest?.slot ?? 0, { maxSupportedTransactionVersion: 0 });
  expect(block?.transactions.map((one) => one.transaction.signatures[0])).toContain(newest?.signature);
  expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
  expect((await connection.getEpochInfo()).epoch).toBe(0);
  expect(new PublicKey(await connection.getGenesisHash()).toBytes()).toHaveLength(32);
  expect((await connection.getVersion())['solana-core']).toMatch(/^\d+\.\d+\.\d+$/);
  expect(await connection.isBlockhashValid((await connection.getLatestBlockhash()).blockhash)).toMatchObject({
    value: true,
  });
});

test('web3.js: onProgramAccountChange notifies with filters', async () => {
  const from = await funded();
  const mint = await makeMint(node, from.publicKey.toBase58());
  const reported: string[] = [];
  const program = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint } }];
  const id = connection.onProgramAccountChange(
    program,
    ({ accountId }) => reported.push(accountId.toBase58()),
    {
      commitment: 'processed',
      filters,
    },
  );
  const other = await makeMint(node, from.publicKey.toBase58());
  const account = await until(async () => {
    // The subscription is made in the background: written until a notification comes.
    await node.setTokenBalance(from.publicKey.toBase58(), other, 1n);
    const written = await node.setTokenBalance(from.publicKey.toBase58(), mint, 5n);
    return reported.length > 0 ? written : undefined;
  });
  expect(new Set(reported)).toEqual(new Set([account]));
  await connection.removeProgramAccountChangeListener(id);
});

test('a durable nonce with web3.js: made, read, used, confirmed by its nonce, gone', async () => {
  const from = await funded();
  const account = Keypair.generate();
  const create = SystemProgram.createNonceAccount({
    fromPubkey: from.publicKey,
    noncePubkey: account.publicKey,
    authorizedPubkey: from.publicKey,
    lamports: await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH),
  });
  const latest = await connection.getLatestBlockhash();
  create.recentBlockhash = latest.blockhash;
  create.feePayer = from.publicKey;
  create.sign(from, account);
  const made = await connection.sendRawTransaction(create.serialize());
  await connection.confirmTransaction({ signature: made, ...latest });
  const noncePubkey = account.publicKey;
  const { nonce } = NonceAccount.fromAccountData(
    (await connection.getAccountInfo(noncePubkey))?.data ?? Buffer.alloc(0),
  );
  node.warp({ slots: 200 });
  const nonceInstruction = SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey: from.publicKey });
  const build = (lamports: number) => {
    const transaction = transfer(from, from.publicKey, lamports);
    transaction.nonceInfo = { nonce, nonceInstruction };
    transaction.feePayer = from.publicKey;
    transaction.sign(from);
    return transaction.serialize();
  };
  const signature = await connection.sendRawTransaction(build(1));
  const strategy = {
    signature,
    minContextSlot: await connection.getSlot(),
    nonceAccountPubkey: noncePubkey,
    nonceValue: nonce,
  };
  // By whichever of its two ways it saw it first.
  expect((await connection.confirmTransaction(strategy)).value).toMatchObject({ err: null });
  await expect(connection.sendRawTransaction(build(2))).rejects.toThrow('Blockhash not found');
  expect((await connection.getNonce(noncePubkey))?.nonce).not.toBe(nonce);
});

test('clusters: supply, votes, leaders, blocks, samples, largest accounts, delegates', async () => {
  const from = await funded();
  const owner = from.publicKey.toBase58();
  const mint = new PublicKey(await makeMint(node, owner));
  const token = await node.setTokenBalance(owner, mint.toBase58(), 7n);
  expect((await connection.getTokenLargestAccounts(mint)).value[0]).toMatchObject({ amount: '7' });
  expect((await connection.getTokenLargestAccounts(mint)).value[0]?.address.toBase58()).toBe(token);
  expect((await connection.getSupply()).value.total).toBeGreaterThan(SOL);
  expect((await connection.getVoteAccounts()).current).toHaveLength(1);
  expect(await connection.getSlotLeader()).toBe((await connection.getClusterNodes())[0]?.pubkey);
  expect(await connection.getBlocks(1, 3)).toEqual([1, 2, 3]);
  expect((await connection.getEpochSchedule()).slotsPerEpoch).toBe(432_000);
  expect((await connection.getRecentPerformanceSamples(1)).length).toBeLessThanOrEqual(1);
  expect((await connection.getInflationRate()).total).toBe(0);
  expect((await connection.getInflationGovernor()).initial).toBe(0);
  expect(await connection.getTransactionCount()).toBeGreaterThan(0);
  expect(await connection.getMinimumLedgerSlot()).toBe(0);
});

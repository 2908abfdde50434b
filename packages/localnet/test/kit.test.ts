import {
  type Address,
  airdropFactory,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { expect, test } from 'vitest';
import {
  firstOf,
  freshAddress,
  fundedSigner,
  makeMint,
  SOL,
  SYSTEM_PROGRAM,
  startNode,
  TOKEN_PROGRAM,
  transfer,
} from './harness.js';

const node = await startNode({ slotMs: 50 });
const rpc = createSolanaRpc(node.rpcUrl);
const rpcSubscriptions = createSolanaRpcSubscriptions(node.wsUrl);
const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });

async function build(payer: KeyPairSigner, instructions: Instruction[]) {
  const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (tx) => setTransactionMessageFeePayerSigner(payer, tx),
      (tx) => setTransactionMessageLifetimeUsingBlockhash(value, tx),
      (tx) => appendTransactionMessageInstructions(instructions, tx),
    ),
  );
  assertIsTransactionWithBlockhashLifetime(transaction);
  return transaction;
}

test.each(['processed', 'confirmed', 'finalized'] as const)('sendAndConfirm at %s', async (commitment) => {
  const payer = await fundedSigner(node);
  const to = await freshAddress();
  const transaction = await build(payer, [transfer(payer, to, SOL)]);
  await sendAndConfirm(transaction, { commitment });
  expect((await rpc.getBalance(to, { commitment }).send()).value).toBe(SOL);
  const { value } = await rpc.getSignatureStatuses([getSignatureFromTransaction(transaction)]).send();
  const order = ['processed', 'confirmed', 'finalized'];
  expect(order.indexOf(value[0]?.confirmationStatus ?? '')).toBeGreaterThanOrEqual(order.indexOf(commitment));
});

test('sendAndConfirm with skipPreflight', async () => {
  const payer = await fundedSigner(node);
  const to = await freshAddress();
  await sendAndConfirm(await build(payer, [transfer(payer, to, SOL)]), {
    commitment: 'confirmed',
    skipPreflight: true,
  });
  expect((await rpc.getBalance(to, { commitment: 'confirmed' }).send()).value).toBe(SOL);
});

test('a program error: thrown from preflight, and from the chain with skipPreflight', async () => {
  const payer = await fundedSigner(node, SOL);
  const failing = await build(payer, [transfer(payer, await freshAddress(), 5n * SOL)]);
  const preflight = await sendAndConfirm(failing, { commitment: 'confirmed' }).catch(
    (error: unknown) => error,
  );
  expect(
    isSolanaError(preflight, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
  ).toBe(true);
  expect(preflight).toMatchObject({
    cause: { context: { code: 1, index: 0 } },
    context: { unitsConsumed: 150n },
  });
  const landed = await sendAndConfirm(failing, { commitment: 'confirmed', skipPreflight: true }).catch(
    (error: unknown) => error,
  );
  expect(landed).toMatchObject({ context: { code: 1, index: 0 } });
});

test('a transaction that never lands ends with its block height', async () => {
  const payer = await fundedSigner(node);
  const transaction = await build(payer, [transfer(payer, await freshAddress(), SOL)]);
  node.warp({ slots: 160 });
  const outcome = await sendAndConfirm(transaction, { commitment: 'confirmed', skipPreflight: true }).catch(
    (error: unknown) => error,
  );
  expect(isSolanaError(outcome, SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED)).toBe(true);
});

test('the airdrop factory lands its airdrops', async () => {
  const recipientAddress = await freshAddress();
  const airdrop = airdropFactory({ rpc, rpcSubscriptions } as Parameters<typeof airdropFactory>[0]);
  await airdrop({ recipientAddress, lamports: lamports(3n * SOL), commitment: 'confirmed' });
  expect((await rpc.getBalance(recipientAddress).send()).value).toBe(3n * SOL);
});

test('reads decode: accounts, token accounts, history, blocks', async () => {
  const payer = await fundedSigner(node);
  const mint = await makeMint(node, payer.address);
  const token = await node.setTokenBalance(payer.address, mint, 42n);
  const account = (await rpc.getAccountInfo(token as Address, { encoding: 'jsonParsed' }).send()).value;
  expect(account).toMatchObject({ lamports: 2_039_280n, owner: TOKEN_PROGRAM, space: 165n });
  const owned = await rpc.getTokenAccountsByOwner(payer.address, { mint }, { encoding: 'base64' }).send();
  expect(owned.value.map(({ pubkey }) => pubkey)).toEqual([token]);
  expect((await rpc.getTokenAccountBalance(token as Address).send()).value.amount).toBe('42');

  const transaction = await build(payer, [transfer(payer, await freshAddress(), SOL)]);
  await sendAndConfirm(transaction, { commitment: 'confirmed' });
  const signature = getSignatureFromTransaction(transaction);
  const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;
  const found = await rpc.getTransaction(signature, { ...config, encoding: 'json' }).send();
  expect(found?.meta).toMatchObject({ fee: 5_000n, err: null });
  const [listed] = await rpc
    .getSignaturesForAddress(payer.address, { commitment: 'confirmed', limit: 1 })
    .send();
  expect(listed?.signature).toBe(signature);
  const block = await rpc.getBlock(found?.slot ?? 0n, config).send();
  expect(block?.transactions.map((one) => one.transaction.signatures[0])).toContain(signature);
  expect((await rpc.getEpochInfo().send()).slotsInEpoch).toBe(432_000n);
  expect(await rpc.getMinimumBalanceForRentExemption(0n).send()).toBe(890_880n);
});

test('subscriptions: account, program, logs, slot, root', async () => {
  const payer = await fundedSigner(node);
  const to = await freshAddress();
  const abortSignal = AbortSignal.timeout(25_000);
  const confirmed = { commitment: 'confirmed' } as const;
  // Kit drops what comes before somebody listens, so each stream is listened to before anything is sent.
  const encoding = 'base64';
  const account = firstOf(
    rpcSubscriptions.accountNotifications(to, { ...confirmed, encoding }).subscribe({ abortSignal }),
  );
  const logs = firstOf(
    rpcSubscriptions.logsNotifications({ mentions: [to] }, confirmed).subscribe({ abortSignal }),
  );
  const system = SYSTEM_PROGRAM as Address;
  const program = firstOf(
    rpcSubscriptions.programNotifications(system, { ...confirmed, encoding }).subscribe({ abortSignal }),
  );
  const slot = firstOf(rpcSubscriptions.slotNotifications().subscribe({ abortSignal }));
  const seen = await slot;
  expect([seen.parent, seen.root]).toEqual([seen.slot - 1n, seen.slot - 31n]);
  expect(typeof (await firstOf(rpcSubscriptions.rootNotifications().subscribe({ abortSignal })))).toBe(
    'bigint',
  );
  const transaction = await build(payer, [transfer(payer, to, SOL)]);
  await sendAndConfirm(transaction, confirmed);
  expect((await account).value).toMatchObject({ lamports: SOL, owner: SYSTEM_PROGRAM });
  expect((await logs).value).toMatchObject({
    signature: getSignatureFromTransaction(transaction),
    err: null,
  });
  expect((await program).value).toMatchObject({ account: { owner: SYSTEM_PROGRAM } });
});

test('a signature that exists already is notified at once', async () => {
  const payer = await generateKeyPairSigner();
  const signature = node.airdrop(payer.address, SOL);
  node.warp({ slots: 40 });
  const stream = await rpcSubscriptions
    .signatureNotifications(signature as Parameters<typeof rpcSubscriptions.signatureNotifications>[0])
    .subscribe({ abortSignal: AbortSignal.timeout(25_000) });
  for await (const notification of stream) {
    expect(notification.value).toEqual({ err: null });
    return;
  }
  throw new Error('nothing was received');
});

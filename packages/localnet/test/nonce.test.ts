import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Localnet } from '@karat/localnet';
import {
  type Address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithDurableNonceLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase58Encoder,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  type KeyPairSigner,
  type Nonce,
  pipe,
  SOLANA_ERROR__INVALID_NONCE,
  sendAndConfirmDurableNonceTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  getAdvanceNonceAccountInstruction,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getWithdrawNonceAccountInstruction,
} from '@solana-program/system';
import { afterAll, expect, test } from 'vitest';
import {
  BASE64,
  call,
  freshAddress,
  fundedSigner,
  now,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sign,
  startNode,
  transfer,
} from './harness.js';

// Expected is what Agave 3.0 does: `runtime/src/bank/check_transactions.rs` (`check_nonce_transaction_validity`),
// `programs/system/src/system_instruction.rs`, `account-decoder/src/parse_nonce.rs`.

// Slots only move by warp here, so that nothing depends on when a test runs.
const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SYSVAR = 'SysvarRecentB1ockHashes11111111111111111111' as Address;
const NONCE_RENT = 1_447_680n;

async function land(on: Localnet, from: KeyPairSigner, instructions: Instruction[]): Promise<string> {
  const signed = await sign(on, from, instructions);
  const response = await send(on, signed);
  if (response.error) throw new Error(JSON.stringify(response.error));
  return signed.signature;
}

/** A nonce account that belongs to `authority`, made a slot ago. */
async function makeNonce(authority: KeyPairSigner, on = node, from = payer): Promise<Address> {
  const account = await generateKeyPairSigner();
  await land(on, from, [
    getCreateAccountInstruction({
      payer: from,
      newAccount: account,
      lamports: NONCE_RENT,
      space: 80n,
      programAddress: SYSTEM_PROGRAM as Address,
    }),
    getInitializeNonceAccountInstruction({
      nonceAccount: account.address,
      nonceAuthority: authority.address,
    }),
  ]);
  on.warp({ slots: 1 });
  return account.address;
}

async function nonceAt(account: string, on = node, commitment = 'processed'): Promise<string> {
  const { value } = await result(on, 'getAccountInfo', account, { encoding: 'jsonParsed', commitment });
  return value.data.parsed.info.blockhash;
}

/** A transaction that lives by the nonce, signed; `nonce` when it is not the one stored. */
async function signWithNonce(
  account: Address,
  authority: KeyPairSigner,
  instructions: Instruction[],
  nonce?: string,
) {
  const stored = (nonce ?? (await nonceAt(account))) as Nonce;
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (tx) => setTransactionMessageFeePayerSigner(payer, tx),
      // The advance itself, since it brings its signer along.
      (tx) => appendTransactionMessageInstructions([advance(account, authority), ...instructions], tx),
      (tx) =>
        setTransactionMessageLifetimeUsingDurableNonce(
          { nonce: stored, nonceAccountAddress: account, nonceAuthorityAddress: authority.address },
          tx,
        ),
    ),
  );
  const { getBase64EncodedWireTransaction } = await import('@solana/kit');
  const wire = getBase64EncodedWireTransaction(transaction);
  return { wire, signature: getSignatureFromTransaction(transaction) as string };
}

const advance = (account: Address, authority: KeyPairSigner) =>
  getAdvanceNonceAccountInstruction({ nonceAccount: account, nonceAuthority: authority });
const balance = async (address: string) => (await result(node, 'getBalance', address, now)).value;
const status = async (signature: string) =>
  (await result(node, 'getSignatureStatuses', [signature], { searchTransactionHistory: true })).value[0];

test('a nonce account holds sha256("DURABLE_NONCE", blockhash) and is jsonParsed, as on a node', async () => {
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  const account = await makeNonce(payer);
  const { blockhash } = await result(node, 'getBlock', slot, {
    commitment: 'confirmed',
    transactionDetails: 'none',
  });
  const expected = createHash('sha256')
    .update('DURABLE_NONCE')
    .update(Buffer.from(getBase58Encoder().encode(blockhash)))
    .digest();
  expect(
    (await result(node, 'getAccountInfo', account, { encoding: 'jsonParsed', ...now })).value,
  ).toMatchObject({
    data: {
      program: 'nonce',
      parsed: {
        type: 'initialized',
        info: {
          authority: payer.address,
          blockhash: getBase58Decoder().decode(expected),
          feeCalculator: { lamportsPerSignature: '5000' },
        },
      },
      space: 80,
    },
    owner: SYSTEM_PROGRAM,
  });
});

test('a transaction with a nonce lands long after every blockhash of its time expired, and once only', async () => {
  const account = await makeNonce(payer);
  const to = await freshAddress();
  const signed = await signWithNonce(account, payer, [transfer(payer, to, SOL)]);
  node.warp({ slots: 1_000 });
  const before = await nonceAt(account);
  expect((await send(node, signed)).result).toBe(signed.signature);
  expect(await balance(to)).toBe(1_000_000_000);
  expect(await nonceAt(account)).not.toBe(before);
  // A node reports BlockhashNotFound, not AlreadyProcessed: the nonce has gone.
  expect((await send(node, signed)).error).toMatchObject({
    code: -32002,
    data: { err: 'BlockhashNotFound' },
  });
  expect((await send(node, signed, { skipPreflight: true })).result).toBe(signed.signature);
  expect(await balance(to)).toBe(1_000_000_000);
});

test('the nonce moves on also when the transaction fails, so that it cannot be repeated', async () => {
  const account = await makeNonce(payer);
  const stored = await nonceAt(account);
  const signed = await signWithNonce(account, payer, [transfer(payer, await freshAddress(), 10_000n * SOL)]);
  expect((await send(node, signed)).error).toMatchObject({ code: -32002 });
  expect(await nonceAt(account)).toBe(stored);
  await send(node, signed, { skipPreflight: true });
  expect(await status(signed.signature)).toMatchObject({ err: { InstructionError: [1, { Custom: 1 }] } });
  expect(await nonceAt(account)).not.toBe(stored);
  node.warp({ slots: 200 });
  const paid = await balance(payer.address);
  await send(node, signed, { skipPreflight: true });
  expect(await balance(payer.address)).toBe(paid);
});

test('the nonce moves on also when nothing ran and only the fee was paid', async () => {
  const account = await makeNonce(payer);
  const stored = await nonceAt(account);
  const missing = { programAddress: await freshAddress(), accounts: [] };
  const signed = await signWithNonce(account, payer, [missing]);
  const before = await balance(payer.address);
  await send(node, signed, { skipPreflight: true });
  expect(await status(signed.signature)).toMatchObject({ err: 'ProgramAccountNotFound' });
  expect(await nonceAt(account)).not.toBe(stored);
  expect(await balance(payer.address)).toBe(before - 5_000);
  await send(node, signed, { skipPreflight: true });
  expect(await balance(payer.address)).toBe(before - 5_000);
});

test('a nonce advances once within one slot: NonceBlockhashNotExpired, Custom 7', async () => {
  const account = await makeNonce(payer);
  await land(node, payer, [advance(account, payer)]);
  // By the program, when a blockhash gives the lifetime ...
  const again = await sign(node, payer, [advance(account, payer), transfer(payer, payer.address, 1n)]);
  expect((await send(node, again)).error).toMatchObject({
    data: { err: { InstructionError: [0, { Custom: 7 }] } },
  });
  // ... and by the bank, when the nonce does: a node says BlockhashNotFound.
  const signed = await signWithNonce(account, payer, [transfer(payer, payer.address, 2n)]);
  expect((await send(node, signed)).error).toMatchObject({ data: { err: 'BlockhashNotFound' } });
  node.warp({ slots: 1 });
  expect((await send(node, signed)).result).toBe(signed.signature);
});

test('a nonce that is not the stored one is BlockhashNotFound', async () => {
  const account = await makeNonce(payer);
  const signed = await signWithNonce(account, payer, [], await freshAddress());
  expect((await send(node, signed)).error).toMatchObject({ data: { err: 'BlockhashNotFound' } });
});

test('the authority must sign: another one is BlockhashNotFound', async () => {
  const account = await makeNonce(payer);
  const stranger = await generateKeyPairSigner();
  const signed = await signWithNonce(account, stranger, []);
  expect((await send(node, signed)).error).toMatchObject({ data: { err: 'BlockhashNotFound' } });
});

test('an authority of its own signs beside the payer', async () => {
  const authority = await generateKeyPairSigner();
  const account = await makeNonce(authority);
  const to = await freshAddress();
  const signed = await signWithNonce(account, authority, [transfer(payer, to, SOL)]);
  expect((await send(node, signed)).result).toBe(signed.signature);
  expect(await balance(to)).toBe(1_000_000_000);
});

test('the advance must be the first instruction', async () => {
  const account = await makeNonce(payer);
  const signed = await sign(node, payer, [transfer(payer, payer.address, 1n), advance(account, payer)], {
    blockhash: await nonceAt(account),
  });
  expect((await send(node, signed)).error).toMatchObject({ data: { err: 'BlockhashNotFound' } });
});

test('an account that is no nonce account gives no lifetime', async () => {
  const account = await freshAddress();
  const nonce = await freshAddress();
  const data = Buffer.alloc(80);
  data.writeUInt32LE(1, 0);
  data.writeUInt32LE(1, 4);
  data.set(getBase58Encoder().encode(payer.address), 8);
  data.set(getBase58Encoder().encode(nonce), 40);
  const write = (owner: string, bytes: Buffer) =>
    node.setAccount(account, {
      lamports: NONCE_RENT,
      owner,
      data: new Uint8Array(bytes),
      executable: false,
    });
  const attempt = async () => {
    const signed = await signWithNonce(account, payer, [], nonce);
    return (await call(node, 'sendTransaction', signed.wire, BASE64)).error?.data.err;
  };
  write(payer.address, data);
  expect(await attempt()).toBe('BlockhashNotFound');
  const uninitialized = Buffer.from(data);
  uninitialized.writeUInt32LE(0, 4);
  write(SYSTEM_PROGRAM, uninitialized);
  expect(await attempt()).toBe('BlockhashNotFound');
  // Version 0, from before nonces had a domain of their own, may not be used.
  const legacy = Buffer.from(data);
  legacy.writeUInt32LE(0, 0);
  write(SYSTEM_PROGRAM, legacy);
  expect(await attempt()).toBe('BlockhashNotFound');
  write(SYSTEM_PROGRAM, data);
  expect(await attempt()).toBeUndefined();
});

test('getFeeForMessage knows the fee of a message with a nonce, and null once it is used', async () => {
  const account = await makeNonce(payer);
  const signed = await signWithNonce(account, payer, []);
  const message = Buffer.from(signed.wire, 'base64').subarray(65).toString('base64');
  const fee = async () => (await result(node, 'getFeeForMessage', message)).value;
  expect(await fee()).toBe(5_000);
  await send(node, signed);
  expect(await fee()).toBeNull();
});

test('simulateTransaction with a nonce shows the account advanced, and advances nothing', async () => {
  const account = await makeNonce(payer);
  const stored = await nonceAt(account);
  const signed = await signWithNonce(account, payer, []);
  const { value } = await result(node, 'simulateTransaction', signed.wire, {
    encoding: 'base64',
    accounts: { encoding: 'jsonParsed', addresses: [account] },
  });
  expect(value.err).toBeNull();
  const shown = value.accounts[0].data.parsed.info.blockhash;
  expect(await nonceAt(account)).toBe(stored);
  await send(node, signed);
  expect(await nonceAt(account)).toBe(shown);
});

test('a nonce account is closed by withdrawing all of it, not in the slot it was advanced in', async () => {
  const account = await makeNonce(payer);
  const withdraw = getWithdrawNonceAccountInstruction({
    nonceAccount: account,
    recipientAccount: payer.address,
    nonceAuthority: payer,
    withdrawAmount: NONCE_RENT,
  });
  await land(node, payer, [advance(account, payer)]);
  const early = await sign(node, payer, [withdraw]);
  expect((await send(node, early)).error).toMatchObject({
    data: { err: { InstructionError: [0, { Custom: 7 }] } },
  });
  node.warp({ slots: 1 });
  await land(node, payer, [withdraw]);
  expect((await result(node, 'getAccountInfo', account, { commitment: 'processed' })).value).toBeNull();
});

test('jsonParsed shows advanceNonce, initializeNonce and withdrawFromNonce', async () => {
  const account = await makeNonce(payer);
  const signed = await signWithNonce(account, payer, []);
  await send(node, signed);
  node.warp({ slots: 31 });
  const { transaction } = await result(node, 'getTransaction', signed.signature, {
    encoding: 'jsonParsed',
    maxSupportedTransactionVersion: 0,
  });
  expect(transaction.message.instructions[0]).toMatchObject({
    program: 'system',
    parsed: {
      type: 'advanceNonce',
      info: {
        nonceAccount: account,
        nonceAuthority: payer.address,
        recentBlockhashesSysvar: SYSVAR,
      },
    },
  });
});

test('RecentBlockhashes holds the newest 150 blockhashes with their fee', async () => {
  const { value } = await result(node, 'getAccountInfo', SYSVAR, { encoding: 'base64' });
  const data = Buffer.from(value.data[0], 'base64');
  const { blockhash } = (await result(node, 'getLatestBlockhash', { commitment: 'processed' })).value;
  expect(data.readBigUInt64LE(0)).toBe(150n);
  expect(getBase58Decoder().decode(data.subarray(8, 40))).toBe(blockhash);
  expect(data.readBigUInt64LE(40)).toBe(5_000n);
});

test('a nonce survives a restart: still good, never the same twice', async () => {
  const options = { ledger: folder, slotMs: 3_600_000 };
  const seen = new Set<string>();
  let account: Address | undefined;
  const owner = payer;
  for (let round = 0; round < 3; round += 1) {
    const own = await startNode(options);
    own.airdrop(owner.address, 10n * SOL);
    account ??= await makeNonce(owner, own, owner);
    seen.add(await nonceAt(account, own));
    await land(own, owner, [advance(account, owner)]);
    seen.add(await nonceAt(account, own));
    await own.stop();
  }
  expect(seen.size).toBe(4);
});

test("kit's own confirmation of a durable-nonce transaction, and of one whose nonce is gone", async () => {
  const running = await startNode({ slotMs: 50 });
  const owner = await fundedSigner(running, 100n * SOL);
  const account = await makeNonce(owner, running, owner);
  const rpc = createSolanaRpc(running.rpcUrl);
  const rpcSubscriptions = createSolanaRpcSubscriptions(running.wsUrl);
  const confirm = sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions });
  const build = async (to: Address) => {
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (tx) => setTransactionMessageFeePayerSigner(owner, tx),
        (tx) =>
          setTransactionMessageLifetimeUsingDurableNonce(
            { nonce: nonce as Nonce, nonceAccountAddress: account, nonceAuthorityAddress: owner.address },
            tx,
          ),
        (tx) => appendTransactionMessageInstructions([transfer(owner, to, SOL)], tx),
      ),
    );
    assertIsTransactionWithDurableNonceLifetime(transaction);
    return transaction;
  };
  const nonce = await nonceAt(account, running);
  const [to, other] = [await freshAddress(), await freshAddress()];
  const [first, second] = [await build(to), await build(other)];
  await confirm(first, { commitment: 'confirmed' });
  expect((await rpc.getBalance(to).send()).value).toBe(SOL);
  const outcome = await confirm(second, { commitment: 'confirmed', skipPreflight: true }).catch(
    (error: unknown) => error,
  );
  expect(isSolanaError(outcome, SOLANA_ERROR__INVALID_NONCE)).toBe(true);
});

test('a nonce account is read as of the commitment: it moves when its transaction is confirmed', async () => {
  const account = await makeNonce(payer);
  node.warp({ slots: 31 });
  const before = await nonceAt(account);
  await land(node, payer, [advance(account, payer)]);
  const after = await nonceAt(account);
  const seen = () => Promise.all(['confirmed', 'finalized'].map((one) => nonceAt(account, node, one)));
  expect(after).not.toBe(before);
  expect(await seen()).toEqual([before, before]);
  node.warp({ slots: 1 });
  expect(await seen()).toEqual([after, before]);
  node.warp({ slots: 30 });
  expect(await seen()).toEqual([after, after]);
});

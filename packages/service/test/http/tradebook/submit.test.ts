import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getPauseInstruction, IntegratorStatus } from '@karat/program-client';
import { memoProgram, token2022Program } from '@karat/signer';
import { writeTransaction } from '@karat/wire';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransactionMessage,
  createNoopSigner,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction } from '@solana-program/compute-budget';
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getCreateAssociatedTokenInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Chain } from '../../../src/chain/chain.js';
import { viewTransaction } from '../../../src/chain/inspect/transaction-view.js';
import { CallerBudget } from '../../../src/chain/node/caller-budget.js';
import { connectNodes } from '../../../src/chain/node/nodes.js';
import { NodeSender } from '../../../src/chain/node/send-transaction.js';
import { PollingSignatureWatch } from '../../../src/chain/node/signature-watch.js';
import { NodeSubmissions } from '../../../src/chain/node/submissions.js';
import { goldOf, tokenAccountOf, usdcOf } from '../../../src/chain/program/token-accounts.js';
import { createContext } from '../../../src/create-context.js';
import { newUuid, type Uuid, uuidOfSignature } from '../../../src/domain/ids.js';
import { buildApp } from '../../../src/http/app.js';
import { nameOrder } from '../../chain/receipts.js';
import { type ApiResponse, clientOf, expectStatus, newWallet, type Wallet } from '../../harness.js';
import { hang, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, type RoleClient, startKarat, type Treasury } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { base64, ordered, paths, signatureOf, signedBy, transactionOf } from '../../ordering.js';

const waitingAtOnce = process.env.KARAT_THOROUGH ? 1_000 : 300;

let t: Karat;
let treasury: Treasury;
let node: LyingNode;
beforeAll(async () => {
  t = await startKarat({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  treasury = await t.given.treasury();
});
afterAll(async () => {
  await t.stop();
  await node.close();
});

const purchase = (goldAmount = 1, client = treasury.executive) =>
  ordered(client, paths.purchases, { goldAmount, maxUsdcAmount: 1_000_000 });
const sale = () => ordered(treasury.executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 });
const withdrawal = (amount = 2, tokenType = 'usdc') =>
  ordered(treasury.withdrawal, paths.withdrawals, { amount, tokenType });
const change = async (client: RoleClient, body: object) => {
  const response = expectStatus(await client.put(paths.executives(treasury.partnerId), body), 200);
  return signedBy(transactionOf(response), treasury.update.wallet);
};

const calls = (method: string) => node.calls.get(method) ?? 0;
/** How often transactions were sent while `work` ran. */
async function sendsOf<T>(work: () => Promise<T>): Promise<{ sends: number; result: T }> {
  const before = calls('sendTransaction');
  const result = await work();
  return { sends: calls('sendTransaction') - before, result };
}

/** The service where nothing but the chain ends a wait: a node that is slow on a busy machine is not a silent one. */
async function patientApp(chain: Partial<Chain> = {}) {
  const { rpc, transport } = connectNodes([node.url], { times: { callMs: 60_000, nextAfterMs: 60_000 } });
  const submissions = new NodeSubmissions({
    rpc,
    sender: new NodeSender(transport, t.service.ctx.chain.programAddress),
    watch: new PollingSignatureWatch(rpc),
    sendWithinMs: 60_000,
  });
  const { ctx } = t.service;
  const patient = {
    ...ctx,
    chain: { ...ctx.chain, submissions, ...chain },
    config: { ...ctx.config, submitWaitSeconds: 150 },
  };
  const waitLong = (route: RouteOptions) => {
    if (route.url.startsWith('/api/transactions/')) route.handlerTimeout = 150_000;
  };
  return buildApp(patient, { extend: (app) => app.addHook('onRoute', waitLong) });
}

/** Code and text of a refusal; nothing was sent for it. */
async function refusedUnsent(transaction: Uint8Array) {
  const { sends, result } = await sendsOf(() => t.tradebook.submit(transaction));
  expect(sends).toBe(0);
  const { docUrl, ...error } = result.body.error;
  expect(docUrl).toContain('/');
  return { status: result.status, ...error };
}

const unsupported = (message: string) => ({
  status: 400,
  code: 'transaction_not_supported',
  message: expect.stringContaining(message),
});
const broken = (message: string) => ({
  status: 400,
  code: 'broadcast_failed',
  message: expect.stringContaining(message),
});

/** A transaction of instructions, signed by wallets, the first of which pays. */
function transactionFrom(instructions: readonly Instruction[], ...signers: Wallet[]): Uint8Array {
  const { blockhash } = t.service.ctx.chain.blockhash.current();
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayer(signers[0]?.address ?? ('' as Address), m),
    (m) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const bytes = Uint8Array.from(
    getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)),
  );
  const empty = writeTransaction(bytes, new Uint8Array(64));
  const order = viewTransaction(empty).accounts.slice(0, bytes[0]);
  const byAddress = order.map((address) => signers.find((signer) => signer.address === address));
  return signedBy(empty, ...byAddress.flatMap((signer) => signer ?? []));
}

/** The instructions of a transaction, to be changed and put together anew. */
function instructionsOf(transaction: Uint8Array): Instruction[] {
  const view = viewTransaction(transaction);
  return view.instructions.map(({ program, accounts, data }) => ({
    programAddress: program,
    accounts: accounts.map((address) => ({
      address: address as Address,
      role: view.roleOf(view.accounts.indexOf(address as Address)),
    })),
    data,
  }));
}

const wallets = () => ({
  executive: treasury.executive.wallet,
  withdrawal: treasury.withdrawal.wallet,
  update: treasury.update.wallet,
});

describe('a submitted order', () => {
  test('a submitted order of each kind is confirmed, with its id and what changed', async () => {
    const [bought, sold, taken] = [await purchase(1.5), await sale(), await withdrawal(2.5, 'gold')];
    const added = await change(treasury.update, { add: [newWallet().address] });
    const { treasuryAuthority, config } = t.chain.addresses;
    const [one, two, three, four] = await Promise.all(
      [bought.signed, sold.signed, taken.signed, added].map((each) => t.tradebook.submit(each)),
    );
    expect(expectStatus(one as ApiResponse, 200).body).toEqual({
      success: true,
      data: {
        status: 'confirmed',
        transaction: {
          transactionId: bought.response.body.data.purchaseId,
          signature: signatureOf(bought.signed),
          tokenBalanceChange: {
            [treasury.vault]: { gold: 1_500_000, usdc: -6_181_085_428 },
            [treasuryAuthority]: { gold: -1_500_000, usdc: 6_150_180_000 },
            [config]: { gold: 0, usdc: 30_905_428 },
          },
        },
      },
    });
    expect(expectStatus(two as ApiResponse, 200).body.data.transaction).toEqual({
      transactionId: sold.response.body.data.sellId,
      signature: signatureOf(sold.signed),
      tokenBalanceChange: {
        [treasury.vault]: { gold: -1_000_000, usdc: 4_079_619_400 },
        [treasuryAuthority]: { gold: 1_000_000, usdc: -4_100_120_000 },
        [config]: { gold: 0, usdc: 20_500_600 },
      },
    });
    expect(expectStatus(three as ApiResponse, 200).body.data.transaction).toEqual({
      transactionId: taken.response.body.data.withdrawalId,
      signature: signatureOf(taken.signed),
      tokenBalanceChange: {
        [treasury.vault]: { gold: -2_500_000, usdc: 0 },
        [treasury.withdrawal.wallet.address]: { gold: 2_500_000, usdc: 0 },
      },
    });
    expect(expectStatus(four as ApiResponse, 200).body.data).toEqual({
      status: 'confirmed',
      transaction: {
        transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        signature: signatureOf(added),
        tokenBalanceChange: {},
      },
    });
  });

  test('a submitted order without a fee names no recipient that got nothing', async () => {
    const { chain } = t;
    const partner = treasury;
    const terms = {
      partnerId: partner.partnerId,
      wallet: newWallet().address,
      updateAuthority: wallets().update.address,
      withdrawalAuthority: wallets().withdrawal.address,
    };
    const quotedAt = (usdcAmount: number) =>
      eventually(async () => {
        const made = await purchase();
        expect(made.response.body.data.quoteUsdcAmount).toBe(usdcAmount);
        return made;
      }, 10_000);
    await chain.changePartner(partner.integrator, { ...terms, openFeeBps: 0 }, IntegratorStatus.Active);
    const { signed } = await quotedAt(4_100.12);
    const { data } = expectStatus(await t.tradebook.submit(signed), 200).body;
    expect(data.transaction.tokenBalanceChange).toEqual({
      [partner.vault]: { gold: 1_000_000, usdc: -4_100_120_000 },
      [chain.addresses.treasuryAuthority]: { gold: -1_000_000, usdc: 4_100_120_000 },
    });
    await chain.changePartner(partner.integrator, terms, IntegratorStatus.Active);
    await quotedAt(4_120.723619);
  });

  test('a submitted order gives the same response again, in another process too, and is sent once', async () => {
    const { signed } = await purchase();
    const { sends, result: racing } = await sendsOf(() =>
      Promise.all(Array.from({ length: 8 }, () => t.tradebook.submit(signed))),
    );
    expect(sends).toBe(1);
    const [first] = racing;
    expectStatus(first as ApiResponse, 200);
    for (const twin of racing) expect(twin.text).toBe(first?.text);
    const elsewhere = await createContext(t.service.ctx.config, {
      clock: t.chain.clock,
      log: t.service.ctx.log,
    });
    await elsewhere.chain.start();
    const app = await buildApp(elsewhere);
    const before = await t.balances({ vault: treasury.vault });
    t.chain.node.warp({ seconds: 120 });
    const { sends: more } = await sendsOf(async () => {
      expect((await t.tradebook.submit(signed)).text).toBe(first?.text);
      const body = { signedTransaction: base64(signed) };
      await eventually(
        async () =>
          expect((await clientOf(app, {}).post('/api/transactions/submit', body)).text).toBe(first?.text),
        5_000,
      );
    });
    expect(more).toBe(0);
    expect(await t.balances({ vault: treasury.vault })).toEqual(before);
    await app.close();
    await elsewhere.close();
    await t.ready();
  });

  test('a submitted order that another process sent, or that bypassed the service, has the same response', async () => {
    const { response, signed } = await purchase();
    await t.chain.sendStraight(signed);
    const { sends, result } = await sendsOf(() => t.tradebook.submit(signed));
    expect(sends).toBe(0);
    expect(expectStatus(result, 200).body.data.transaction).toMatchObject({
      transactionId: response.body.data.purchaseId,
      tokenBalanceChange: { [treasury.vault]: { gold: 1_000_000 } },
    });
  });

  test('a submitted transaction of no order goes through under an id made from its signature', async () => {
    const { response, signed } = await purchase();
    const bare = naming(signed, response.body.data.purchaseId, newUuid(), wallets().executive);
    const { data } = expectStatus(await t.tradebook.submit(bare), 200).body;
    expect(data.transaction.transactionId).toBe(uuidOfSignature(signatureOf(bare)));
    expect((await t.tradebook.submit(bare)).body.data).toEqual(data);
  });

  test('a submitted order that names another one is not sent, and rebuilt it is the order’s own', async () => {
    const [mine, larger] = [await purchase(1), await purchase(2)];
    const other = await t.given.treasury(await t.service.givenPartner());
    await eventually(
      () => expect(t.service.ctx.chain.program.integrator(other.partnerId)).toBeDefined(),
      10_000,
    );
    const foreign = await purchase(1, other.executive);
    const { purchaseId } = mine.response.body.data;
    for (const { response } of [larger, foreign]) {
      const copied = naming(mine.signed, purchaseId, response.body.data.purchaseId, wallets().executive);
      const named = `It names the order ${response.body.data.purchaseId}, but does not match it: call.`;
      expect(await refusedUnsent(copied)).toEqual(unsupported(named));
    }
    const anew = transactionFrom(instructionsOf(mine.signed), wallets().executive);
    const { data } = expectStatus(await t.tradebook.submit(anew), 200).body;
    expect(data.transaction.transactionId).toBe(purchaseId);
  });
});

/** A transaction that names another order, signed again. */
function naming(signed: Uint8Array, from: Uuid, to: Uuid, signer: Wallet): Uint8Array {
  const { integrator } = treasury;
  const { programAddress } = t.service.ctx.chain;
  return signedBy(nameOrder(Buffer.from(signed), { integrator, from, to }, programAddress), signer);
}

/** As many withdrawals that carry out no order, each of another amount. */
async function distinctWithdrawals(count: number): Promise<Uint8Array[]> {
  const { response, signed } = await withdrawal();
  const all: Uint8Array[] = [];
  while (all.length < count) {
    const other = Buffer.from(signed);
    // The amount, the expiry and the id are at the end of the message.
    other.writeBigUInt64LE(BigInt(all.length + 1), other.length - 32);
    all.push(naming(other, response.body.data.withdrawalId, newUuid(), wallets().withdrawal));
    // A node that is not polled for five seconds, because this process only signs, counts as down.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}

describe('an order that waits until the nodes may be called for it', () => {
  /** Submits one while its partner has used up its share; the share is free again with `goOn`. */
  async function waiting() {
    const { signed } = await withdrawal();
    const time = { nowMs: 0 };
    const budget = new CallerBudget(40, () => time.nowMs);
    budget.take({ caller: treasury.partnerId, use: 'trade', calls: 20 });
    let isWaiting = false;
    const callBudget: Chain['callBudget'] = {
      take(request) {
        isWaiting = true;
        return budget.take(request);
      },
      giveBack: (granted) => budget.giveBack(granted),
    };
    const app = await patientApp({ callBudget });
    const response = clientOf(app, {}).post('/api/transactions/submit', {
      signedTransaction: base64(signed),
    });
    await eventually(() => expect(isWaiting).toBe(true), 10_000);
    const goOn = () => {
      time.nowMs = 1_000;
    };
    return { app, response, goOn, signed };
  }

  test('an order that waits until the nodes may be called is not sent for a partner who is suspended meanwhile', async () => {
    const suspend = (status: string) =>
      t.service.ctx.sql`update partners set status = ${status} where id = ${treasury.partnerId}`;
    const { sends, result } = await sendsOf(async () => {
      const { app, response, goOn } = await waiting();
      await suspend('suspended');
      goOn();
      return response.finally(() => app.close());
    });
    await suspend('active');
    expect(sends).toBe(0);
    expect(result).toMatchObject({ status: 403, body: { error: { code: 'partner_suspended' } } });
  });

  test('an order that waits until the nodes may be called is reported as not sent when the process stops', async () => {
    const { sends, result } = await sendsOf(async () => {
      const { app, response, goOn } = await waiting();
      await app.close();
      goOn();
      return response;
    });
    expect(sends).toBe(0);
    expect(result.status).toBe(503);
    expect(result.body.error.message).toContain('was not sent in time');
  });
});

describe('a transaction that failed', () => {
  test('a transaction that failed in the node’s trial is refused with the error of the program', async () => {
    const dear = usualPrice.price * 2n;
    const { signed } = await ordered(treasury.executive, paths.purchases, {
      goldAmount: 1,
      maxUsdcAmount: 4_200,
    });
    t.chain.price.set({ ...usualPrice, price: dear });
    const response = await t.tradebook.submit(signed);
    const slippage = { reason: 'slippage_exceeded', programErrorName: 'SlippageExceeded' };
    expect({ status: response.status, ...response.body.error }).toMatchObject({
      ...broken('SlippageExceeded: The output is below'),
      ...slippage,
    });
    // Sent past the trial it lands and fails.
    await t.chain.sendStraight(signed);
    const { sends, result } = await sendsOf(() => t.tradebook.submit(signed));
    expect(sends).toBe(0);
    expect({ status: result.status, ...result.body.error }).toMatchObject({
      ...broken(
        `The transaction ${signatureOf(signed)} failed on chain: SlippageExceeded: The output is below`,
      ),
      ...slippage,
    });
    expect((await t.tradebook.submit(signed)).text).toBe(result.text);
    t.chain.price.set(usualPrice);
    await eventually(() => expect(t.service.ctx.chain.price.current().price).toBe(usualPrice.price), 10_000);
  });

  test('a transaction that failed for want of SOL, or because it is too old, has that reason', async () => {
    const { signed } = await purchase();
    t.chain.node.warp({ seconds: 61 });
    expect((await t.tradebook.submit(signed)).body.error).toMatchObject({
      code: 'broadcast_failed',
      reason: 'quote_expired',
      message:
        'Transaction simulation failed: Blockhash not found. The order has expired: place a new order.',
    });
    await t.ready();
    const poor = newWallet();
    const { response: placed, signed: built } = await withdrawal();
    const bare = naming(built, placed.body.data.withdrawalId, newUuid(), wallets().withdrawal);
    const instructions = instructionsOf(bare).map((each) => ({
      ...each,
      accounts: (each.accounts ?? []).map((account) =>
        account.address === wallets().withdrawal.address ? { ...account, address: poor.address } : account,
      ),
    }));
    const response = await t.tradebook.submit(
      transactionFrom(
        // Without the token account, which is another's.
        instructions.filter((_, index) => index !== 2),
        poor,
      ),
    );
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'broadcast_failed' } } });
    expect(response.body.error.message).toContain(
      'Attempt to debit an account but found no record of a prior credit',
    );
  });

  test('a transaction that failed because the wallet has SOL for the fee and not for the receipt has that reason', async () => {
    const { signed } = await purchase();
    const { address } = wallets().executive;
    const account = t.chain.node.getAccount(address);
    if (!account) throw new Error('no account');
    t.chain.node.setAccount(address, { ...account, lamports: 1_015_000n });
    const response = await t.tradebook.submit(signed);
    t.chain.node.setAccount(address, account);
    expect({ status: response.status, ...response.body.error }).toMatchObject(
      broken(
        `The wallet ${address} holds 0.001 SOL and needs 0.00122496 SOL for the rent of an account: send SOL`,
      ),
    );
    expectStatus(await t.tradebook.submit(signed), 200);
  });

  test('a transaction that failed because the role was lost meanwhile is refused by the chain', async () => {
    const successor = newWallet();
    const { signed } = await purchase();
    const { executive } = treasury;
    const swap = (add: string, remove: string) => change(treasury.update, { add: [add], remove: [remove] });
    expectStatus(await t.tradebook.submit(await swap(successor.address, executive.wallet.address)), 200);
    const response = await t.tradebook.submit(signed);
    expect({ status: response.status, ...response.body.error }).toMatchObject(
      broken('NotExecutive: This signer is no executive'),
    );
    await eventually(
      async () => expect(await executive.post(paths.purchases, {})).toMatchObject({ status: 403 }),
      5_000,
    );
    expectStatus(await t.tradebook.submit(await swap(executive.wallet.address, successor.address)), 200);
    await eventually(async () => void (await purchase()), 10_000);
  });
});

describe('transactions that are not sent', () => {
  test('an invalid transaction, or one not validly signed, is not sent', async () => {
    const { response, signed } = await purchase();
    const { accounts } = viewTransaction(signed);
    const at = (index: number) => {
      const changed = Uint8Array.from(signed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      return changed;
    };
    const cases: [Uint8Array, object][] = [
      [transactionOf(response), { ...broken('is missing'), reason: 'signature_missing' }],
      // Bits of the signature.
      ...[1, 33, 64].map((index): [Uint8Array, object] => [
        at(index),
        broken('is not valid for this message'),
      ]),
      // The amount, the fee limit, the vault's account, the blockhash.
      [at(signed.length - 27 + 1), broken('is not valid for this message')],
      [at(signed.length - 9), broken('is not valid for this message')],
      [at(65 + 4 + accounts.indexOf(treasury.vault) * 32), broken('is not valid for this message')],
      [at(65 + 4 + accounts.length * 32 + 3), broken('is not valid for this message')],
      [
        signed.subarray(0, -1),
        { ...broken('It is not a transaction: it ends too early.'), reason: 'malformed' },
      ],
      [Buffer.concat([signed, Buffer.from([0])]), broken('1 bytes follow its end')],
      [Buffer.alloc(1_233, 1), broken('at most 1232 are allowed')],
      [Buffer.from('hello'), broken('It is not a transaction')],
    ];
    for (const [transaction, expected] of cases)
      expect(await refusedUnsent(transaction)).toMatchObject(expected);
    for (const text of [
      base64(signed).replace(/=*$/, '\n'),
      `${base64(signed)} `,
      'ÿ',
      base64(signed).slice(1),
    ]) {
      expect(
        await t.tradebook.open.post('/api/transactions/submit', { signedTransaction: text }),
      ).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request', field: 'signedTransaction' } },
      });
    }
    const huge = { signedTransaction: 'A'.repeat(1024 * 1024) };
    expect(await t.tradebook.open.post('/api/transactions/submit', huge)).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large' } },
    });
  });

  test('a version 0 transaction is not sent', async () => {
    const { signed } = await purchase();
    const { blockhash } = t.service.ctx.chain.blockhash.current();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayer(wallets().executive.address, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, m),
      (m) => appendTransactionMessageInstructions(instructionsOf(signed), m),
    );
    const bytes = Uint8Array.from(
      getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)),
    );
    const signature = wallets().executive.signBytes(bytes);
    const transaction = Buffer.concat([Buffer.from([1]), signature, bytes]);
    expect(await refusedUnsent(transaction)).toEqual(unsupported('It is a versioned transaction'));
  });

  test('an order together with something else is not sent', async () => {
    const { executive, withdrawal: authority } = wallets();
    const bought = instructionsOf((await purchase()).signed);
    const taken = instructionsOf((await withdrawal()).signed);
    const mint = t.chain.goldMint;
    const thief = newWallet().address;
    const source = tokenAccountOf(executive.address, goldOf(t.chain));
    const destination = tokenAccountOf(thief, goldOf(t.chain));
    const signer = createNoopSigner(executive.address);
    const steal = getTransferCheckedInstruction(
      { source, mint, destination, authority: signer, amount: 1n, decimals: 6 },
      { programAddress: token2022Program },
    );
    const drain = getTransferSolInstruction({ source: signer, destination: thief, amount: 1n });
    const nonce = getAdvanceNonceAccountInstruction({ nonceAccount: thief, nonceAuthority: signer });
    const makeThiefs = getCreateAssociatedTokenIdempotentInstruction({
      payer: signer,
      ata: destination,
      owner: thief,
      mint,
      tokenProgram: token2022Program,
    });
    const ownAccount = tokenAccountOf(authority.address, usdcOf(t.chain));
    const makeOwn = getCreateAssociatedTokenInstruction({
      payer: createNoopSigner(authority.address),
      ata: ownAccount,
      owner: authority.address,
      mint: t.chain.usdcMint,
    });
    const admin = getPauseInstruction(
      {
        config: t.chain.addresses.config,
        authority: createNoopSigner(t.chain.admin.address),
        mask: 7,
      },
      { programAddress: t.service.ctx.chain.programAddress },
    );
    const call = bought.at(-1) as Instruction;
    const withDiscriminator = (number: number) => ({
      ...call,
      data: Buffer.concat([Buffer.from([number]), Buffer.from(call.data ?? []).subarray(1)]),
    });
    const cases: [Uint8Array, string][] = [
      [transactionFrom([...bought, steal], executive), 'It also calls Tokenz'],
      [transactionFrom([steal, ...bought], executive), 'It also calls Tokenz'],
      [transactionFrom([...bought, drain], executive), 'It also calls 11111111111111111111111111111111'],
      [transactionFrom([nonce, ...bought], executive), 'It also calls 11111111111111111111111111111111'],
      [transactionFrom([...bought, makeThiefs], executive), 'not the destination of a withdrawal'],
      [transactionFrom([...taken.slice(0, 2), makeOwn, ...taken.slice(3)], authority), 'not the destination'],
      [transactionFrom([...bought, call], executive), 'program 2 times; an order is a single call'],
      [
        transactionFrom(
          [...bought, { programAddress: newWallet().address, accounts: [], data: Buffer.of(1) }],
          executive,
        ),
        'It also calls',
      ],
      [
        transactionFrom([getSetComputeUnitLimitInstruction({ units: 1 }), steal], executive),
        "It does not call Karat's program",
      ],
      [transactionFrom([drain], executive), "It does not call Karat's program"],
      [transactionFrom([admin], t.chain.admin), 'Its call is not a purchase'],
      [
        transactionFrom([withDiscriminator(8)], executive),
        'Trades of users are submitted to the partner API',
      ],
      [transactionFrom([withDiscriminator(9)], executive), 'Its call is not a'],
      [transactionFrom([withDiscriminator(13)], executive), 'Its call is not a'],
    ];
    for (const [transaction, message] of cases)
      expect(await refusedUnsent(transaction)).toEqual(unsupported(message));
  });

  test('an order that another wallet pays for, or signs too, is not sent', async () => {
    const rich = newWallet();
    t.chain.node.airdrop(rich.address, 1_000_000_000n);
    const bought = instructionsOf((await purchase()).signed);
    expect(await refusedUnsent(transactionFrom(bought, rich, wallets().executive))).toEqual(
      unsupported(`signed and paid for by ${wallets().executive.address} alone`),
    );
    const memo = {
      programAddress: memoProgram,
      accounts: [{ address: rich.address, role: AccountRole.READONLY_SIGNER }],
      data: Buffer.from('x'),
    };
    expect(await refusedUnsent(transactionFrom([...bought, memo], wallets().executive, rich))).toEqual(
      unsupported('alone, the wallet of its role'),
    );
    // A trade of the partner API, with the memo of a service signer.
    const { service } = t.chain;
    const karat = {
      ...memo,
      accounts: [{ address: service.address, role: AccountRole.READONLY_SIGNER }],
      data: Buffer.from(`karat|1|buy|trd_${newUuid()}|1`),
    };
    expect(await refusedUnsent(transactionFrom([karat, ...bought], service, wallets().executive))).toEqual(
      unsupported('alone, the wallet of its role'),
    );
  });
});

describe('a batch', () => {
  test('a batch has the response of each by itself, in its order, and sends twins once', async () => {
    const [one, two] = [await purchase(), await withdrawal()];
    const broken = Uint8Array.from(one.signed);
    broken[5] = (broken[5] ?? 0) ^ 1;
    const texts = [base64(one.signed), 'no base64', base64(broken), base64(two.signed), base64(one.signed)];
    const { sends, result } = await sendsOf(() =>
      t.tradebook.open.post('/api/transactions/submit-batch', { signedTransactions: texts }),
    );
    expect(sends).toBe(2);
    const { results } = expectStatus(result, 200).body.data;
    const confirmed = (id: string) => ({ status: 'confirmed', transaction: { transactionId: id } });
    expect(results).toMatchObject([
      confirmed(one.response.body.data.purchaseId),
      { error: { code: 'invalid_request', field: 'signedTransactions.1' } },
      { error: { code: 'broadcast_failed', message: expect.stringContaining('not valid for this message') } },
      confirmed(two.response.body.data.withdrawalId),
      confirmed(one.response.body.data.purchaseId),
    ]);
    expect(results[1].status).toBeUndefined();
    expect((await t.tradebook.submit(one.signed)).body.data).toEqual(results[0]);
  });

  test('a batch of 20 that wait together warns of no leak', async () => {
    const all = await distinctWithdrawals(20);
    const app = await patientApp();
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    const signedTransactions = all.map(base64);
    const { sends, result } = await sendsOf(() =>
      clientOf(app, {}).post('/api/transactions/submit-batch', { signedTransactions }),
    );
    // Warnings come after the turn of the event loop that they are made in.
    await new Promise(setImmediate);
    process.off('warning', note);
    await app.close();
    const { results } = expectStatus(result, 200).body.data;
    expect([sends, results.length]).toEqual([20, 20]);
    for (const { status } of results) expect(status).toBe('confirmed');
    expect(warnings).toEqual([]);
  });

  test('a batch of 20 orders of one partner goes through however few calls to the nodes callers have', async () => {
    const all: Uint8Array[] = [];
    while (all.length < 20) all.push((await withdrawal()).signed);
    const callBudget = new CallerBudget(40);
    const app = await patientApp({ callBudget });
    const response = await clientOf(app, {}).post('/api/transactions/submit-batch', {
      signedTransactions: all.map(base64),
    });
    await app.close();
    const statuses = expectStatus(response, 200).body.data.results.map(
      ({ status }: { status: string }) => status,
    );
    expect(new Set(statuses)).toEqual(new Set(['confirmed']));
  });

  test('a batch has 1 to 20, and counts as so many requests', async () => {
    const batch = (count: number, client = t.tradebook.open) =>
      client.post('/api/transactions/submit-batch', { signedTransactions: Array(count).fill('AAAA') });
    for (const count of [0, 21]) {
      expect(await batch(count)).toMatchObject({
        status: 400,
        body: { error: { field: 'signedTransactions' } },
      });
    }
    const bad = { signedTransactions: ['AAAA', 1] };
    expect(await t.tradebook.open.post('/api/transactions/submit-batch', bad)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', field: 'signedTransactions.1' } },
    });
    const app = await buildApp({
      ...t.service.ctx,
      config: { ...t.service.ctx.config, openRateLimitPerMinute: 60 },
    });
    const client = clientOf(app, {}, { remoteAddress: '10.99.0.1' });
    for (const left of [40, 20, 0]) {
      expect(expectStatus(await batch(20, client), 200).headers['ratelimit-remaining']).toBe(String(left));
    }
    expect(await batch(1, client)).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    await app.close();
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What this process holds in memory, without what it could give back. */
function heldMiB(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

/** The node takes transactions and never includes them; `taken` are their signatures. */
async function withoutConfirmation(work: (taken: Set<string>) => Promise<void>): Promise<void> {
  const taken = new Set<string>();
  node.lie = async ({ method, params }, ask) => {
    if (method !== 'sendTransaction') return ask();
    const signature = signatureOf(Buffer.from(params[0], 'base64'));
    taken.add(signature);
    return signature;
  };
  try {
    await work(taken);
  } finally {
    node.lie = undefined;
  }
}

describe('orders while nothing is confirmed', () => {
  /** An application of its own that waits for a second. */
  async function impatientApp(waitSeconds = 1) {
    const app = await buildApp({
      ...t.service.ctx,
      config: { ...t.service.ctx.config, submitWaitSeconds: waitSeconds },
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const submit = (signed: Uint8Array, signal?: AbortSignal) =>
      fetch(`${url}/api/transactions/submit`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ signedTransaction: base64(signed) }),
        ...(signal ? { signal } : {}),
      });
    return { app, submit };
  }

  test('the response is 202 with the signature while nothing is confirmed, and confirmed at a later request', async () => {
    const { response, signed } = await purchase();
    const { app, submit } = await impatientApp();
    await withoutConfirmation(async () => {
      const begin = performance.now();
      const pending = await submit(signed);
      expect([pending.status, await pending.json()]).toEqual([
        202,
        {
          success: true,
          data: {
            status: 'pending',
            transaction: {
              transactionId: response.body.data.purchaseId,
              signature: signatureOf(signed),
              tokenBalanceChange: {},
            },
          },
        },
      ]);
      expect(performance.now() - begin).toBeGreaterThan(990);
    });
    // On a busy machine the second that this application waits may be over before the slot is.
    await eventually(async () => {
      const later = await submit(signed);
      expect([later.status, await later.json()]).toEqual([
        200,
        expect.objectContaining({ data: expect.objectContaining({ status: 'confirmed' }) }),
      ]);
    }, 10_000);
    await app.close();
  });

  test('an application that closes responds at once', async () => {
    const { signed } = await purchase();
    const { app, submit } = await impatientApp(30);
    await withoutConfirmation(async () => {
      const waiting = submit(signed);
      const before = calls('sendTransaction');
      await eventually(() => expect(calls('sendTransaction')).toBe(before + 1), 10_000);
      const begin = performance.now();
      await Promise.all([app.close(), waiting]);
      // Of the thirty seconds for which it would wait.
      expect(performance.now() - begin).toBeLessThan(10_000);
      expect((await waiting).status).toBe(202);
    });
  });

  test('a client that goes away is no longer waited for', async () => {
    const { signed } = await purchase();
    const { app, submit } = await impatientApp(30);
    await withoutConfirmation(async () => {
      const gone = new AbortController();
      const before = calls('sendTransaction');
      const waiting = submit(signed, gone.signal).catch((error: Error) => error.name);
      await eventually(() => expect(calls('sendTransaction')).toBe(before + 1), 10_000);
      gone.abort();
      expect(await waiting).toBe('AbortError');
      // No client waits, and none requests it.
      await eventually(async () => {
        const requested = calls('getSignatureStatuses');
        await new Promise((resolve) => setTimeout(resolve, 900));
        expect(calls('getSignatureStatuses')).toBe(requested);
      }, 15_000);
    });
    await app.close();
  });

  test('a node that does not respond is 503, and sending again finishes it', async () => {
    const { signed } = await purchase();
    for (const silent of ['sendTransaction', 'getSignatureStatuses']) {
      node.lie = async ({ method }, ask) => (method === silent ? hang : ask());
      expect(await t.tradebook.submit(signed)).toMatchObject({
        status: 503,
        body: {
          error: {
            code: 'service_unavailable',
            message: expect.stringContaining('send the same signedTransaction again'),
          },
        },
      });
    }
    node.lie = undefined;
    expectStatus(await t.tradebook.submit(signed), 200);
  });

  test('a node that lags behind with the transaction itself is called again', async () => {
    const { response, signed } = await purchase();
    let lags = 2;
    node.lie = async ({ method }, ask) => {
      if (method !== 'getTransaction' || lags === 0) return ask();
      lags -= 1;
      return null;
    };
    const { data } = expectStatus(await t.tradebook.submit(signed), 200).body;
    node.lie = undefined;
    expect(lags).toBe(0);
    expect(data.transaction).toMatchObject({
      transactionId: response.body.data.purchaseId,
      tokenBalanceChange: { [treasury.vault]: { gold: 1_000_000 } },
    });
  });

  test(`${waitingAtOnce} waiting requests share the calls to the node, take little memory and all get a response`, {
    timeout: 150_000,
  }, async () => {
    const distinct = await distinctWithdrawals(waitingAtOnce);
    const app = await patientApp();
    const client = clientOf(app, {});
    await withoutConfirmation(async (taken) => {
      const before = heldMiB();
      const rounds = roundsOfPolls();
      const waiting: Promise<ApiResponse>[] = [];
      const early: ApiResponse[] = [];
      // No more at once than the pool has connections, so that none waits for one for longer than it may.
      while (waiting.length < distinct.length) {
        for (const each of distinct.slice(waiting.length, waiting.length + 10)) {
          const response = client.post('/api/transactions/submit', { signedTransaction: base64(each) });
          waiting.push(response);
          void response.then((sent) => early.push(sent));
        }
        await eventually(() => {
          expect(early).toEqual([]);
          expect(taken.size).toBe(waiting.length);
        }, 30_000);
      }
      const all = new Set(distinct.map(signatureOf));
      // From the round on that asks for all, until it and two more are over.
      const full = () => rounds.slice(rounds.findIndex(({ signatures }) => signatures.size === all.size));
      await eventually(() => expect(full().length).toBeGreaterThan(3), 30_000);
      const whole = full().slice(0, 3);
      for (const { signatures, calls } of whole) {
        expect(signatures).toEqual(all);
        // 256 signatures each.
        expect(calls).toBe(Math.ceil(waitingAtOnce / 256));
      }
      for (const [index, { beganMs }] of whole.slice(1).entries()) {
        expect(beganMs - (whole[index]?.endedMs ?? 0)).toBeGreaterThan(390);
      }
      const grownMiB = heldMiB() - before;
      expect(grownMiB).toBeLessThan(waitingAtOnce / 10);
      await app.close();
      const statuses = (await Promise.all(waiting)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([202]));
    }).finally(() => app.close());
  });
});

interface Round {
  signatures: Set<string>;
  calls: number;
  /** When its first call came and its last one, monotonic milliseconds. */
  beganMs: number;
  endedMs: number;
}

/** The calls of a service that waits for confirmations, from now on; a call that repeats a signature begins a round. */
function roundsOfPolls(): Round[] {
  const rounds: Round[] = [];
  const { lie } = node;
  node.lie = (call, ask) => {
    const polled: string[] = call.method === 'getSignatureStatuses' ? call.params[0] : [];
    // Those that look once whether a transaction is known search the history, too.
    if (polled.length > 0 && !call.params[1]?.searchTransactionHistory) {
      const nowMs = performance.now();
      let round = rounds.at(-1);
      if (!round || polled.some((signature) => round?.signatures.has(signature))) {
        round = { signatures: new Set(), calls: 0, beganMs: nowMs, endedMs: nowMs };
        rounds.push(round);
      }
      for (const signature of polled) round.signatures.add(signature);
      round.calls += 1;
      round.endedMs = nowMs;
    }
    return lie ? lie(call, ask) : ask();
  };
  return rounds;
}

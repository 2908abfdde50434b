import { getBase58Encoder } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewTransaction } from '../../../src/chain/inspect/transaction-view.js';
import { createContext } from '../../../src/create-context.js';
import { newUuid, uuidOfSignature } from '../../../src/domain/ids.js';
import { buildApp } from '../../../src/http/app.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { nameOrder } from '../../chain/receipts.js';
import {
  type ApiResponse,
  clientOf,
  expectStatus,
  newAddress,
  newWallet,
  type Wallet,
} from '../../harness.js';
import { type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, type RoleClient, startKarat, type Treasury } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { base64, ordered, ordersOf, paths, signatureOf, signedBy, transactionOf } from '../../ordering.js';

/** An order that is submitted in other bytes than those that it got, and what its record says. */

let t: Karat;
let treasury: Treasury;
let admin: RoleClient;
let node: LyingNode;
let indexer: ReturnType<typeof startIndexer> | undefined;
const index = () => {
  const quickly = {
    pollMs: 50,
    idlePollMs: 100,
    finalAfterMs: 0,
    finalizeMs: 200,
    lapseMs: 300,
    electionMs: 100,
  };
  indexer = startIndexer(t.service.ctx, quickly);
};
const stopIndexing = async () => {
  await indexer?.stop();
  indexer = undefined;
};
beforeAll(async () => {
  t = await startKarat({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  treasury = await t.given.treasury();
  admin = await t.given.admin();
});
afterAll(async () => {
  await stopIndexing();
  await t.stop();
  await node.close();
});

/** Another process of the API on the same database and node: nothing of memory is shared with the first. */
async function startProcess() {
  const ctx = await createContext(t.service.ctx.config, { clock: t.chain.clock, log: t.service.ctx.log });
  await ctx.chain.start();
  const app = await buildApp(ctx);
  const client = clientOf(app, {}, { remoteAddress: newAddress() });
  return {
    submit: (signed: Uint8Array) =>
      client.post('/api/transactions/submit', { signedTransaction: base64(signed) }),
    async stop() {
      await app.close();
      await ctx.close();
    },
  };
}

const { purchase, withdrawal, becomes } = ordersOf(() => treasury);

/** The same instructions with a newer blockhash, signed again. */
async function renewed(signed: Uint8Array, wallet: Wallet, change = (_: Buffer) => {}): Promise<Uint8Array> {
  const { accounts } = viewTransaction(signed);
  return eventually(() => {
    const bytes = Buffer.from(signed);
    const { blockhash } = t.service.ctx.chain.blockhash.current();
    // Behind the signature, three bytes of header and the accounts with their number.
    bytes.set(getBase58Encoder().encode(blockhash), 65 + 3 + 1 + accounts.length * 32);
    expect(bytes.equals(signed)).toBe(false);
    change(bytes);
    return signedBy(bytes, wallet);
  }, 10_000);
}

/** Closes the connection over a transaction: whether the node took it is not known. */
const withoutResponse: LyingNode['lie'] = async ({ method }, ask) => {
  if (method === 'sendTransaction') throw new Error('gone');
  return ask();
};

const executive = () => treasury.executive.wallet;
const errorOf = ({ status, body }: ApiResponse) => ({ status, ...body.error });
const refused = (message: string, code = 'transaction_not_supported') => ({
  status: 400,
  code,
  message: expect.stringContaining(message),
});

/** That it was refused, and moved nothing. */
async function movesNothing(transaction: Uint8Array, message: string, code?: string): Promise<void> {
  const before = await t.balances({ vault: treasury.vault });
  expect(errorOf(await t.tradebook.submit(transaction))).toMatchObject(refused(message, code));
  expect(await t.balances({ vault: treasury.vault })).toEqual(before);
}

test('an order signed again before it is sent is the order’s own', async () => {
  const { response, signed } = await purchase();
  const { data } = expectStatus(await t.tradebook.submit(await renewed(signed, executive())), 200).body;
  expect(data.transaction.transactionId).toBe(response.body.data.purchaseId);
});

describe('an order that was carried out is not carried out again', () => {
  test('an order is not carried out again before its record shows it', async () => {
    const { signed } = await purchase();
    const twin = await renewed(signed, executive());
    const first = expectStatus(await t.tradebook.submit(signed), 200);
    await movesNothing(twin, 'OrderExecuted', 'broadcast_failed');
    expect((await t.tradebook.submit(signed)).text).toBe(first.text);
  });

  test('an order is not carried out twice at the same time', async () => {
    const { signed } = await purchase();
    const twin = await renewed(signed, executive());
    const responses = await Promise.all([t.tradebook.submit(signed), t.tradebook.submit(twin)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('an order is not carried out again by three processes at the same time, nor after a restart', async () => {
    const { signed } = await withdrawal();
    const wallet = treasury.withdrawal.wallet;
    const second = await renewed(signed, wallet);
    const third = await renewed(second, wallet);
    const before = (await t.balances({ vault: treasury.vault })).vault.usdc;
    const processes = [await startProcess(), await startProcess(), await startProcess()];
    const twins = [signed, second, third];
    const responses = await Promise.all(processes.map(({ submit }, i) => submit(twins[i] as Uint8Array)));
    await Promise.all(processes.map(({ stop }) => stop()));
    // No process is left that could remember.
    const restarted = await startProcess();
    const late = await restarted.submit(await renewed(third, wallet));
    expect((await t.balances({ vault: treasury.vault })).vault.usdc).toBe(before - 2_000_000n);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const first = responses.findIndex(({ status }) => status === 200);
    for (const other of [...responses.filter(({ status }) => status === 400), late]) {
      expect(errorOf(other)).toMatchObject({
        ...refused('OrderExecuted', 'broadcast_failed'),
        reason: 'program_error',
        programErrorName: 'OrderExecuted',
      });
    }
    expect((await restarted.submit(twins[first] as Uint8Array)).text).toBe(responses[first]?.text);
    await restarted.stop();
  });

  test('an order is not carried out again though the database was restored to before the order was placed', async () => {
    const { response, signed } = await purchase();
    const second = await renewed(signed, executive());
    const third = await renewed(second, executive());
    expectStatus(await t.tradebook.submit(signed), 200);
    const { count } = await t.service.ctx.sql`delete from orders where id = ${response.body.data.purchaseId}`;
    expect(count).toBe(1);
    for (const each of [second, third]) await movesNothing(each, 'OrderExecuted', 'broadcast_failed');
  });

  test('an order is not carried out again after its first submission got no response', async () => {
    const { signed } = await withdrawal();
    const wallet = treasury.withdrawal.wallet;
    node.lie = withoutResponse;
    expect(errorOf(await t.tradebook.submit(signed))).toMatchObject({
      status: 503,
      code: 'service_unavailable',
    });
    node.lie = undefined;
    expectStatus(await t.tradebook.submit(await renewed(signed, wallet)), 200);
    await movesNothing(signed, 'OrderExecuted', 'broadcast_failed');
  });

  test('an order signed again has its wait recorded before anything is sent for it', async () => {
    const { response, signed } = await withdrawal();
    const end = async () => {
      const [row] = await t.service.ctx.sql<{ height: string }[]>`
        select last_valid_block_height as height from orders where id = ${response.body.data.withdrawalId}`;
      return BigInt(row?.height ?? 0);
    };
    const placed = await end();
    const later = await renewed(signed, treasury.withdrawal.wallet);
    let atSending: bigint | undefined;
    node.lie = async ({ method }, ask) => {
      if (method === 'sendTransaction') atSending = await end();
      return ask();
    };
    expectStatus(await t.tradebook.submit(later), 200);
    node.lie = undefined;
    expect(atSending).toBeGreaterThan(placed);
  });

  test('an order signed again waits for as long as what was submitted for it may land', async () => {
    const [{ response, signed }, idle] = [await withdrawal(), await withdrawal()];
    const path = `withdrawals/${response.body.data.withdrawalId}`;
    // Signed 50 s after the order was placed, so that it outlives what the order was quoted with.
    t.chain.node.warp({ seconds: 50 });
    await t.ready();
    node.lie = withoutResponse;
    const late = await renewed(signed, treasury.withdrawal.wallet);
    expect(errorOf(await t.tradebook.submit(late))).toMatchObject({
      status: 503,
      code: 'service_unavailable',
    });
    node.lie = undefined;
    t.chain.node.warp({ seconds: 45 });
    await t.ready();
    index();
    await becomes(`withdrawals/${idle.response.body.data.withdrawalId}`, 'expired');
    // The sweep that ended the order that was never submitted left this one.
    await becomes(path, 'pending_signature');
    t.chain.node.warp({ seconds: 180 });
    await t.ready();
    await becomes(path, 'expired');
    await stopIndexing();
    await movesNothing(late, 'has expired; place a new one.', 'broadcast_failed');
  });

  test('an order is not carried out again once its record shows it', async () => {
    const { response, signed } = await purchase();
    await t.chain.sendStraight(signed);
    index();
    await becomes(`purchases/${response.body.data.purchaseId}`, 'confirmed');
    await stopIndexing();
    const by = `is already confirmed, by the transaction ${signatureOf(signed)}`;
    await movesNothing(await renewed(signed, executive()), by);
    const { data } = expectStatus(await t.tradebook.submit(signed), 200).body;
    expect(data.transaction.transactionId).toBe(response.body.data.purchaseId);
  });

  test('an order is not carried out again once it failed on chain', async () => {
    const { response, signed } = await ordered(treasury.withdrawal, paths.withdrawals, {
      amount: 2,
      tokenType: 'gold',
    });
    const { goldMint } = t.chain;
    const { gold } = (await t.balances({ vault: treasury.vault })).vault;
    await t.chain.node.setTokenBalance(treasury.vault, goldMint, 1n);
    await t.chain.landed(await t.chain.sendStraight(signed));
    t.chain.node.warp({ slots: 40 });
    index();
    await becomes(`withdrawals/${response.body.data.withdrawalId}`, 'failed');
    await stopIndexing();
    await t.chain.node.setTokenBalance(treasury.vault, goldMint, gold);
    await t.ready();
    const by = `is already failed, by the transaction ${signatureOf(signed)}`;
    await movesNothing(await renewed(signed, treasury.withdrawal.wallet), by);
  });
});

test('an order of a partner that was suspended since is not sent, and a landed one has the same response', async () => {
  const [{ response, signed }, landed] = [await withdrawal(), await withdrawal()];
  // It names an order that is not there, so it would go as a transaction of none.
  const ofNone = await renewed(signed, treasury.withdrawal.wallet, (bytes) => {
    const named = { integrator: treasury.integrator, from: response.body.data.withdrawalId, to: newUuid() };
    nameOrder(bytes, named, t.service.ctx.chain.programAddress);
  });
  const first = expectStatus(await t.tradebook.submit(landed.signed), 200);
  const suspend = (status: string) =>
    t.service.ctx.sql`update partners set status = ${status} where id = ${treasury.partnerId}`;
  await suspend('suspended');
  const before = await t.balances({ vault: treasury.vault });
  for (const each of [signed, ofNone]) {
    expect(errorOf(await t.tradebook.submit(each))).toMatchObject({ status: 403, code: 'partner_suspended' });
  }
  expect((await t.tradebook.submit(landed.signed)).text).toBe(first.text);
  expect(await t.balances({ vault: treasury.vault })).toEqual(before);
  await suspend('active');
  for (const each of [ofNone, signed]) expectStatus(await t.tradebook.submit(each), 200);
});

test('a change of executives replaces a lost key also while the partner is suspended', async () => {
  const { partnerId, update } = treasury;
  const suspend = (status: string) =>
    t.service.ctx.sql`update partners set status = ${status} where id = ${partnerId}`;
  const { address } = newWallet();
  await suspend('suspended');
  try {
    const refused = await update.put(paths.executives(partnerId), { add: [address] });
    expect(errorOf(refused)).toMatchObject({ status: 403, code: 'partner_suspended' });
    const response = expectStatus(await admin.put(paths.executives(partnerId), { add: [address] }), 200);
    const signed = signedBy(transactionOf(response), update.wallet);
    const { data } = expectStatus(await t.tradebook.submit(signed), 200).body;
    expect(data).toMatchObject({ status: 'confirmed', transaction: { signature: signatureOf(signed) } });
    await eventually(() => {
      const held = t.service.ctx.chain.program.integrator(partnerId)?.data;
      expect(held?.executives).toContain(address);
    }, 10_000);
  } finally {
    await suspend('active');
  }
});

describe('an order that is not as it was built is not sent', () => {
  test('an order with another amount than it was built with is not sent', async () => {
    const { response, signed } = await purchase();
    const { data: args } = viewTransaction(signed).instructions.at(-1) ?? { data: new Uint8Array() };
    // The amount follows the call's number.
    const changed = await renewed(signed, executive(), (bytes) => {
      bytes.writeBigUInt64LE(1_000_001n, bytes.length - args.length + 1);
    });
    const named = `names the order ${response.body.data.purchaseId}, but does not match it: call.`;
    await movesNothing(changed, named);
    // One that landed past Karat keeps the response of its own row.
    await t.chain.sendStraight(changed);
    const { data } = expectStatus(await t.tradebook.submit(changed), 200).body;
    expect(data.transaction.transactionId).toBe(uuidOfSignature(signatureOf(changed)));
  });

  test('an order with a later end than it was built with is not sent', async () => {
    const { response, signed } = await purchase();
    // The last of the call's arguments but for the id, which ends the message.
    const later = await renewed(signed, executive(), (bytes) => {
      const at = bytes.length - 24;
      bytes.writeBigInt64LE(bytes.readBigInt64LE(at) + 3_600n, at);
    });
    const named = `names the order ${response.body.data.purchaseId}, but does not match it: call.`;
    await movesNothing(later, named);
    // What lands past Karat has a row of its own, and the order waits on.
    await t.chain.sendStraight(later);
    index();
    await becomes(`purchases/${uuidOfSignature(signatureOf(later))}`, 'confirmed');
    await becomes(`purchases/${response.body.data.purchaseId}`, 'pending_signature');
    await stopIndexing();
  });
});

test('an order that the node did not take may be signed again', async () => {
  const { response, signed } = await purchase();
  const { usdc } = (await t.balances({ vault: treasury.vault })).vault;
  await t.chain.node.setTokenBalance(treasury.vault, t.chain.usdcMint, 1n);
  expect(errorOf(await t.tradebook.submit(signed))).toMatchObject({ code: 'broadcast_failed' });
  await t.chain.node.setTokenBalance(treasury.vault, t.chain.usdcMint, usdc);
  const { data } = expectStatus(await t.tradebook.submit(await renewed(signed, executive())), 200).body;
  expect(data.transaction.transactionId).toBe(response.body.data.purchaseId);
});

describe('an order that has expired', () => {
  test('an order that has expired is not sent, signed again or as it was', async () => {
    const { response, signed } = await withdrawal();
    const path = `withdrawals/${response.body.data.withdrawalId}`;
    t.chain.node.warp({ seconds: 90 });
    await t.ready();
    index();
    await becomes(path, 'expired');
    await stopIndexing();
    const twin = await renewed(signed, treasury.withdrawal.wallet);
    const expired = `The order ${response.body.data.withdrawalId} has expired; place a new one.`;
    for (const each of [twin, signed]) await movesNothing(each, expired, 'broadcast_failed');
  });
});

import { getBase58Encoder } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewTransaction } from '../../../src/chain/transaction-view.js';
import { uuidOfSignature } from '../../../src/domain/ids.js';
import { startIndexer } from '../../../src/indexer/index.js';
import type { Answer, Wallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import {
  type Ordering,
  ordered,
  ordersOf,
  paths,
  signatureOf,
  signedBy,
  startOrdering,
} from '../../ordering.js';
import { expectStatus } from '../../trading.js';

/** An order that is submitted in other bytes than those that it was answered with, and what its record says. */

let t: Ordering;
let indexer: ReturnType<typeof startIndexer> | undefined;
const index = () => {
  const quickly = { pollMs: 50, idlePollMs: 100, sweepMs: 500, settleMs: 200, lapseMs: 300, electionMs: 100 };
  indexer = startIndexer(t.service.ctx, quickly);
};
const stopIndexing = async () => {
  await indexer?.stop();
  indexer = undefined;
};
beforeAll(async () => {
  t = await startOrdering();
});
afterAll(async () => {
  await stopIndexing();
  await t.stop();
});

const { purchase, withdrawal, becomes } = ordersOf(() => t);

/** The same instructions with a newer blockhash, signed anew. */
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

const executive = () => t.partner.executive.wallet;
const errorOf = ({ status, body }: Answer) => ({ status, ...body.error });
const refused = (message: string, code = 'transaction_not_supported') => ({
  status: 400,
  code,
  message: expect.stringContaining(message),
});

/** That it was refused, and moved nothing. */
async function movesNothing(transaction: Uint8Array, message: string, code?: string): Promise<void> {
  const before = await t.balances();
  expect(errorOf(await t.submit(transaction))).toEqual(refused(message, code));
  expect(await t.balances()).toEqual(before);
}

test('an order signed anew before it is sent is the order’s own', async () => {
  const { answer, signed } = await purchase();
  const { data } = expectStatus(await t.submit(await renewed(signed, executive())), 200).body;
  expect(data.transaction.transactionId).toBe(answer.body.data.purchaseId);
});

describe('an order that was carried out is not carried out again', () => {
  test('before its record says so', async () => {
    const { answer, signed } = await purchase();
    const twin = await renewed(signed, executive());
    const first = expectStatus(await t.submit(signed), 200);
    const sent = `For the order ${answer.body.data.purchaseId}, ${signatureOf(signed)} was sent already`;
    await movesNothing(twin, sent);
    expect((await t.submit(signed)).text).toBe(first.text);
  });

  test('nor at the same time', async () => {
    const { signed } = await purchase();
    const twin = await renewed(signed, executive());
    const answers = await Promise.all([t.submit(signed), t.submit(twin)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('once its record says so', async () => {
    const { answer, signed } = await purchase();
    await t.chain.sendStraight(signed);
    index();
    await becomes(`purchases/${answer.body.data.purchaseId}`, 'confirmed');
    await stopIndexing();
    const by = `is confirmed already, by the transaction ${signatureOf(signed)}`;
    await movesNothing(await renewed(signed, executive()), by);
    const { data } = expectStatus(await t.submit(signed), 200).body;
    expect(data.transaction.transactionId).toBe(answer.body.data.purchaseId);
  });

  test('and once it failed on chain', async () => {
    const { answer, signed } = await ordered(t.partner.withdrawal, paths.withdrawals, {
      amount: 2,
      tokenType: 'gold',
    });
    const { goldMint } = t.chain;
    const { gold } = (await t.balances()).vault;
    await t.chain.node.setTokenBalance(t.partner.vault, goldMint, 1n);
    await t.chain.sendStraight(signed);
    index();
    await becomes(`withdrawals/${answer.body.data.withdrawalId}`, 'failed');
    await stopIndexing();
    await t.chain.node.setTokenBalance(t.partner.vault, goldMint, gold);
    const by = `is failed already, by the transaction ${signatureOf(signed)}`;
    await movesNothing(await renewed(signed, t.partner.withdrawal.wallet), by);
  });

  test('what landed all the same is answered under the id of its own row', async () => {
    const { answer, signed } = await purchase();
    const twin = await renewed(signed, executive());
    for (const each of [signed, twin]) await t.chain.sendStraight(each);
    index();
    const path = `purchases/${answer.body.data.purchaseId}`;
    const { signature } = await becomes(path, 'confirmed');
    expect(signature).toBe(signatureOf(signed));
    const own = uuidOfSignature(signatureOf(twin));
    await becomes(`purchases/${own}`, 'confirmed');
    await stopIndexing();
    const { data } = expectStatus(await t.submit(twin), 200).body;
    expect(data.transaction).toMatchObject({ transactionId: own, signature: signatureOf(twin) });
  });
});

describe('an order that is not as it was built is not sent', () => {
  const figure = (bytes: Buffer) => bytes.write('|2000000', bytes.indexOf('|1000000'));

  test('with another figure in its memo', async () => {
    const { answer, signed } = await purchase();
    const changed = await renewed(signed, executive(), figure);
    const named = `names the order ${answer.body.data.purchaseId}, which it does not carry out: memo.`;
    await movesNothing(changed, named);
    // One that landed past Karat keeps the answer of its own row.
    await t.chain.sendStraight(changed);
    const { data } = expectStatus(await t.submit(changed), 200).body;
    expect(data.transaction.transactionId).toBe(uuidOfSignature(signatureOf(changed)));
  });

  test('with a later end', async () => {
    const { answer, signed } = await purchase();
    // The last of the call's arguments, at the end of the message.
    const later = await renewed(signed, executive(), (bytes) => {
      const at = bytes.length - 8;
      bytes.writeBigInt64LE(bytes.readBigInt64LE(at) + 3_600n, at);
    });
    const named = `names the order ${answer.body.data.purchaseId}, which it does not carry out: call.`;
    await movesNothing(later, named);
    // What lands past Karat has a row of its own, and the order waits on.
    await t.chain.sendStraight(later);
    index();
    await becomes(`purchases/${uuidOfSignature(signatureOf(later))}`, 'confirmed');
    await becomes(`purchases/${answer.body.data.purchaseId}`, 'pending_signature');
    await stopIndexing();
  });
});

test('an order that the node did not take may be signed anew', async () => {
  const { answer, signed } = await purchase();
  const { usdc } = (await t.balances()).vault;
  await t.chain.node.setTokenBalance(t.partner.vault, t.chain.usdcMint, 1n);
  expect(errorOf(await t.submit(signed))).toMatchObject({ code: 'broadcast_failed' });
  await t.chain.node.setTokenBalance(t.partner.vault, t.chain.usdcMint, usdc);
  const { data } = expectStatus(await t.submit(await renewed(signed, executive())), 200).body;
  expect(data.transaction.transactionId).toBe(answer.body.data.purchaseId);
});

describe('an order that has expired', () => {
  test('is not sent, signed anew or as it was', async () => {
    const { answer, signed } = await withdrawal();
    const path = `withdrawals/${answer.body.data.withdrawalId}`;
    t.chain.node.warp({ seconds: 90 });
    await t.ready();
    index();
    await becomes(path, 'expired');
    await stopIndexing();
    const twin = await renewed(signed, t.partner.withdrawal.wallet);
    const expired = `The order ${answer.body.data.withdrawalId} has expired; place a new one.`;
    for (const each of [twin, signed]) await movesNothing(each, expired, 'broadcast_failed');
    // What lands past Karat is recorded as the order, which lives again: its money moved.
    await t.chain.sendStraight(twin);
    const { data } = expectStatus(await t.submit(twin), 200).body;
    expect(data.transaction.transactionId).toBe(answer.body.data.withdrawalId);
    index();
    expect(await becomes(path, 'confirmed')).toMatchObject({ signature: signatureOf(twin) });
    await stopIndexing();
  });
});

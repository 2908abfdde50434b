import {
  createSolanaRpc,
  getTransactionDecoder,
  getTransactionEncoder,
  partiallySignTransaction,
  type Signature,
} from '@solana/kit';
import { Keypair, Transaction, VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tradeComputeUnitLimit } from '../../../src/chain/build/build-trade.js';
import { newId } from '../../../src/domain/ids.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus, kitSigner } from '../../harness.js';
import { type Lie, type LyingNode, Refused, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { within5s } from '../../within.js';

let t: Karat;
let node: LyingNode;

beforeAll(async () => {
  t = await startKarat({
    // What limits a submission that hangs is the submission itself, however slow the machine is.
    respondWithinMs: 60_000,
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
});
afterAll(async () => {
  await t.stop();
  await node.close();
});

const refusal = (message: string) => ({
  status: 400,
  body: { error: 'broadcast_failed', message: expect.stringContaining(message) },
});

async function landed(txHash: string) {
  const rpc = createSolanaRpc(t.chain.node.rpcUrl);
  return await eventually(async () => {
    const found = await rpc
      .getTransaction(txHash as Signature, {
        commitment: 'confirmed',
        encoding: 'json',
        maxSupportedTransactionVersion: 0,
      })
      .send();
    if (!found) throw new Error(`${txHash} is not confirmed`);
    return found;
  }, 10_000);
}

/** Runs the steps and expects that no token moved meanwhile. */
async function withoutEffect(steps: () => Promise<void>): Promise<void> {
  const before = await t.balances();
  await steps();
  expect(await t.balances()).toEqual(before);
}

describe('a submitted quote', () => {
  test('a submitted quote moves exactly the quoted amounts and makes the token account that was missing', async () => {
    const before = await t.balances();
    const { tradeId, transaction, response } = await t.buy.quoted({ usdc_amount: 1_234.567891 });
    const sent = expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 200);
    expect(sent.body).toEqual({
      trade_id: tradeId,
      tx_hash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
    });
    const after = await t.balances();
    const moved = (name: 'user' | 'treasury', mint: 'usdc' | 'gold') =>
      after[name][mint] - before[name][mint];
    const gold = BigInt(Math.round(response.body.quote.gold_amount * 1e6));
    const fee = BigInt(Math.round(response.body.quote.fee_usd * 1e6));
    expect(moved('user', 'usdc')).toBe(-1_234_567_891n);
    expect(moved('user', 'gold')).toBe(gold);
    expect(moved('treasury', 'gold')).toBe(-gold);
    expect(moved('treasury', 'usdc')).toBe(1_234_567_891n - fee);
  });

  test('a submitted quote stays within its compute units, with and without a token account to make', async () => {
    const units: bigint[] = [];
    for (const user of [t.user, await t.given.user()]) {
      const { tradeId, transaction } = await t.buy.quoted({ service_user_id: user.id });
      const signed = cosign(transaction, [t.partner.wallet, user.wallet]);
      const { body } = expectStatus(await t.buy.submit(tradeId, signed), 200);
      units.push((await landed(body.tx_hash)).meta?.computeUnitsConsumed ?? 0n);
    }
    console.log(`compute units of a buy: ${units[0]}, with a new token account: ${units[1]}`);
    for (const used of units) expect(used).toBeLessThan(BigInt(tradeComputeUnitLimit) / 2n);
  });

  test('a submitted quote has the same response for the same bytes: at once, confirmed, and after its blockhash expired', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    const before = await t.balances();
    const first = expectStatus(await t.buy.submit(tradeId, signed), 200);
    const racing = await Promise.all([1, 2, 3].map(() => t.buy.submit(tradeId, signed)));
    for (const response of racing) expect(response).toMatchObject({ status: 200, body: first.body });
    await landed(first.body.tx_hash);
    expect(await t.buy.submit(tradeId, signed)).toMatchObject({ status: 200, body: first.body });
    t.chain.node.warp({ seconds: 120 });
    expect(await t.buy.submit(tradeId, signed)).toMatchObject({ status: 200, body: first.body });
    const after = await t.balances();
    expect(after.user?.usdc).toBe((before.user?.usdc ?? 0n) - 100_000_000n);
    // A changed copy of it is no replay.
    const changed = Uint8Array.from(signed);
    changed[70] = (changed[70] ?? 0) ^ 1;
    expect(await t.buy.submit(tradeId, changed)).toMatchObject(
      refusal('The signature of the partner wallet'),
    );
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
  });

  test.each([
    new Refused(-32002, 'Transaction simulation failed: InsufficientFunds'),
    new Refused(-32603, 'already processed'),
  ])(
    'a submitted quote that has landed is recognised by the chain when the node refuses it with $code $message',
    async (words) => {
      const { tradeId, transaction } = await t.buy.quoted();
      const signed = t.signed(transaction);
      node.lie = async ({ method }, ask) => {
        if (method === 'sendTransaction') throw words;
        return ask();
      };
      try {
        const { status } = await t.buy.submit(tradeId, signed);
        expect(status).toBe(words.message.includes('InsufficientFunds') ? 400 : 503);
        await t.chain.sendStraight(signed);
        const { body } = expectStatus(await t.buy.submit(tradeId, signed), 200);
        expect((await landed(body.tx_hash)).meta?.err).toBeNull();
      } finally {
        node.lie = undefined;
      }
    },
  );

  const refusing =
    (words: Refused): Lie =>
    async ({ method }, ask) => {
      if (method === 'sendTransaction') throw words;
      return ask();
    };
  /** A node that does not report for a slot what has landed in it. */
  const late =
    (inner: Lie): Lie =>
    (call, ask) =>
      inner(call, async () => {
        const response = await ask();
        return call.method === 'getSignatureStatuses' ? { ...response, value: [null] } : response;
      });

  test('a submitted quote of a moment ago is not called expired by a node that lags, and the same bytes land', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    await withoutEffect(async () => {
      node.lie = refusing(new Refused(-32002, 'Transaction simulation failed: Blockhash not found'));
      const refused = await t.buy.submit(tradeId, signed);
      node.lie = undefined;
      expect(refused).toMatchObject({
        status: 503,
        body: {
          reason: 'node_unavailable',
          message: expect.stringContaining('send the same signed_tx again'),
        },
      });
    });
    const { body } = expectStatus(await t.buy.submit(tradeId, signed), 200);
    expect((await landed(body.tx_hash)).meta?.err).toBeNull();
  });

  test('a submitted quote that a node calls processed in words alone counts as submitted, also before its status is there', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    const txHash = await t.chain.sendStraight(signed);
    const words = 'Transaction simulation failed: This transaction has already been processed';
    node.lie = late(refusing(new Refused(-32002, words)));
    const submitted = await t.buy.submit(tradeId, signed);
    node.lie = undefined;
    expect(expectStatus(submitted, 200).body.tx_hash).toBe(txHash);
    expect((await landed(submitted.body.tx_hash)).meta?.err).toBeNull();
  });

  test('a submitted quote counts as submitted when the node refuses the same bytes again in words that are not understood', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    // It is taken, and the response is lost.
    node.lie = late(async ({ method }, ask) => {
      const result = await ask();
      if (method === 'sendTransaction') throw new Error('lost');
      return result;
    });
    expectStatus(await t.buy.submit(tradeId, signed), 503);
    // By a process whose clock is ahead of this one's.
    const { sql } = t.service.ctx;
    await sql`update submissions set created_at = created_at + interval '1 minute' where quote_id = ${tradeId.slice(4)}`;
    node.lie = late(refusing(new Refused(-32002, 'bundle rejected: duplicate')));
    const again = await t.buy.submit(tradeId, signed);
    const other = await t.buy.quoted();
    const refused = await t.buy.submit(other.tradeId, t.signed(other.transaction));
    node.lie = undefined;
    const { body } = expectStatus(again, 200);
    expect((await landed(body.tx_hash)).meta?.err).toBeNull();
    // What was never sent before is refused, and not with the advice to request another one.
    expect(refused).toMatchObject(
      refusal('bundle rejected: duplicate. Make sure that it has not landed before you request a new quote.'),
    );
  });

  test('a submitted quote that expired is refused with the node’s message, and a new quote works with a new blockhash', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const { blockhash } = t.service.ctx.chain;
    const readings = () => node.calls.get('getLatestBlockhash') ?? 0;
    let before = 0;
    await withoutEffect(async () => {
      t.chain.node.warp({ seconds: 61 });
      before = readings();
      expect(await t.buy.submit(tradeId, t.signed(transaction))).toMatchObject(
        refusal('Transaction simulation failed: Blockhash not found'),
      );
    });
    // The first one may have been under way when time moved; the third begins when the second has ended.
    await eventually(() => {
      expect(readings()).toBeGreaterThanOrEqual(before + 3);
      expect(blockhash.fault()).toBeUndefined();
    }, 10_000);
    // The price was too old for a moment.
    const next = await eventually(() => t.buy.quoted(), 10_000);
    expectStatus(await t.buy.submit(next.tradeId, t.signed(next.transaction)), 200);
  });

  test('a submitted quote below its floor is refused with the name of the program error', async () => {
    const { tradeId, transaction, response } = await t.buy.quoted({ min_gold_out: 1 });
    expect(response.body.quote).toMatchObject({ min_gold_out: 1 });
    await withoutEffect(async () => {
      const refused = await t.buy.submit(tradeId, t.signed(transaction));
      expect(refused).toMatchObject(refusal('SlippageExceeded: The output is below the accepted minimum'));
      expect(refused.body.message).toContain('Transaction simulation failed');
      const { max_gold_out } = response.body.quote as { max_gold_out: number };
      expect(refused.body.message).toContain(
        `No price meets its min_gold_out of 1, because the most that it gives is its max_gold_out of ${max_gold_out}: request`,
      );
    });
  });

  test('a submitted quote of a user without the money is refused with the name of the error', async () => {
    const user = await t.given.user();
    await t.chain.fund(user.wallet.address, 99_999_999n);
    const { tradeId, transaction } = await t.buy.quoted({ service_user_id: user.id });
    const signed = cosign(transaction, [t.partner.wallet, user.wallet]);
    expect(await t.buy.submit(tradeId, signed)).toMatchObject(refusal('InsufficientFunds'));
  });
});

describe('a quote signed by each kind of signer', () => {
  const signers = () =>
    [t.partner.wallet, t.user.wallet].map(({ secretKey }) => Keypair.fromSecretKey(secretKey));

  test.each<[string, (transaction: Buffer) => Uint8Array | Promise<Uint8Array>]>([
    [
      '@solana/web3.js 1.x Transaction',
      (bytes) => {
        const transaction = Transaction.from(bytes);
        transaction.partialSign(...signers());
        return transaction.serialize();
      },
    ],
    [
      '@solana/web3.js 1.x VersionedTransaction',
      (bytes) => {
        const transaction = VersionedTransaction.deserialize(bytes);
        transaction.sign(signers());
        return transaction.serialize();
      },
    ],
    [
      '@solana/kit',
      async (bytes) => {
        const keys = await Promise.all([t.partner.wallet, t.user.wallet].map(kitSigner));
        const decoded = getTransactionDecoder().decode(bytes);
        const pairs = keys.map(({ keyPair }) => keyPair);
        return Uint8Array.from(
          getTransactionEncoder().encode(await partiallySignTransaction(pairs, decoded)),
        );
      },
    ],
  ])('a quote signed with %s is never refused', async (_, sign) => {
    const { tradeId, transaction } = await t.buy.quoted();
    expectStatus(await t.buy.submit(tradeId, await sign(transaction)), 200);
  });
});

describe('submit', () => {
  test.each([
    ['nothing', {}],
    ['null', { signed_tx: null }],
    ['a number', { signed_tx: 7 }],
    ['an object', { signed_tx: {} }],
    ['empty text', { signed_tx: '' }],
    ['text that is no base64', { signed_tx: 'not base64!' }],
    ['base64 without padding', { signed_tx: 'AQ' }],
    ['base64url', { signed_tx: '-_8=' }],
    ['white space', { signed_tx: 'AQ==\n' }],
    ['stray bits', { signed_tx: 'AR==' }],
    ['unicode', { signed_tx: 'ＡＱ＝＝' }],
  ])('submit responds 400 and names the field for %s', async (_, body) => {
    const response = await t.partner.client.post(`/v1/buy/${newId('trd')}/submit`, body);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', field: 'signed_tx' } });
  });

  test.each(['nonsense', 'trd_1', newId('red'), '%F0%9F%98%80'])(
    'submit responds 404 for %s, which is no trade id',
    async (tradeId) => {
      const response = await t.buy.submit(tradeId, new Uint8Array([1]));
      expect(response).toMatchObject({ status: 404, body: { error: 'trade_not_found' } });
    },
  );

  test('submit responds 401 without a key', async () => {
    const response = await t.service.anonymous.post(`/v1/buy/${newId('trd')}/submit`, { signed_tx: 'AQ==' });
    expect(response).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  test.each([
    ['fails', { method: 'sendTransaction', mode: 'error', times: 1 }],
    ['drops the connection', { method: 'sendTransaction', mode: 'close', times: 1 }],
    ['hangs', { method: 'sendTransaction', mode: 'hang', times: 1 }],
  ])(
    'submit responds 503 within 5 s when the node %s, and accepts the same bytes afterwards',
    async (_, fault) => {
      const { tradeId, transaction } = await t.buy.quoted();
      const signed = t.signed(transaction);
      await withoutEffect(async () => {
        await t.chain.injectFault(fault);
        const response = await within5s('submit', () => t.buy.submit(tradeId, signed));
        expect(response).toMatchObject({
          status: 503,
          body: {
            error: 'service_unavailable',
            message: expect.stringContaining('send the same signed_tx again'),
          },
        });
      });
      expectStatus(await t.buy.submit(tradeId, signed), 200);
    },
  );

  test('submit responds 503 when it cannot learn whether an expired transaction had landed', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    const first = expectStatus(await t.buy.submit(tradeId, signed), 200);
    await landed(first.body.tx_hash);
    t.chain.node.warp({ seconds: 61 });
    const about = first.body.tx_hash;
    await t.chain.injectFault({ method: 'getSignatureStatuses', mode: 'error', times: 1, about });
    expect(await t.buy.submit(tradeId, signed)).toMatchObject({ status: 503 });
    expect(await t.buy.submit(tradeId, signed)).toMatchObject({ status: 200, body: first.body });
  });
});

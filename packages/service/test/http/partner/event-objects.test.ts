import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settleDueBurns } from '../../../src/actions/redemptions/settle-burns.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { cosign } from '../../chain/signed-trade.js';
import { type Client, expectStatus } from '../../harness.js';
import { never } from '../../indexer/following.js';
import { dropping, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { eventually, finalize } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { send } from '../../operators.js';
import { ordered, paths, signatureOf, signedBy, transactionOf } from '../../ordering.js';
import { pickupCodeOf, setBarAside, tola } from '../../redeeming.js';

/** Type and data of the events of an object, oldest first. */
const reportsOf = async (client: Client, objectId: string): Promise<{ type: string; data: object }[]> =>
  expectStatus(await client.get(`/v1/events?object_id=${objectId}`), 200).body.events.map(
    ({ type, data }: { type: string; data: object }) => ({ type, data }),
  );
const isReported = (client: Client, objectId: string, types: string[]) =>
  eventually(async () => {
    const reported = await reportsOf(client, objectId);
    expect(reported.map(({ type }) => type)).toEqual(types);
    return reported;
  }, 15_000);

describe('a redemption: each event with the response of its GET', () => {
  let o: Operating;
  beforeAll(async () => {
    o = await startOperating();
  });
  afterAll(() => o.stop());

  const quoted = async () => {
    const user = await o.h.givenUser(o.partner.partnerId);
    await o.chain.node.setTokenBalance(user.wallet.address, o.chain.goldMint, 1_000_000n);
    const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
    const { body: quote } = expectStatus(await o.partner.client.post('/v1/redemptions', body), 201);
    const transaction = cosign(Buffer.from(quote.partially_signed_transaction, 'base64'), [user.wallet]);
    return { id: quote.redemption_id as string, user, transaction };
  };
  /** Without the pickup code, and the bar with its proofs, which are in no event. */
  const read = async (id: string) => {
    const {
      pickup_code: _code,
      pickup_qr: _qr,
      bar: _bar,
      ...rest
    } = expectStatus(await o.partner.client.get(`/v1/redemptions/${id}`), 200).body;
    return rest;
  };
  /** Does each step, and collects the events that are to follow: the type of it and what is read then. */
  const follow = async (
    id: string,
    steps: readonly (readonly [type: string, step: () => Promise<unknown>])[],
  ) => {
    const expected: object[] = [];
    for (const [type, step] of steps) {
      await step();
      await isReported(o.partner.client, id, [
        ...expected.map((each) => (each as { type: string }).type),
        `redemption.${type}`,
      ]);
      expected.push({
        type: `redemption.${type}`,
        data: { object_type: 'redemption', object: await read(id) },
      });
    }
    expect(await reportsOf(o.partner.client, id)).toEqual(expected);
  };
  const final = async (id: string) => {
    await finalize(o.chain, o.h.ctx);
    await eventually(async () => {
      const path = `/operator/v1/redemptions/${id}`;
      expect((await o.operators.by.fulfilment.client.get(path)).body.final).toBe(true);
    }, 15_000);
  };
  const vault = (id: string, step: string, body?: object) => async () =>
    expectStatus(
      await send(o.operators.by.fulfilment.client, 'POST', `/redemptions/${id}/${step}`, body),
      200,
    );
  const submit = (id: string, transaction: Uint8Array) => async () =>
    expectStatus(
      await o.partner.client.post(`/v1/redemptions/${id}/submit`, {
        signed_tx: Buffer.from(transaction).toString('base64'),
      }),
      200,
    );

  test('submitted, preparing, ready, collected and burned', async () => {
    const { id, transaction } = await quoted();
    await follow(id, [
      ['submitted', submit(id, transaction)],
      ['preparing', async () => [await final(id), await vault(id, 'prepare')()]],
      ['ready', async () => [await setBarAside(o.h, id), await vault(id, 'ready')()]],
      ['collected', async () => vault(id, 'collect', { pickup_code: await pickupCodeOf(o.h, id) })()],
      [
        'burned',
        async () => {
          await vault(id, 'burn')();
          // It is announced a day ahead.
          o.chain.node.warp({ seconds: 86_400 });
          await o.ready();
          expect(await settleDueBurns(o.h.ctx, never)).toBe(1);
        },
      ],
    ]);
  });

  test('cancellation requested, cancelled and refunded', async () => {
    const { id, transaction } = await quoted();
    await follow(id, [
      ['submitted', submit(id, transaction)],
      [
        'cancellation_requested',
        async () =>
          expectStatus(await o.partner.client.post(`/v1/redemptions/${id}/cancel`, { reason: 'moved' }), 200),
      ],
      ['cancelled', vault(id, 'cancel', { physical_gold_committed: false })],
      ['refunded', async () => [await final(id), await vault(id, 'refund')()]],
    ]);
  });

  test('failed', async () => {
    const { id, user, transaction } = await quoted();
    await o.chain.node.setTokenBalance(user.wallet.address, o.chain.goldMint, 1n);
    const fail = async () => {
      await o.chain.landed(await o.chain.sendStraight(transaction));
      o.chain.node.warp({ slots: 40 });
    };
    await follow(id, [['failed', fail]]);
    expect(await read(id)).toMatchObject({ status: 'failed', reason: 'insufficient_gold' });
  });
});

describe('orders of a vault: each event with the data of their GET', () => {
  let t: Karat;
  let treasury: Treasury;
  let indexer: ReturnType<typeof startIndexer>;
  beforeAll(async () => {
    t = await startKarat();
    treasury = await t.given.treasury();
    const times = {
      pollMs: 50,
      idlePollMs: 100,
      finalAfterMs: 0,
      finalizeMs: 50,
      lapseMs: 100,
      electionMs: 100,
    };
    indexer = startIndexer(t.service.ctx, times);
  });
  afterAll(async () => {
    await indexer.stop();
    await t.stop();
  });

  const kinds = [
    {
      kind: 'purchase',
      id: 'purchaseId',
      path: '/api/trading/purchases',
      order: () => ordered(treasury.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 1_000_000 }),
    },
    {
      kind: 'sale',
      id: 'sellId',
      path: '/api/trading/sales',
      order: () => ordered(treasury.executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 }),
    },
    {
      kind: 'withdrawal',
      id: 'withdrawalId',
      path: paths.withdrawals,
      order: () => ordered(treasury.withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' }),
    },
  ] as const;
  /** Sets what the vault holds, base units. */
  const hold = async (usdc: bigint, gold: bigint) => {
    await t.chain.node.setTokenBalance(treasury.vault, t.chain.usdcMint, usdc);
    await t.chain.node.setTokenBalance(treasury.vault, t.chain.goldMint, gold);
  };

  test.each(kinds)('$kind: confirmed, failed and expired', async ({ kind, id: idOf, path, order }) => {
    const client = t.service.partner;
    const orders: { id: string; signed: Uint8Array }[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { response, signed } = await order();
      orders.push({ id: response.body.data[idOf], signed });
    }
    const [good, bad, late] = orders as [(typeof orders)[0], (typeof orders)[0], (typeof orders)[0]];
    await t.chain.sendStraight(good.signed);
    await isReported(client, good.id, [`${kind}.confirmed`]);
    await hold(0n, 0n);
    await t.chain.landed(await t.chain.sendStraight(bad.signed));
    t.chain.node.warp({ slots: 40 });
    await isReported(client, bad.id, [`${kind}.failed`]);
    await hold(1_000_000_000_000n, 500_000_000n);
    t.chain.node.warp({ slots: 400 });
    await isReported(client, late.id, [`${kind}.expired`]);
    await t.ready();
    for (const [{ id }, status] of [
      [good, 'confirmed'],
      [bad, 'failed'],
      [late, 'expired'],
    ] as const) {
      const { data } = expectStatus(await treasury.update.get(`${path}/${id}`), 200).body;
      expect(data.status).toBe(status);
      expect(await reportsOf(client, id)).toEqual([
        { type: `${kind}.${status}`, data: { object_type: kind, object: data } },
      ]);
    }
  });

  test('a change of executives has the response of GET /v1/me, without the key', async () => {
    const { service } = t;
    const partner = treasury;
    const response = await partner.update.put(paths.executives(partner.partnerId), {
      add: [partner.withdrawal.wallet.address],
    });
    await t.chain.sendStraight(signedBy(transactionOf(expectStatus(response, 200)), partner.update.wallet));
    const reported = await isReported(service.partner, partner.partnerId, ['executives.changed']);
    const { key: _key, ...me } = expectStatus(await service.partner.get('/v1/me'), 200).body;
    expect(reported[0]?.data).toEqual({ object_type: 'partner', object: me });
  });
});

describe('a trade that the chain takes back', () => {
  let t: Karat;
  let nodes: LyingNode[] = [];
  let indexer: ReturnType<typeof startIndexer>;
  beforeAll(async () => {
    t = await startKarat({
      async reroute({ rpcUrl, wsUrl }) {
        nodes = await Promise.all([startLyingNode(rpcUrl), startLyingNode(rpcUrl)]);
        return { rpcUrl: nodes.map(({ url }) => url).join(), wsUrl };
      },
    });
    const times = {
      pollMs: 50,
      idlePollMs: 100,
      finalAfterMs: 0,
      finalizeMs: 50,
      lapseMs: 100,
      electionMs: 100,
    };
    indexer = startIndexer(t.service.ctx, times);
  });
  afterAll(async () => {
    await indexer.stop();
    await t.stop();
    for (const node of nodes) await node.close();
  });

  test('a trade taken back is reverted with the record as GET had it, and stays while the program counts its event', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    expectStatus(await t.buy.submit(tradeId, signed), 200);
    await isReported(t.partner.client, tradeId, ['trade.submitted', 'trade.confirmed']);
    const record = expectStatus(await t.partner.client.get(`/v1/trades/${tradeId}`), 200).body;
    for (const node of nodes) node.lie = dropping(signatureOf(signed));
    // What is older is looked at more seldom.
    const moving = setInterval(() => t.chain.node.warp({ slots: 100 }), 200);
    const events = ['trade.submitted', 'trade.confirmed', 'trade.reverted'];
    const reported = await isReported(t.partner.client, tradeId, events).finally(() => clearInterval(moving));
    expect(reported[2]?.data).toEqual({ object_type: 'trade', object: record });
    expect((await t.partner.client.get(`/v1/trades/${tradeId}`)).status).toBe(404);
    const operation = expectStatus(await t.partner.client.get(`/v1/operations/${tradeId}`), 200).body;
    expect(operation).toMatchObject({ status: 'submitted', record: null });
  });
});

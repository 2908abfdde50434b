import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ChainClock, type EncodedAccount } from '../../../src/chain/program/chain-clock.js';
import { expectStatus } from '../../harness.js';
import { clockAhead, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { addressNamed } from '../../named-keys.js';
import { seedDenominations, tola } from '../../redeeming.js';

/** The account of the chain's clock at a time. */
function accountAt(seconds: number): EncodedAccount {
  const bytes = Buffer.alloc(40);
  bytes.writeBigInt64LE(BigInt(seconds), 32);
  return {
    owner: addressNamed('sysvar'),
    data: [bytes.toString('base64'), 'base64'] as EncodedAccount['data'],
  };
}

describe('chain clock', () => {
  const nowMs = 1_800_000_000_500;
  const at = (...reads: [aheadSeconds: number, tookMs?: number][]) => {
    const clock = new ChainClock({ now: () => nowMs });
    for (const [ahead, tookMs = 0] of reads) clock.accept(accountAt(1_800_000_000 + ahead), nowMs - tookMs);
    return clock.fault();
  };

  test('chain clock: a lasting difference of more than 30 s is a fault, ahead or behind', () => {
    expect(at([-78], [-78])).toBe("The chain's clock is 78 s behind this machine's.");
    expect(at([78], [77])).toBe("The chain's clock is 77 s ahead of this machine's.");
  });

  test('chain clock: a difference of 30 s, or one in a single read, is none', () => {
    expect(at([-30], [-30])).toBeUndefined();
    expect(at([-78])).toBeUndefined();
    expect(at([-78], [0], [-78])).toBeUndefined();
    expect(at([-78], [78])).toBeUndefined();
  });

  test('chain clock: a clock that was moved while it was read proves nothing', () => {
    expect(at([-78, 80_000], [-78, 80_000])).toBeUndefined();
  });
});

describe('over a node', () => {
  let t: Karat;
  let node: LyingNode;
  beforeAll(async () => {
    t = await startKarat({
      reroute: async ({ rpcUrl, wsUrl }) => {
        node = await startLyingNode(rpcUrl);
        return { rpcUrl: node.url, wsUrl };
      },
    });
    await seedDenominations(t.service);
  });
  afterEach(() => {
    node.lie = undefined;
  });
  afterAll(async () => {
    await t.stop();
    await node.close();
  });

  const redeem = () =>
    t.partner.client.post('/v1/redemptions', {
      service_user_id: t.user.id,
      denomination_id: tola.id,
      city: tola.city,
    });
  const ready = async () => (await t.service.anonymous.get('/ready')).body.checks;

  test.each([
    [78, /^The chain's clock is 7[789] s ahead of this machine's\.$/],
    [-78, /^The chain's clock is 7[89] s behind this machine's\.$/],
  ])(
    'chain clock: %d s ahead of the machine stops quotes and readiness, until it agrees again',
    async (seconds, text) => {
      node.lie = clockAhead(seconds);
      const message = expect.stringMatching(text);
      await eventually(async () => expect((await t.buy.quote()).status).toBe(503), 20_000);
      for (const quote of [t.buy.quote, t.sell.quote, redeem]) {
        expect(await quote()).toMatchObject({ status: 503, body: { error: 'service_unavailable', message } });
      }
      expect(await ready()).toMatchObject({
        chain: { status: 'failed', detail: message },
        price: { status: 'ok' },
      });
      node.lie = undefined;
      await eventually(async () => expectStatus(await t.buy.quote(), 200), 20_000);
      expectStatus(await redeem(), 201);
      expect((await ready()).chain).toEqual({ status: 'ok' });
    },
  );

  test('chain clock: 20 s behind the machine stops nothing', async () => {
    node.lie = clockAhead(-20);
    node.calls.clear();
    await eventually(async () => {
      expectStatus(await t.buy.quote(), 200);
      expect(node.calls.get('getMultipleAccounts')).toBeGreaterThanOrEqual(3);
    }, 20_000);
  });

  test('chain clock: it is read with the other accounts, and moving it with the service stops nothing', async () => {
    node.calls.clear();
    for (let warp = 0; warp < 10; warp += 1) {
      t.chain.node.warp({ seconds: 600 });
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(t.service.ctx.chain.clockFault()).toBeUndefined();
    }
    // Rounds are at least 1 s apart, and one call reads everything.
    expect(node.calls.get('getMultipleAccounts')).toBeLessThanOrEqual(8);
    expect(node.calls.get('getAccountInfo')).toBeUndefined();
  });
});

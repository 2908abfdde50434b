import { Localnet } from '@karat/localnet';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { retryAfterMs } from '../../../src/chain/node/node.js';
import { connectNodes } from '../../../src/chain/node/nodes.js';
import { NodeSender } from '../../../src/chain/node/send-transaction.js';
import { txSignatureOf } from '../../../src/domain/solana.js';
import {
  HttpRefusal,
  hang,
  type Lie,
  type LyingNode,
  Refused,
  startLyingNode,
} from '../../indexer/lying-node.js';
import { addressNamed } from '../../named-keys.js';

let node: Localnet;
let one: LyingNode;
let two: LyingNode;

beforeAll(async () => {
  node = await Localnet.start({ rpcPort: 0 });
  [one, two] = await Promise.all([startLyingNode(node.rpcUrl), startLyingNode(node.rpcUrl)]);
});
afterEach(() => {
  for (const each of [one, two]) {
    each.lie = undefined;
    each.calls.clear();
  }
});
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  await node.stop();
});

/** However busy the machine is, a node that responds does so in time. */
const patient = { callMs: 60_000, nextAfterMs: 30_000 };
/** The next node is called soon after a silent one, and has as much time. */
const hasty = { ...patient, nextAfterMs: 200 };
const pool = (times = patient) => connectNodes([one.url, two.url], { times });
/** Has time stand still for the pool, however long the work takes; `pass` moves it on by milliseconds. */
async function atOneTime(work: (pass: (ms: number) => void) => Promise<void>): Promise<void> {
  let nowMs = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  try {
    await work((ms) => {
      nowMs += ms;
    });
  } finally {
    now.mockRestore();
  }
}
const slots = (each: LyingNode) => each.calls.get('getSlot') ?? 0;

describe('a call', () => {
  test('a call goes to the first node alone while that works', async () => {
    await pool().rpc.getSlot().send();
    expect([slots(one), slots(two)]).toEqual([1, 0]);
  });

  test.each([
    ['is gone', Promise.reject.bind(Promise, new Error('gone')), patient],
    ['hangs', async () => hang, hasty],
    ['responds with 502', async () => Promise.reject(new HttpRefusal(502)), patient],
    ['responds with 429', async () => Promise.reject(new HttpRefusal(429)), patient],
    ['is behind', async () => Promise.reject(new Refused(-32005, 'Node is behind by 200 slots')), patient],
  ])(
    'goes on to the second when the first %s, and the next one goes there at once',
    async (_, lie, times) => {
      const { rpc, health } = pool(times);
      one.lie = lie;
      await atOneTime(async () => {
        await expect(rpc.getSlot().send()).resolves.toEqual(expect.any(BigInt));
        expect(health().map(({ usable }) => usable)).toEqual([false, true]);
        await rpc.getSlot().send();
      });
      // By the caller's count: a call that is given up may not have reached a busy node.
      const [first] = health();
      expect([(first?.calls.failed ?? 0) + (first?.calls.rate_limited ?? 0), slots(two)]).toEqual([1, 2]);
    },
  );

  test('a call goes on when a node lacks what is requested, which counts nothing against the node', async () => {
    const { rpc, health } = pool();
    one.lie = () => Promise.reject(new Refused(-32016, 'Minimum context slot has not been reached'));
    await rpc.getSlot().send();
    expect(health().map(({ usable }) => usable)).toEqual([true, true]);
  });

  test('a call that no node takes rejects with the node’s error, or in time', async () => {
    const { rpc } = pool();
    for (const each of [one, two]) each.lie = () => Promise.reject(new Refused(-32005, 'Node is behind'));
    await expect(rpc.getSlot().send()).rejects.toMatchObject({ context: { __code: -32005 } });
    for (const each of [one, two]) each.lie = async () => hang;
    const brief = pool({ callMs: 400, nextAfterMs: 300 });
    const failure: Error = await brief.rpc
      .getSlot()
      .send()
      .then(String, (error) => error);
    const [, waitedMs] = /^no response within (\d+) ms$/.exec(failure.message) ?? [];
    // The last node has what the first one has left, whose timer may be two milliseconds early: fractions of the time and of
    // when it begins are cut off.
    expect(Number(waitedMs)).toBeGreaterThan(0);
    expect(Number(waitedMs)).toBeLessThanOrEqual(202);
  });

  test('a call comes back to the first node once that works again', async () => {
    const { rpc, health } = pool();
    one.lie = () => Promise.reject(new HttpRefusal(502));
    await atOneTime(async (pass) => {
      await rpc.getSlot().send();
      expect(health()[0]?.usable).toBe(false);
      one.lie = undefined;
      pass(500);
      await rpc.getSlot().send();
      expect(health()[0]?.usable).toBe(true);
    });
    expect(slots(one)).toBe(2);
  });
});

describe('a node that refuses calls by 429', () => {
  const refuse = (headers = {}) => {
    return () => Promise.reject(new HttpRefusal(429, headers));
  };

  test('a node that refuses calls by 429 gets no more than one call for each rest, however many wait', async () => {
    const { rpc, health } = connectNodes([one.url]);
    one.lie = refuse();
    const began = performance.now();
    const callers = Array.from({ length: 20 }, async () => {
      while (performance.now() - began < 3_000) {
        await rpc
          .getBlockTime(1n)
          .send()
          .catch(() => {});
      }
    });
    await Promise.all(callers);
    // The first twenty go out together, if not as one; then one after each rest, of which at most five fit into 3 s:
    // each is at least half of 125 ms, doubled each time.
    const calls = one.calls.get('getBlockTime') ?? 0;
    expect(calls).toBeLessThanOrEqual(20 + 6);
    expect(health()[0]).toMatchObject({ usable: false, calls: { answered: 0 } });
  });

  test('a node that refuses calls by 429 is called again when the time that it named is over, not before', async () => {
    const { rpc } = connectNodes([one.url], { times: patient });
    one.lie = async (_call, ask) => {
      if (slots(one) === 1) throw new HttpRefusal(429, { 'retry-after': '1' });
      return ask();
    };
    const began = performance.now();
    await rpc.getSlot().send();
    await rpc.getBlockHeight().send();
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(slots(one)).toBe(2);
  });

  test.each([
    ['by HTTP', () => new HttpRefusal(429)],
    ['in the body', () => new Refused(429, 'Too many requests')],
  ])('nodes: a call refused %s is sent again within its time', async (_, refusal) => {
    const { rpc, callers, health } = connectNodes([one.url], { times: patient });
    for (const [lane, each] of Object.entries({
      own: rpc,
      trade: callers.trade.rpc,
      look: callers.look.rpc,
    })) {
      one.calls.clear();
      one.lie = async (_call, ask) => {
        if (slots(one) <= 3) throw refusal();
        return ask();
      };
      await expect(each.getSlot().send(), lane).resolves.toEqual(expect.any(BigInt));
      expect(slots(one), lane).toBe(4);
    }
    expect(health()[0]?.calls).toEqual({ answered: 3, failed: 0, rate_limited: 9 });
  });

  test('nodes: a check of the chain whose slot was refused reads only that again', async () => {
    const recorded = {
      findGenesis: async () => undefined,
      keepGenesis: async (hash: string) => hash,
      newestSlot: async () => 0n,
    };
    const { rpc } = connectNodes([one.url], { recorded, times: patient });
    one.lie = async ({ method }, ask) => {
      if (method === 'getSlot' && slots(one) <= 2) throw new HttpRefusal(429);
      return ask();
    };
    await rpc.getBlockHeight().send();
    expect(Object.fromEntries(one.calls)).toEqual({ getGenesisHash: 1, getSlot: 3, getBlockHeight: 1 });
  });

  test('nodes: a refused call without time left is not sent again', async () => {
    const { rpc } = connectNodes([one.url], { times: { callMs: 1_000, nextAfterMs: 500 } });
    one.lie = refuse();
    await expect(rpc.getSlot().send()).rejects.toThrow('429');
    expect(slots(one)).toBe(1);
  });

  test('nodes: a refused batch is not sent again', async () => {
    const { transport } = connectNodes([one.url], { times: patient });
    one.lie = refuse();
    const payload = [{ jsonrpc: '2.0', id: 1, method: 'getSlot', params: [] }];
    await expect(transport({ payload })).rejects.toThrow('429');
    expect(slots(one)).toBe(1);
  });

  test.each([
    ['by HTTP', () => new HttpRefusal(429)],
    ['in the body, by 429', () => new Refused(429, 'Too many requests')],
    ['in the body, by -32429', () => new Refused(-32429, 'rate limited')],
  ])('%s, when it should name its chain, rests longer each time too', async (_, refusal) => {
    const recorded = {
      findGenesis: async () => 'a genesis hash',
      keepGenesis: async () => 'a genesis hash',
      newestSlot: async () => 0n,
    };
    // Without time to be sent again.
    const times = { callMs: 1_000, nextAfterMs: 500 };
    const { rpc, health } = connectNodes([one.url], { recorded, times });
    one.lie = async () => Promise.reject(refusal());
    await atOneTime(async (pass) => {
      const rests: number[] = [];
      for (const refusals of [1, 2, 3]) {
        await expect(rpc.getBlockHeight().send()).rejects.toThrow();
        const [{ calls, restSeconds } = { calls: undefined, restSeconds: 0 }] = health();
        expect(calls).toEqual({ answered: 0, failed: 0, rate_limited: refusals });
        rests.push(restSeconds);
        pass(restSeconds * 1_000);
      }
      const [first = 0, second = 0, third = 0] = rests;
      expect([first > 0.06, second >= 0.125, third >= 0.25]).toEqual([true, true, true]);
    });
    expect(one.calls.get('getBlockHeight')).toBeUndefined();
  });

  test('a node that refuses calls by 429 for callers still gets other calls, but none of that kind', async () => {
    const { rpc, callers, health } = connectNodes([one.url], {
      times: { callMs: 2_000, nextAfterMs: 1_000 },
    });
    await atOneTime(async (pass) => {
      one.lie = refuse({ 'retry-after': '10' });
      await expect(callers.look.rpc.getSlot().send()).rejects.toThrow();
      one.lie = undefined;
      await expect(callers.look.rpc.getSlot().send()).rejects.toThrow('refused calls as too many');
      await Promise.all([callers.trade.rpc.getSlot().send(), rpc.getSlot().send()]);
      expect(health()[0]).toMatchObject({ usable: true, restSeconds: 0, calls: { rate_limited: 1 } });
      pass(11_000);
      await callers.look.rpc.getSlot().send();
    });
  });

  test('a node that refuses calls by 429 for Karat’s reads gets no calls for callers either', async () => {
    const { rpc, callers } = connectNodes([one.url], { times: { callMs: 2_000, nextAfterMs: 1_000 } });
    await atOneTime(async (pass) => {
      one.lie = refuse({ 'retry-after': '10' });
      await expect(rpc.getSlot().send()).rejects.toThrow();
      one.lie = undefined;
      for (const { rpc: forCallers } of [callers.look, callers.trade]) {
        await expect(forCallers.getSlot().send()).rejects.toThrow('refused calls as too many');
      }
      pass(11_000);
      await callers.trade.rpc.getSlot().send();
    });
  });

  test.each([
    ['3', 3_000],
    ['soon', undefined],
    [null, undefined],
  ])('a node that refuses calls by 429 names the time by %j', (header, ms) => {
    expect(retryAfterMs(header)).toEqual(ms);
  });

  test('a node that refuses calls by 429 names the time by a date', () => {
    const ms = retryAfterMs(new Date(Date.now() + 60_000).toUTCString()) ?? 0;
    expect(Math.abs(ms - 59_500)).toBeLessThan(1_000);
  });
});

describe('a transaction', () => {
  const nothing = txSignatureOf(new Uint8Array(64));
  const { signal } = new AbortController();
  const signed = { transaction: new Uint8Array(64), txHash: nothing, lastValidBlockHeight: 0n };
  const send = (times = patient) =>
    new NodeSender(pool(times).transport, addressNamed('program')).send(signed, signal);
  const refuses: Lie = async ({ method }, ask) => {
    if (method === 'sendTransaction') throw new Refused(-32003, 'Transaction signature verification failure');
    return ask();
  };

  test('a transaction that a node refuses is refused', async () => {
    one.lie = refuses;
    expect(await send()).toEqual({
      kind: 'refused',
      understood: true,
      cause: {
        reason: 'signature_invalid',
        programErrorName: null,
        message: expect.stringMatching(/^Transaction signature verification failure\. /),
      },
    });
    expect(two.calls.size).toBe(0);
  });

  test('a transaction that a silent node may have taken is not refused by another', async () => {
    one.lie = async () => hang;
    two.lie = refuses;
    expect(await send(hasty)).toMatchObject({ kind: 'unreachable' });
    expect(two.calls.get('sendTransaction')).toBe(1);
  });

  test('a transaction that a silent node did not take is taken by another', async () => {
    one.lie = async () => hang;
    two.lie = async () => 'signature';
    expect(await send(hasty)).toMatchObject({ kind: 'accepted' });
  });
});

describe('the network of the configuration', () => {
  const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  const onMainnet: Lie = async ({ method }, ask) => (method === 'getGenesisHash' ? mainnet : ask());
  const other = 'KARAT_NETWORK is mainnet-beta, but the Solana node is on another chain';

  test('decides which node is called, even one that responds only after the start', async () => {
    const { rpc, witnesses, requireNetwork, fault } = connectNodes([one.url, two.url], {
      network: 'mainnet-beta',
      times: patient,
    });
    two.lie = onMainnet;
    await expect(requireNetwork()).rejects.toThrow(other);
    await rpc.getSlot().send();
    expect(fault()).toBeUndefined();
    await expect(witnesses[0]?.getBlockHeight().send()).rejects.toThrow(other);
    expect(one.calls.get('getBlockHeight')).toBeUndefined();
  });

  test('the network of the configuration is not checked at a node that does not respond', async () => {
    const gone = connectNodes(['http://127.0.0.1:1'], { network: 'mainnet-beta' });
    await expect(gone.requireNetwork()).resolves.toBeUndefined();
  });

  test('the network of the configuration may be a private one', async () => {
    const own = () => connectNodes([one.url], { network: 'localnet' });
    await own().requireNetwork();
    await own().rpc.getSlot().send();
    one.lie = onMainnet;
    const other = 'KARAT_NETWORK is localnet, but the Solana node is on another chain (mainnet-beta)';
    await expect(own().requireNetwork()).rejects.toThrow(other);
    await expect(own().rpc.getSlot().send()).rejects.toThrow(other);
  });
});

import { Localnet } from '@karat/localnet';
import { type Address, createSolanaRpc, type Signature } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  agreedAccount,
  agreedAccounts,
  agreedFinalizedChain,
  agreedStatuses,
  type Nodes,
  readOfEach,
} from '../../../src/chain/node/agreed.js';
import { hang, type Lie, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';

let node: Localnet;
/** Three nodes in front of the same chain; those that do not lie say the same. */
let liars: LyingNode[];
let noted: Parameters<Nodes['noteDisagreement']>[0][];

const [held, other, absent] = ['held', 'other', 'absent'].map(addressNamed) as [Address, Address, Address];
const owner = addressNamed('owner');

beforeAll(async () => {
  node = await Localnet.start({ rpcPort: 0 });
  liars = await Promise.all([1, 2, 3].map(() => startLyingNode(node.rpcUrl)));
  for (const [address, byte] of [
    [held, 1],
    [other, 2],
  ] as const)
    node.setAccount(address, {
      ...{ lamports: 10_000_000n, owner, executable: false },
      data: new Uint8Array(8).fill(byte),
    });
});
beforeEach(() => {
  noted = [];
});
afterEach(() => {
  for (const liar of liars) {
    liar.lie = undefined;
    liar.calls.clear();
  }
});
afterAll(async () => {
  await Promise.all(liars.map((liar) => liar.close()));
  await node.stop();
});

const nodes = (count: number): Nodes => ({
  witnesses: liars.slice(0, count).map(({ url }) => createSolanaRpc(url)),
  noteDisagreement: (disagreement) => noted.push(disagreement),
});
const lieOf = (number: number, lie: Lie | undefined) => {
  const liar = liars[number - 1];
  if (!liar) throw new Error(`no node ${number}`);
  liar.lie = lie;
};
const within = (ms = 5_000) => AbortSignal.timeout(ms);
const gone: Lie = async () => {
  throw new Error('gone');
};
const silent: Lie = async () => hang;
/** Gives accounts of `getMultipleAccounts` another content. */
const accounts =
  (change: (account: { owner: string; data: [string, string] } | null) => unknown): Lie =>
  async ({ method }, request) => {
    const response = await request();
    return method === 'getMultipleAccounts' ? { ...response, value: response.value.map(change) } : response;
  };
const bytes = Buffer.alloc(8, 1);
const contradiction = {
  code: 'service_unavailable',
  reason: 'node_unavailable',
  message: expect.stringContaining('nodes contradict each other'),
};
const tooFew = (responding: number, of: number, wanted: number) => ({
  code: 'service_unavailable',
  message: `Only ${responding} of ${of} Solana nodes respond, and ${wanted} have to; try again shortly.`,
});

describe('agreed accounts', () => {
  test.each([1, 2, 3])('%i nodes that agree are believed', async (count) => {
    const found = await agreedAccounts(nodes(count), [held, absent, other], within());
    expect(found).toEqual([{ owner, data: bytes }, undefined, { owner, data: Buffer.alloc(8, 2) }]);
    for (const liar of liars.slice(0, count)) expect(liar.calls.get('getMultipleAccounts')).toBe(1);
    expect(noted).toEqual([]);
  });

  test('accounts are requested at finalized', async () => {
    let params: unknown[] = [];
    lieOf(1, (call, request) => {
      params = call.params;
      return request();
    });
    await agreedAccount(nodes(1), held, within());
    // Which is what a node returns when no commitment is named.
    expect(params).toEqual([[held], { encoding: 'base64' }]);
  });

  test.each<[string, Lie]>([
    ['other bytes', accounts((account) => account && { ...account, data: ['AAAA', 'base64'] })],
    ['another owner', accounts((account) => account && { ...account, owner: addressNamed('thief') })],
    ['no account', accounts(() => null)],
    ['no accounts at all', async (_, request) => ({ ...(await request()), value: [] })],
  ])('one of two nodes with %s stops everything, and is noted by its number', async (_, lie) => {
    for (const number of [1, 2]) {
      noted = [];
      lieOf(number, lie);
      await expect(agreedAccount(nodes(2), held, within())).rejects.toMatchObject(contradiction);
      expect(noted).toEqual([{ about: held, nodes: [2] }]);
      lieOf(number, undefined);
    }
  });

  test('one of two nodes that invents an account stops everything', async () => {
    lieOf(
      2,
      accounts(() => ({
        ...{ owner, data: [bytes.toString('base64'), 'base64'], executable: false, lamports: 1 },
        ...{ rentEpoch: 0, space: 8 },
      })),
    );
    await expect(agreedAccount(nodes(2), absent, within())).rejects.toMatchObject(contradiction);
    expect(noted).toEqual([{ about: absent, nodes: [2] }]);
  });

  test('two of three nodes cannot outvote the third', async () => {
    lieOf(
      2,
      accounts(() => null),
    );
    lieOf(
      3,
      accounts(() => null),
    );
    await expect(agreedAccount(nodes(3), held, within())).rejects.toMatchObject(contradiction);
    expect(noted).toEqual([{ about: held, nodes: [2, 3] }]);
  });

  test('nodes that are a moment apart are read again', async () => {
    let calls = 0;
    lieOf(2, async (call, request) => {
      calls += 1;
      return calls < 3 ? accounts(() => null)(call, request) : request();
    });
    expect(await agreedAccount(nodes(2), held, within())).toEqual({ owner, data: bytes });
    expect([calls, noted]).toEqual([3, []]);
  });

  test.each<[string, Lie]>([
    ['is gone', gone],
    ['hangs', silent],
  ])('one of two nodes that %s leaves too few', async (_, lie) => {
    for (const number of [1, 2]) {
      lieOf(number, lie);
      const chain = nodes(2);
      const limit = new AbortController();
      // As a node that is called over a pool gives up by itself.
      const read = readOfEach(
        chain,
        (rpc) => rpc.getSlot().send({ abortSignal: AbortSignal.timeout(300) }),
        limit.signal,
      );
      await expect(read).rejects.toMatchObject(tooFew(1, 2, 2));
      lieOf(number, undefined);
    }
  });

  test.each<[string, Lie]>([
    ['fails', gone],
    ['hangs', silent],
  ])('two of three nodes are enough when the third %s', async (_, lie) => {
    for (const number of [1, 2, 3]) {
      lieOf(number, lie);
      expect(await agreedAccount(nodes(3), held, within(300))).toEqual({ owner, data: bytes });
      lieOf(number, undefined);
    }
  });

  test('the only configured node is enough, and without it nothing is read', async () => {
    expect(await agreedAccount(nodes(1), held, within())).toEqual({ owner, data: bytes });
    lieOf(1, gone);
    await expect(agreedAccount(nodes(1), held, within())).rejects.toMatchObject(tooFew(0, 1, 1));
    await expect(agreedAccount(nodes(0), held, within())).rejects.toMatchObject(tooFew(0, 0, 1));
  });

  test('a contradiction is noted also when the time ends while it is looked at again', async () => {
    lieOf(
      2,
      accounts(() => null),
    );
    await expect(agreedAccount(nodes(2), held, within(300))).rejects.toMatchObject(contradiction);
    expect(noted).toEqual([{ about: held, nodes: [2] }]);
  });

  test('more accounts than a call takes are read in several', async () => {
    const many = [...Array.from({ length: 249 }, (_, index) => addressNamed(`none-${index}`)), held];
    const found = await agreedAccounts(nodes(2), many, within());
    expect(found).toHaveLength(250);
    expect(found.at(-1)).toEqual({ owner, data: bytes });
    expect(liars[0]?.calls.get('getMultipleAccounts')).toBe(3);
  });
});

describe('agreed statuses', () => {
  interface Status {
    slot: number;
    confirmations: number | null;
    err: unknown;
    confirmationStatus: string;
  }
  const success: Status = { slot: 7, confirmations: null, err: null, confirmationStatus: 'finalized' };
  const failure: Status = { ...success, err: 'AccountInUse' };
  /** A node that says this of every transaction, at a slot. */
  const saying =
    (status: Status | null, slot = 1_000): Lie =>
    async ({ method, params }, request) => {
      if (method !== 'getSignatureStatuses') return request();
      return { context: { slot }, value: params[0].map(() => status) };
    };
  const signature: Signature = signatureNamed('agreed');
  const verdict = async (count: number, seenSlot = 0n) =>
    (await agreedStatuses(nodes(count), [signature], seenSlot, within()))[0];

  test('a transaction is only as final as the node that has it least final reports', async () => {
    for (const number of [1, 2, 3]) lieOf(number, saying(success));
    expect(await verdict(3)).toEqual({ kind: 'landed', slot: 7n, err: null, finalized: true });
    lieOf(2, saying({ ...success, confirmationStatus: 'confirmed' }));
    expect(await verdict(3)).toEqual({ kind: 'landed', slot: 7n, err: null, finalized: false });
  });

  test('a failure is what all nodes report', async () => {
    for (const number of [1, 2, 3]) lieOf(number, saying(failure));
    expect(await verdict(3)).toMatchObject({ kind: 'landed', err: failure.err, finalized: true });
    lieOf(3, saying(success));
    expect(await verdict(3)).toEqual({ kind: 'disputed' });
    expect(await verdict(2)).toMatchObject({ kind: 'landed', err: failure.err });
  });

  test('a transaction that one node knows is not unknown', async () => {
    lieOf(1, saying(null));
    for (const status of [success, failure]) {
      lieOf(2, saying(status));
      expect(await verdict(2)).toEqual({ kind: 'disputed' });
    }
    lieOf(2, saying(null));
    expect(await verdict(2)).toEqual({ kind: 'unknown' });
  });

  test('a block that is not confirmed proves nothing', async () => {
    const processed = { ...success, confirmations: 0, confirmationStatus: 'processed' };
    lieOf(1, saying(success));
    for (const status of [processed, { ...processed, err: failure.err }]) {
      lieOf(2, saying(status));
      expect(await verdict(2)).toEqual({ kind: 'disputed' });
    }
  });

  test('a node that lags proves nothing by not knowing', async () => {
    lieOf(1, saying(null, 500));
    lieOf(2, saying(null, 499));
    expect(await verdict(2, 499n)).toEqual({ kind: 'unknown' });
    expect(await verdict(2, 500n)).toEqual({ kind: 'disputed' });
    expect(await verdict(1, 500n)).toEqual({ kind: 'unknown' });
    // What it knows it knows, however far behind it is.
    for (const number of [1, 2]) lieOf(number, saying(success, 1));
    expect(await verdict(2, 500n)).toMatchObject({ kind: 'landed' });
  });

  test('one node of two that responds is too few, and of three one may fail', async () => {
    for (const number of [1, 2, 3]) lieOf(number, saying(null));
    lieOf(2, gone);
    await expect(verdict(2)).rejects.toMatchObject(tooFew(1, 2, 2));
    expect(await verdict(3)).toEqual({ kind: 'unknown' });
  });

  test('the history is searched for what recent blocks do not have, and for nothing else', async () => {
    const [recent, old] = [signatureNamed('recent'), signatureNamed('old')];
    const searched: [string[], boolean][] = [];
    lieOf(1, async ({ params: [signatures, { searchTransactionHistory }] }) => {
      searched.push([signatures, searchTransactionHistory]);
      const value = signatures.map((one: string) =>
        one === recent || searchTransactionHistory ? success : null,
      );
      return { context: { slot: 1_000 }, value };
    });
    const verdicts = await agreedStatuses(nodes(1), [recent, old], 0n, within());
    expect(verdicts.map(({ kind }) => kind)).toEqual(['landed', 'landed']);
    expect(searched).toEqual([
      [[recent, old], false],
      [[old], true],
    ]);
  });

  test('600 transactions are requested in batches of 256, and each verdict is its own', async () => {
    const many = Array.from({ length: 600 }, (_, index) => signatureNamed(`many-${index}`));
    const sizes: number[] = [];
    lieOf(1, async ({ params: [signatures] }) => {
      sizes.push(signatures.length);
      const value = signatures.map((one: Signature) => (many.indexOf(one) % 2 === 0 ? success : null));
      return { context: { slot: 1_000 }, value };
    });
    lieOf(2, liars[0]?.lie);
    const verdicts = await agreedStatuses(nodes(1), many, 0n, within());
    // Several are under way at a time.
    expect(sizes.toSorted((a, b) => b - a)).toEqual([256, 256, 128, 128, 88, 44]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(
      many.map((_, index) => (index % 2 === 0 ? 'landed' : 'unknown')),
    );
    expect(await agreedStatuses(nodes(2), many, 0n, within())).toEqual(verdicts);
  });
});

describe('the agreed finalized chain', () => {
  /** A node that says how far it is; `slot`: what it returns to `getSlot`. */
  const at =
    (absoluteSlot: number, blockHeight: number, slot = absoluteSlot): Lie =>
    async ({ method }, request) => {
      if (method === 'getSlot') return slot;
      return method === 'getEpochInfo' ? { ...(await request()), absoluteSlot, blockHeight } : request();
    };

  test('the node that is furthest behind sets how far the chain is', async () => {
    lieOf(1, at(900, 800));
    lieOf(2, at(890, 795));
    lieOf(3, at(910, 810));
    expect(await agreedFinalizedChain(nodes(3), within())).toEqual({ slot: 890n, blockHeight: 795n });
  });

  test('one node alone cannot overstate the height', async () => {
    lieOf(1, at(1_000_000, 1_000_000));
    lieOf(2, at(890, 795));
    expect(await agreedFinalizedChain(nodes(2), within())).toEqual({ slot: 890n, blockHeight: 795n });
  });

  test('a height of a slot that is not final is reduced to one that surely is', async () => {
    lieOf(1, at(931, 826, 900));
    expect(await agreedFinalizedChain(nodes(1), within())).toEqual({ slot: 900n, blockHeight: 795n });
  });

  test('one node of two is too few', async () => {
    lieOf(2, gone);
    await expect(agreedFinalizedChain(nodes(2), within())).rejects.toMatchObject(tooFew(1, 2, 2));
  });
});

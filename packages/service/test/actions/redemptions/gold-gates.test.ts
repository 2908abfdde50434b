import { findConfigPda, findRedemptionPda } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mintGold } from '../../../src/actions/treasury/mint-gold.js';
import { createContext, type OwnedContext } from '../../../src/create-context.js';
import { findAuditRowsAfter } from '../../../src/db/operators/audit-log.js';
import { type RedemptionId, redemptionBytes } from '../../../src/domain/ids.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import { createLogger } from '../../../src/log.js';
import { type ApiResponse, expectStatus } from '../../harness.js';
import { type Lie, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { eventually } from '../../karat-chain.js';
import { closeByDecree } from '../../opened-redemptions.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { pickupCodeOf } from '../../redeeming.js';

// What moves gold or money reads its account from all nodes: a service with two nodes, of which either may lie.

let o: Operating;
let one: LyingNode;
let two: LyingNode;
let ctx: OwnedContext;
let operators: Operators;
let logged: { level: number; about?: string; nodes?: number[]; msg: string }[];

beforeAll(async () => {
  o = await startOperating();
  [one, two] = (await Promise.all([1, 2].map(() => startLyingNode(o.chain.node.rpcUrl)))) as [
    LyingNode,
    LyingNode,
  ];
  const log = createLogger('error', { write: (line: string) => void logged.push(JSON.parse(line)) });
  const { clock, config } = o.h.ctx;
  ctx = await createContext({ ...config, rpcUrls: [one.url, two.url] }, { clock, log });
  await ctx.chain.start();
  await eventually(() => [ctx.chain.blockhash.current(), ctx.chain.program.config()], 20_000);
  operators = await startOperators({ ctx, secrets: o.h.secrets });
});
beforeEach(() => {
  logged = [];
});
afterEach(() => {
  one.lie = undefined;
  two.lie = undefined;
});
afterAll(async () => {
  await operators.close();
  await ctx.close();
  await Promise.all([one.close(), two.close()]);
  await o.stop();
});

const press = (id: string, move: string, body?: unknown) =>
  send(operators.by.fulfilment.client, 'POST', `/redemptions/${id}/${move}`, body);

/** What moves gold: the state that it needs, and how it is requested. */
const gates: Record<string, [RedemptionStatus, (id: RedemptionId) => Promise<ApiResponse>]> = {
  prepare: ['submitted', (id) => press(id, 'prepare')],
  ready: ['preparing', (id) => press(id, 'ready')],
  'collect with a code': [
    'ready',
    async (id) => press(id, 'collect', { pickup_code: await pickupCodeOf(o.h, id) }),
  ],
  'collect without a code': [
    'ready',
    (id) => press(id, 'collect', { without_code: { reason: 'Lost the phone' } }),
  ],
  refund: ['cancelled', (id) => press(id, 'refund')],
  burn: ['collected', (id) => press(id, 'burn')],
};

const accountOf = async (id: RedemptionId): Promise<Address> =>
  (await findRedemptionPda({ id: redemptionBytes(id) }, { programAddress: ctx.chain.programAddress }))[0];

/** The response to a call for one account at `finalized`, which is what no commitment stands for, as `change` has it. */
const lieAbout =
  (account: string, change: (value: unknown) => unknown): Lie =>
  async ({ method, params }, request) => {
    const response = await request();
    const isAbout = method === 'getMultipleAccounts' && params[0].includes(account);
    if (!isAbout || params[1].commitment !== undefined) return response;
    const at = params[0].indexOf(account);
    return { ...response, value: response.value.with(at, change(response.value[at])) };
  };

/** The account as the node gives it. */
async function responseFor(account: Address): Promise<unknown> {
  const state = o.chain.node.getAccount(account);
  if (!state) return null;
  return {
    ...{ owner: state.owner, lamports: 10_000_000, executable: false, rentEpoch: 0 },
    ...{ data: [Buffer.from(state.data).toString('base64'), 'base64'], space: state.data.length },
  };
}

const state = async (id: RedemptionId) => ({
  redemption: expectStatus(await operators.by.viewer.client.get(`${operatorBase}/redemptions/${id}`), 200)
    .body,
  gold: await o.gold(),
  rows: await o.rowsOf(id),
  changes: await changesOf(o.h, 'redemption', id),
});
const counted = async () => (await ctx.metrics.nodeDisagreements.get()).values[0]?.value ?? 0;

/** Expects a request to be refused because the nodes contradict each other about an account, and to leave no trace. */
async function refusedByContradiction(id: RedemptionId, request: () => Promise<ApiResponse>): Promise<void> {
  const [before, countedBefore] = [await state(id), await counted()];
  logged = [];
  expect(await request()).toMatchObject({
    status: 503,
    body: {
      error: 'service_unavailable',
      message:
        'The Solana nodes contradict each other about this; nothing is done until they agree. Try again shortly.',
    },
  });
  expect(await state(id)).toEqual(before);
  expect(logged.filter(({ nodes }) => nodes)).toMatchObject([
    { about: await accountOf(id), nodes: [2], msg: 'the Solana nodes contradict each other' },
  ]);
  expect(await counted()).toBe(countedBefore + 1);
}

test.each(Object.entries(gates))(
  '%s: a node that hides the account has nothing done',
  async (_, [status, request]) => {
    const { id } = await o.given.redemption(status);
    one.lie = lieAbout(await accountOf(id), () => null);
    await refusedByContradiction(id, () => request(id));
    one.lie = undefined;
    expectStatus(await request(id), 200);
  },
);

test.each(Object.entries(gates))(
  '%s: a node that returns another account has nothing done',
  async (_, [status, request]) => {
    const { id } = await o.given.redemption(status);
    const foreign = await responseFor(await accountOf((await o.given.redemption(status)).id));
    two.lie = lieAbout(await accountOf(id), () => foreign);
    await refusedByContradiction(id, () => request(id));
  },
);

test.each(Object.entries(gates))(
  '%s: a node that invents the account has nothing done',
  async (_, [status, request]) => {
    const { id } = await o.given.redemption(status);
    const account = await accountOf(id);
    const invented = await responseFor(account);
    await closeByDecree(ctx.config.programId, id);
    two.lie = lieAbout(account, () => invented);
    await refusedByContradiction(id, () => request(id));
    two.lie = undefined;
    const before = await state(id);
    expect(await request(id)).toMatchObject({
      status: 409,
      body: {
        error: 'transition_not_allowed',
        message: 'The tokens of this redemption are no longer in escrow: they were refunded or burned.',
      },
    });
    expect(await state(id)).toEqual(before);
  },
);

test.each(Object.entries(gates))('%s: one of two nodes alone is not enough', async (_, [status, request]) => {
  const { id } = await o.given.redemption(status);
  const before = await state(id);
  const account = await accountOf(id);
  two.lie = lieAbout(account, () => {
    throw new Error('gone');
  });
  expect(await request(id)).toMatchObject({
    status: 503,
    body: {
      error: 'service_unavailable',
      message: 'Only 1 of 2 Solana nodes respond, and 2 have to; try again shortly.',
    },
  });
  expect(await state(id)).toEqual(before);
});

test('refund: tokens that left escrow a moment ago are reported as gone', async () => {
  const { id } = await o.given.redemption('cancelled');
  const account = await accountOf(id);
  const finalized = await responseFor(account);
  // At finalized it is still there.
  for (const node of [one, two]) node.lie = lieAbout(account, () => finalized);
  await closeByDecree(ctx.config.programId, id);
  expect(await press(id, 'refund')).toMatchObject({
    status: 409,
    body: { error: 'transition_not_allowed', message: expect.stringContaining('are no longer in escrow') },
  });
  expect(await o.rowsOf(id)).toEqual([]);
});

describe('mint', () => {
  const noOperator = { personId: null, requestId: null };
  const mint = (amount: bigint) => mintGold(ctx, noOperator, { amount });
  const accounts = async () => {
    const { goldMint } = ctx.chain.program.config();
    const [config] = await findConfigPda({ programAddress: ctx.chain.programAddress });
    return { mint: goldMint, config };
  };
  /** The account with other eight bytes at an offset. */
  const withAmount = (value: unknown, offset: number, amount: bigint) => {
    const account = value as { data: [string, string] };
    const data = Buffer.from(account.data[0], 'base64');
    data.writeBigUInt64LE(amount, offset);
    return { ...account, data: [data.toString('base64'), 'base64'] };
  };
  const lies: [string, 'mint' | 'config', (value: unknown) => unknown][] = [
    // Supply of an SPL mint: the u64 at 36.
    ['understates the supply', 'mint', (value) => withAmount(value, 36, 0n)],
    ['hides the mint', 'mint', () => null],
    // Amount of the attestation, and what was burned.
    ['attests more', 'config', (value) => withAmount(value, 944, 2n ** 60n)],
    ['misstates what was burned', 'config', (value) => withAmount(value, 1_000, 5n)],
  ];

  test.each(lies)('mint: a node that %s has nothing minted', async (_, name, change) => {
    const account = (await accounts())[name];
    const before = await o.gold();
    const audited = (await findAuditRowsAfter(ctx.db, 0, 10_000)).length;
    one.lie = lieAbout(account, change);
    await expect(mint(1n)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('contradict each other'),
    });
    one.lie = undefined;
    expect(logged).toMatchObject([{ about: expect.stringContaining(account), nodes: [2] }]);
    expect(await o.gold()).toEqual(before);
    expect(await findAuditRowsAfter(ctx.db, 0, 10_000)).toHaveLength(audited);
  });

  test('mint: gold that both nodes have attested is minted', async () => {
    const before = await o.gold();
    expect(await mint(1n)).toMatchObject({ act: { kind: 'done' } });
    expect((await o.gold()).supply).toBe(before.supply + 1n);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { OperatorStep } from '../../../src/actions/redemptions/advance-redemption.js';
import { findHistory, findRedemption } from '../../../src/db/redemptions/redemptions.js';
import { newId, newUuid, type RedemptionId } from '../../../src/domain/ids.js';
import {
  findNextStatus,
  type OperatorMove,
  type RedemptionStatus,
  redemptionStatuses,
} from '../../../src/domain/redemption.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { type Harness, harness } from '../../harness.js';
import { hang, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { closeByDecree, openByDecree } from '../../opened-redemptions.js';
import { advance, givenRedemption, pickupCodeOf, seedDenominations } from '../../redeeming.js';

let h: Harness;
let owner: Parameters<typeof givenRedemption>[1];

let node: EscrowNode;
let one: LyingNode;
let two: LyingNode;

beforeAll(async () => {
  node = await startEscrowNode();
  const [url = ''] = node.config.rpcUrls;
  [one, two] = await Promise.all([startLyingNode(url), startLyingNode(url)]);
  h = await harness({ config: { ...node.config, rpcUrls: [one.url, two.url] } });
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterEach(() => {
  one.lie = undefined;
  two.lie = undefined;
});
afterAll(async () => {
  await h.close();
  await Promise.all([one.close(), two.close()]);
  await node.stop();
});

const stepOf = (move: OperatorMove, redemptionId: string, note?: string, code = '00000000'): OperatorStep => {
  const common = { redemptionId, note };
  if (move === 'collect') return { ...common, move, code };
  return move === 'cancel' ? { ...common, move, physicalGoldCommitted: false } : { ...common, move };
};
const moves: OperatorMove[] = ['prepare', 'ready', 'collect', 'cancel'];

describe('an operator', () => {
  test('an operator hands a redemption over in three moves, each with who, when and why', async () => {
    const id = await givenRedemption(h, owner, { bar: true });
    for (const move of ['prepare', 'ready', 'collect'] as const) {
      h.clock.advance(1_000);
      const code = move === 'collect' ? await pickupCodeOf(h, id) : undefined;
      const moved = await advance(h.ctx, stepOf(move, id, `${move}!`, code));
      expect(moved.status).toBe({ prepare: 'preparing', ready: 'ready', collect: 'collected' }[move]);
    }
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({
      status: 'collected',
      updatedAt: new Date(h.clock.now()),
    });
    const history = (await findHistory(h.ctx.db, id)).slice(2);
    expect(history.map(({ from, to, actor, note }) => [from, to, actor, note])).toEqual([
      ['submitted', 'preparing', 'operator:command-line', 'prepare!'],
      ['preparing', 'ready', 'operator:command-line', 'ready!'],
      ['ready', 'collected', 'operator:command-line', 'collect!'],
    ]);
    expect(history.map(({ at }) => h.clock.now() - at.getTime())).toEqual([2_000, 1_000, 0]);
  });

  test('an operator cancels at the partner’s request, and the reason is kept', async () => {
    const id = await givenRedemption(h, owner, { status: 'cancellation_requested' });
    expect(await advance(h.ctx, stepOf('cancel', id))).toMatchObject({
      status: 'cancelled',
    });
  });

  test('an operator does not cancel where physical gold is committed', async () => {
    const id = await givenRedemption(h, owner, { status: 'cancellation_requested' });
    const step = {
      redemptionId: id,
      move: 'cancel',
      physicalGoldCommitted: true,
    } as const;
    await expect(advance(h.ctx, step)).rejects.toMatchObject({
      code: 'transition_not_allowed',
      message: expect.stringContaining('physical gold is committed'),
    });
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'cancellation_requested' });
  });

  test('an operator makes no move that the table does not have, in any state', async () => {
    for (const status of redemptionStatuses) {
      for (const move of moves) {
        if (findNextStatus(status, move)) continue;
        const id = await givenRedemption(h, owner, { status });
        const internal = status === 'quoted' || status === 'lapsed';
        await expect(advance(h.ctx, stepOf(move, id))).rejects.toMatchObject(
          internal
            ? { code: 'redemption_not_found' }
            : { code: 'transition_not_allowed', message: expect.stringContaining(` ${status} `) },
        );
        expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status });
      }
    }
  });

  test('prepare: the finality of the payment is read from the chain, whatever the record has', async () => {
    const id = await givenRedemption(h, owner, { finalized: false });
    const row = await findRedemption(h.ctx.db, id);
    if (!row) throw new Error('no row');
    await closeByDecree(h.ctx.config.programId, id);
    await expect(advance(h.ctx, stepOf('prepare', id))).rejects.toMatchObject({
      code: 'transition_not_allowed',
      message:
        'This redemption is submitted, but the chain could still undo its payment. It is final within half a minute; try again then.',
    });
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'submitted' });
    await openByDecree(h.ctx.config.programId, row);
    expect(await advance(h.ctx, stepOf('prepare', id))).toMatchObject({
      status: 'preparing',
      finalized: false,
    });
  });

  describe.each([
    ['prepare', 'submitted', 'preparing'],
    ['ready', 'preparing', 'ready'],
    ['collect', 'ready', 'collected'],
  ] as const)('%s', (move, status, next) => {
    const advanceIt = async (id: RedemptionId, ctx = h.ctx) => {
      const code = move === 'collect' ? await pickupCodeOf(h, id) : undefined;
      return advance(ctx, stepOf(move, id, undefined, code));
    };
    const refused = (message: string) => ({
      code: 'transition_not_allowed',
      message: expect.stringContaining(message),
    });

    test.each<[string, object]>([
      ['amount', { tokensRequired: 380_624n }],
      ['user', { userWallet: 'KaratUser1111111111111111111111111111111111' }],
      ['partner', { partnerId: newUuid() }],
    ])(`${move}: an account of another %s is refused`, async (_, open) => {
      const id = await givenRedemption(h, owner, { status });
      const row = await findRedemption(h.ctx.db, id);
      if (!row) throw new Error('no row');
      await openByDecree(h.ctx.config.programId, { ...row, ...open });
      await expect(advanceIt(id)).rejects.toMatchObject(refused('are not in escrow as recorded'));
      expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status });
      await openByDecree(h.ctx.config.programId, row);
      expect(await advanceIt(id)).toMatchObject({ status: next });
    });

    test(`${move}: tokens that have left escrow are refused`, async () => {
      const id = await givenRedemption(h, owner, { status });
      await closeByDecree(h.ctx.config.programId, id);
      await expect(advanceIt(id)).rejects.toMatchObject(refused('are no longer in escrow'));
      expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status });
    });

    test(`${move}: no node is called while a transaction of the database is open`, async () => {
      const id = await givenRedemption(h, owner, { status });
      let [open, during] = [0, 0];
      const transaction: typeof h.ctx.db.transaction = async (work, options) => {
        open += 1;
        return h.ctx.db.transaction(work, options).finally(() => {
          open -= 1;
        });
      };
      for (const node of [one, two])
        node.lie = async (_, request) => {
          during += open;
          return request();
        };
      const db = new Proxy(h.ctx.db, {
        get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
      });
      expect(await advanceIt(id, { ...h.ctx, db })).toMatchObject({ status: next });
      expect(during).toBe(0);
    });

    test(`${move}: a redemption that became movable only after its tokens were looked at is refused`, async () => {
      const before = { prepare: 'quoted', ready: 'submitted', collect: 'preparing' } as const;
      const id = await givenRedemption(h, owner, { status: before[move] });
      await closeByDecree(h.ctx.config.programId, id);
      // It gets there before the transaction of the move begins.
      const transaction: typeof h.ctx.db.transaction = async (work, options) => {
        await h.ctx.sql`update redemptions set status = ${status} where id = ${id}`;
        return h.ctx.db.transaction(work, options);
      };
      const db = new Proxy(h.ctx.db, {
        get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
      });
      const step = stepOf(move, id);
      await expect(advance({ ...h.ctx, db }, step)).rejects.toMatchObject({
        code: move === 'prepare' ? 'redemption_not_found' : 'transition_not_allowed',
      });
      expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: before[move] });
    });
  });

  test('prepare: two nodes of which one hangs are too few', async () => {
    const id = await givenRedemption(h, owner);
    for (const silent of [one, two]) {
      silent.lie = async () => hang;
      await expect(advance(h.ctx, stepOf('prepare', id))).rejects.toMatchObject({
        code: 'service_unavailable',
        message: 'Only 1 of 2 Solana nodes respond, and 2 have to; try again shortly.',
      });
      silent.lie = undefined;
    }
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'submitted' });
  });

  test('an operator finds no redemption where there is none', async () => {
    for (const id of [newId('red'), 'red_1']) {
      await expect(advance(h.ctx, stepOf('prepare', id))).rejects.toMatchObject({
        code: 'redemption_not_found',
      });
    }
  });

  test.each<[RedemptionStatus, OperatorMove]>([
    ['submitted', 'prepare'],
    ['cancellation_requested', 'cancel'],
  ])('advance redemption: exactly one of 20 concurrent moves in %s succeeds', async (status, move) => {
    const id = await givenRedemption(h, owner, { status });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => advance(h.ctx, stepOf(move, id))),
    );
    const lost = outcomes.filter((one) => one.status === 'rejected');
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: 'transition_not_allowed' });
  });
});

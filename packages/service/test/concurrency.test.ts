import { address } from '@solana/kit';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContext, type OwnedContext } from '../src/create-context.js';
import { findHistory, findRedemption } from '../src/db/redemptions/redemptions.js';
import { findNextStatus, type OperatorMove, type RedemptionEvent } from '../src/domain/redemption.js';
import { addressToBytes } from '../src/domain/solana.js';
import { buildApp } from '../src/http/app.js';
import { type EscrowNode, startEscrowNode } from './escrow-node.js';
import { type ApiResponse, type Client, clientOf, type Harness, harness, newWallet } from './harness.js';
import { advance, givenRedemption, pickupCodeOf, seedDenominations } from './redeeming.js';

let node: EscrowNode;
let h: Harness;
/** A second process on the same database: a pool and an application of its own. */
let other: { ctx: OwnedContext; app: FastifyInstance };
let clients: [Client, Client];
beforeAll(async () => {
  node = await startEscrowNode();
  // No request waits for a connection, or is refused because it takes long, however slow the machine is.
  h = await harness({ config: { ...node.config, databasePoolSize: 50 }, respondWithinMs: 60_000 });
  await seedDenominations(h);
  const { config, log } = h.ctx;
  const ctx = await createContext(config, { clock: h.clock, log, chain: h.ctx.chain });
  other = { ctx, app: await buildApp(ctx, { respondWithinMs: 60_000, connectWithinMs: 60_000 }) };
  const headers = { 'x-api-key': h.main.apiKey };
  clients = [clientOf(h.app, headers), clientOf(other.app, headers)];
});
afterAll(async () => {
  await other.app.close();
  await other.ctx.close();
  await h.close();
  await node.stop();
});

const many = <T>(count: number, ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
const clientNo = (index: number): Client => clients[index % 2] as Client;
const countUsers = async (condition: ReturnType<typeof sql>) =>
  (await h.ctx.db.execute<{ n: number }>(sql`select count(*)::int as n from users where ${condition}`))[0]?.n;

describe('100 parallel creations of one user, over two processes', () => {
  const newUser = (overrides: object = {}) => ({
    user_id: newWallet().address as string,
    wallet_address: newWallet().address as string,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
    },
    ...overrides,
  });

  function expectOneWinner(responses: ApiResponse[], field: RegExp): void {
    const created = responses.filter(({ status }) => status === 201);
    const refused = responses.filter(({ status }) => status === 409);
    expect([created.length, refused.length]).toEqual([1, 99]);
    for (const { body } of refused) {
      expect(body).toMatchObject({
        error: 'user_already_exists',
        field: expect.stringMatching(field),
        service_user_id: created[0]?.body.service_user_id,
      });
    }
  }

  test('100 parallel creations of the same user: one 201, 99 x 409 that name the one', async () => {
    const body = newUser();
    expectOneWinner(await many(100, (i) => clientNo(i).post('/v1/users', body)), /^user_id$/);
    expect(await countUsers(sql`partner_user_id = ${body.user_id}`)).toBe(1);
  });

  test('100 parallel creations of the same wallet under 100 ids', async () => {
    const { wallet_address } = newUser();
    const responses = await many(100, (i) => clientNo(i).post('/v1/users', newUser({ wallet_address })));
    expectOneWinner(responses, /^wallet_address$/);
    expect(await countUsers(sql`wallet_address = ${addressToBytes(address(wallet_address))}`)).toBe(1);
  });

  test('100 parallel creations of the same id with 100 wallets', async () => {
    const { user_id } = newUser();
    const responses = await many(100, (i) => clientNo(i).post('/v1/users', newUser({ user_id })));
    expectOneWinner(responses, /^user_id$/);
    expect(await countUsers(sql`partner_user_id = ${user_id}`)).toBe(1);
  });

  test('one wallet that 50 partners register at once goes to one, and the others do not learn whose it is', async () => {
    const { wallet_address } = newUser();
    const partners = await many(50, () => h.givenPartner());
    const responses = await Promise.all(
      partners.map(({ client }) => client.post('/v1/users', newUser({ wallet_address }))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of responses) {
      if (status === 201) continue;
      expect([status, Object.keys(body).sort()]).toEqual([409, ['doc_url', 'error', 'field', 'message']]);
    }
  });
});

describe('cancellations against moves of operators on one redemption', () => {
  const events: Record<string, RedemptionEvent> = {
    submitted: 'land',
    preparing: 'prepare',
    ready: 'ready',
    collected: 'collect',
    cancellation_requested: 'request_cancellation',
    cancelled: 'cancel',
  };

  /**
   * 20 requests to cancel, spread over both processes, and 20 moves, all at once. They wait for each other at one row: more of
   * them would meet the 4 s that a request may wait for a connection, on a busy machine.
   */
  async function fight(moves: OperatorMove[]) {
    const user = await h.givenUser(h.main.partnerId);
    const id = await givenRedemption(h, { partner: h.main, user }, { bar: true });
    const operate = (index: number) => {
      const move = moves[index % moves.length] as OperatorMove;
      const { ctx } = index % 2 ? other : h;
      const step = { redemptionId: id };
      const moving =
        move === 'cancel'
          ? advance(ctx, { ...step, move, physicalGoldCommitted: false })
          : move === 'collect'
            ? pickupCodeOf(h, id).then((code) => advance(ctx, { ...step, move, code }))
            : advance(ctx, { ...step, move });
      return moving.then(
        () => move,
        // There is no code before it is ready.
        (error: { code?: string }) =>
          error.code ?? (move === 'collect' ? 'transition_not_allowed' : 'unforeseen'),
      );
    };
    const [cancels, operated] = await Promise.all([
      many(20, (i) => clientNo(i).post(`/v1/redemptions/${id}/cancel`, { reason: `no. ${i}` })),
      many(20, operate),
    ]);
    return { id, cancels, operated, history: await findHistory(h.ctx.db, id) };
  }

  test.each([
    ['prepare alone', ['prepare']],
    ['all moves', ['prepare', 'ready', 'collect', 'cancel']],
    ['the operator’s cancel', ['cancel']],
  ] as [string, OperatorMove[]][])(
    '%s: the row ends in a legal state that history leads to',
    async (_, moves) => {
      const winners = new Set<string>();
      for (let round = 0; round < 15; round += 1) {
        const { id, cancels, operated, history } = await fight(moves);
        const row = await findRedemption(h.ctx.db, id);
        let status = 'quoted';
        for (const { from, to } of history.slice(1)) {
          expect(from).toBe(status);
          expect(findNextStatus(from as 'quoted', events[to] as RedemptionEvent)).toBe(to);
          status = to;
        }
        expect(row?.status).toBe(status);
        const moved = history.slice(2).map(({ to }) => to);
        winners.add(moved[0] ?? 'nobody');
        const requested = cancels.filter((response) => response.status === 200);
        expect(requested).toHaveLength(moved.includes('cancellation_requested') ? 1 : 0);
        expect(row?.cancellationReason ?? null).toBe(
          requested.length === 1 ? `no. ${cancels.indexOf(requested[0] as ApiResponse)}` : null,
        );
        for (const response of cancels) {
          if (response.status !== 200) {
            expect([response.status, response.body.error]).toEqual([400, 'cancellation_not_allowed']);
          }
        }
        const done = operated.filter((outcome) => outcome !== 'transition_not_allowed');
        expect(done.map((move) => move as string).sort()).toEqual(
          moved.flatMap((to) => (to === 'cancellation_requested' ? [] : [events[to] as string])).sort(),
        );
      }
      expect(winners).not.toContain('nobody');
    },
  );
});

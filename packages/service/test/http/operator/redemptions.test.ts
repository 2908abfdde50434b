import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvals, operatorTransactions } from '../../../src/db/schema.js';
import { newId, newUuid, type RedemptionId, uuidOfSignature } from '../../../src/domain/ids.js';
import { goldUnits } from '../../../src/domain/money.js';
import { operatorRoles } from '../../../src/domain/operator.js';
import { type RedemptionStatus, redemptionStatuses } from '../../../src/domain/redemption.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { expectStatus, type GivenPartner, type Harness, harness } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { closeByDecree } from '../../opened-redemptions.js';
import { type GivenOperator, type Operators, operatorBase, startOperators } from '../../operators.js';
import { givenRedemption, pickupCodeOf, seedDenominations } from '../../redeeming.js';

let node: EscrowNode;
let h: Harness;
let operators: Operators;
let globex: GivenPartner;
let owner: Parameters<typeof givenRedemption>[1];

beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: node.config });
  operators = await startOperators(h);
  await seedDenominations(h);
  globex = await h.givenPartner({ name: 'Globex' });
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(async () => {
  await operators.close();
  await h.close();
  await node.stop();
});

const base = `${operatorBase}/redemptions`;
const vault = () => operators.by.fulfilment;
const get = (id: string, role: keyof Operators['by'] = 'fulfilment') =>
  operators.by[role].client.get(`${base}/${id}`);
const press = (id: string, move: string, body?: unknown, headers?: Record<string, string>) =>
  vault().client.post(`${base}/${id}/${move}`, body, headers);
const error = (status: number, code: string, message: string, field?: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message), ...(field ? { field } : {}) },
});
const auditOf = async (id: string) =>
  (await operators.by.viewer.client.get(`${operatorBase}/audit?object_id=${id}`)).body.entries;

describe('a hand-over', () => {
  test('a hand-over goes from move to move, each with its author by name in the history and in the audit log', async () => {
    const id = await givenRedemption(h, owner, { bar: true });
    expect((await get(id)).body).toMatchObject({ status: 'submitted', available_actions: ['prepare'] });
    const steps = [
      ['prepare', 'preparing', ['ready']],
      ['ready', 'ready', ['collect', 'reissue-code']],
      ['collect', 'collected', ['burn']],
    ] as const;
    for (const [move, status, next] of steps) {
      h.clock.advance(1_000);
      const code = move === 'collect' ? { pickup_code: await pickupCodeOf(h, id) } : {};
      expect(await press(id, move, { ...code, note: `<b>${move}</b>` })).toMatchObject({
        status: 200,
        body: { redemption_id: id, status, updated_at: new Date(h.clock.now()).toISOString() },
      });
      const { body } = await get(id);
      expect(body).toMatchObject({ status, available_actions: next });
      expect(body.history.at(-1)).toMatchObject({ to: status, note: `<b>${move}</b>` });
    }
    const { body } = await get(id);
    const { operatorId } = vault();
    expect(body.history[0]).toMatchObject({
      from: null,
      to: 'submitted',
      actor: 'indexer',
      actor_name: null,
    });
    expect(body.history.slice(1)).toEqual(
      steps.map(([move, to], index) => ({
        at: new Date(h.clock.now() - 2_000 + index * 1_000).toISOString(),
        from: ['submitted', 'preparing', 'ready'][index],
        to,
        actor: `operator:${operatorId}`,
        actor_name: 'The fulfilment',
        note: `<b>${move}</b>`,
      })),
    );
    const entries = await auditOf(id);
    expect(entries.map((one: { action: string }) => one.action)).toEqual([
      'redemption.collect',
      'redemption.ready',
      'redemption.prepare',
    ]);
    expect(entries[0]).toMatchObject({
      operator_id: operatorId,
      object_type: 'redemption',
      before: { status: 'ready' },
      after: { status: 'collected' },
      reason: '<b>collect</b>',
      request_id: expect.any(String),
    });
    // The partner sees it at once.
    expect((await h.partner.get(`/v1/redemptions/${id}`)).body.status).toBe('collected');
  });

  test('a hand-over names the partner’s key that requested cancellation, and ends without gold', async () => {
    const id = await givenRedemption(h, owner);
    expectStatus(await h.partner.post(`/v1/redemptions/${id}/cancel`, { reason: 'moved' }), 200);
    expect((await get(id)).body).toMatchObject({
      cancellation_reason: 'moved',
      available_actions: ['cancel'],
    });
    expectStatus(await press(id, 'cancel', { physical_gold_committed: false }), 200);
    const { body } = await get(id);
    expect(body).toMatchObject({ status: 'cancelled', available_actions: ['refund'] });
    expect(body.history.at(-2)).toMatchObject({
      actor: `key:${h.main.keyId}`,
      actor_name: 'harness',
      note: 'moved',
    });
  });

  test('a hand-over does not begin before the payment is final', async () => {
    const id = await givenRedemption(h, owner, { finalized: false });
    await closeByDecree(h.ctx.config.programId, id);
    expect((await get(id)).body).toMatchObject({ final: false, available_actions: [] });
    expect(await press(id, 'prepare')).toMatchObject(
      error(409, 'transition_not_allowed', 'submitted, but the chain could still undo its payment'),
    );
    expect(await auditOf(id)).toEqual([]);
  });

  test.each([
    ['refund', 'cancelled'],
    ['burn', 'collected'],
  ] as const)('offers no %s before the payment is final', async (kind, status) => {
    const id = await givenRedemption(h, owner, { status, finalized: false });
    await closeByDecree(h.ctx.config.programId, id);
    expect((await get(id)).body).toMatchObject({ final: false, available_actions: [] });
    expect(await press(id, kind)).toMatchObject(
      error(409, 'transition_not_allowed', `${status}, but the chain could still undo its payment`),
    );
  });
});

describe('a move', () => {
  const allowed: Record<string, RedemptionStatus> = {
    prepare: 'submitted',
    ready: 'preparing',
    collect: 'ready',
    cancel: 'cancellation_requested',
  };
  test.each(redemptionStatuses)(
    'a move out of place in %s is refused, naming it, and leaves no trace',
    async (status) => {
      for (const [move, from] of Object.entries(allowed)) {
        if (status === from) continue;
        const id = await givenRedemption(h, owner, { status });
        const needed: Record<string, object> = {
          cancel: { physical_gold_committed: false },
          collect: { pickup_code: '00000000' },
        };
        const body = needed[move] ?? {};
        expect(await press(id, move, body)).toMatchObject(
          status === 'quoted' || status === 'lapsed'
            ? error(404, 'redemption_not_found', id)
            : error(409, 'transition_not_allowed', ` ${status} `),
        );
        expect(await auditOf(id)).toEqual([]);
      }
    },
  );

  test('a move: exactly one of 20 concurrent requests succeeds, and all others report the status', async () => {
    for (const [move, status, body] of [
      ['prepare', 'submitted', {}],
      ['cancel', 'cancellation_requested', { physical_gold_committed: false }],
    ] as const) {
      const id = await givenRedemption(h, owner, { status });
      const people = [operators.by.fulfilment, operators.by.admin];
      const pressed = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const person = people[at % 2] as GivenOperator;
          return { person, response: await person.client.post(`${base}/${id}/${move}`, body) };
        }),
      );
      const [won, ...others] = pressed.toSorted((one, other) => one.response.status - other.response.status);
      expect(won?.response.status).toBe(200);
      for (const { response } of others) {
        expect(response).toMatchObject(
          error(409, 'transition_not_allowed', ` ${won?.response.body.status} `),
        );
      }
      // It is the winner's in the history and in the log.
      const { history } = (await get(id)).body;
      expect(history.at(-1).actor).toBe(`operator:${won?.person.operatorId}`);
      expect(await auditOf(id)).toMatchObject([{ operator_id: won?.person.operatorId }]);
    }
  });

  test('a move that comes again with its Idempotency-Key has the first response and happens once', async () => {
    const id = await givenRedemption(h, owner);
    const key = { 'idempotency-key': 'once' };
    const first = await press(id, 'prepare', { note: 'a' }, key);
    const again = await press(id, 'prepare', { note: 'a' }, key);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await press(id, 'prepare', { note: 'b' }, key)).toMatchObject({ status: 409 });
    expect(await auditOf(id)).toHaveLength(1);
  });

  test.each([
    ['cancel', undefined, 'The body must be a JSON object', undefined],
    ['cancel', {}, 'physical_gold_committed is required', 'physical_gold_committed'],
    ['cancel', { physical_gold_committed: 'false' }, 'must be true or false', 'physical_gold_committed'],
    ['cancel', { physical_gold_committed: null }, 'must be true or false', 'physical_gold_committed'],
    ['cancel', { physical_gold_committed: false, gold: 1 }, 'gold is not a known field', 'gold'],
    ['prepare', { status: 'collected' }, 'status is not a known field', 'status'],
    ['prepare', { note: 5 }, 'must be text', 'note'],
    ['prepare', { note: 'x'.repeat(1_001) }, 'at most 1000', 'note'],
    ['prepare', { note: 'a\u0000b' }, 'not allowed', 'note'],
    ['prepare', { note: 'a\ud800b' }, 'not allowed', 'note'],
    ['prepare', [], '', undefined],
  ])('a move %s with the body %j is refused', async (move, body, message, field) => {
    const id = await givenRedemption(h, owner, { status: allowed[move] as RedemptionStatus });
    expect(await press(id, move, body)).toMatchObject(error(400, 'invalid_request', message, field));
    expect((await get(id)).body.status).toBe(allowed[move]);
  });

  test('a move to cancel where gold was set aside is refused by the state', async () => {
    const id = await givenRedemption(h, owner, { status: 'cancellation_requested' });
    expect(await press(id, 'cancel', { physical_gold_committed: true })).toMatchObject(
      error(409, 'transition_not_allowed', 'physical gold is committed'),
    );
    expect((await get(id)).body.status).toBe('cancellation_requested');
  });

  test('a move takes no body, an empty one, null, and the longest note', async () => {
    for (const body of [undefined, {}, 'null', { note: '😀'.repeat(1_000) }]) {
      expectStatus(await press(await givenRedemption(h, owner), 'prepare', body), 200);
    }
  });
});

describe('the actions that a redemption offers', () => {
  /** A transaction that moves the tokens of a redemption. */
  async function givenSettlement(id: RedemptionId, kind: 'refund' | 'burn', status: string, failed = false) {
    const at = new Date(h.clock.now());
    const signature = signatureNamed(`${kind}-${id}-${status}`);
    await h.ctx.db.insert(operatorTransactions).values({
      id: uuidOfSignature(signature),
      kind,
      status: status as 'pending',
      redemptionId: id,
      amount: goldUnits(380_625n),
      txSignature: signature,
      lastValidBlockHeight: 10n,
      slot: status === 'confirmed' ? 9n : null,
      failureReason: failed ? 'instruction 0: Custom 1' : null,
      createdAt: at,
      updatedAt: at,
    });
    return signature;
  }

  test.each(redemptionStatuses)(
    'the actions offered in %s are what the moves then take, and only for those who may',
    async (status) => {
      const id = await givenRedemption(h, owner, { status });
      if (status === 'quoted' || status === 'lapsed') {
        return expect(await get(id)).toMatchObject(error(404, 'redemption_not_found', id));
      }
      for (const role of operatorRoles) {
        const may = role === 'fulfilment' || role === 'admin';
        const { available_actions: actions } = expectStatus(await get(id, role), 200).body;
        const expected: Partial<Record<RedemptionStatus, string[]>> = {
          submitted: ['prepare'],
          preparing: ['ready'],
          ready: ['collect', 'reissue-code'],
          collected: ['burn'],
          cancellation_requested: ['cancel'],
          cancelled: ['refund'],
        };
        expect(actions).toEqual(may ? (expected[status] ?? []) : []);
      }
    },
  );

  test.each([
    ['cancelled', 'refund', 'pending', []],
    ['cancelled', 'refund', 'confirmed', []],
    ['cancelled', 'refund', 'failed', ['refund']],
    ['cancelled', 'refund', 'expired', ['refund']],
    ['collected', 'burn', 'pending', []],
    ['collected', 'burn', 'confirmed', []],
    ['collected', 'burn', 'failed', ['burn']],
  ] as const)(
    'the actions offered with %s tokens whose %s is %s are %j',
    async (status, kind, state, actions) => {
      const id = await givenRedemption(h, owner, { status });
      const signature = await givenSettlement(id, kind, state, state === 'failed');
      const hash = actions.length === 0 ? signature : null;
      expect((await get(id)).body).toMatchObject({
        available_actions: actions,
        refund_tx_hash: kind === 'refund' ? hash : null,
        burn_tx_hash: kind === 'burn' ? hash : null,
        settlement: { kind, status: state, amount: 0.380625, tx_hash: signature },
      });
    },
  );

  test('the action offered after a failed settlement is the one that followed', async () => {
    const id = await givenRedemption(h, owner, { status: 'cancelled' });
    await givenSettlement(id, 'refund', 'failed', true);
    const signature = await givenSettlement(id, 'refund', 'confirmed');
    expect((await get(id)).body).toMatchObject({
      refund_tx_hash: signature,
      settlement: { status: 'confirmed', failure_reason: null },
    });
  });

  test('the actions offered while a second person is requested are none, until that lapses', async () => {
    const id = await givenRedemption(h, owner, { status: 'cancelled' });
    const approvalId = newUuid();
    await h.ctx.db.insert(approvals).values({
      id: approvalId,
      action: 'redemption.refund',
      objectType: 'redemption',
      objectId: id,
      request: {},
      objectHash: new Uint8Array(32),
      requestedBy: vault().operatorId,
      createdAt: new Date(h.clock.now()),
      expiresAt: new Date(h.clock.now() + 1_000),
    });
    expect((await get(id)).body).toMatchObject({ available_actions: [], approval_id: approvalId });
    h.clock.advance(1_000);
    expect((await get(id)).body).toMatchObject({ available_actions: ['refund'], approval_id: null });
  });
});

describe('an assignment', () => {
  const assign = (operator: GivenOperator, id: string, assignee: string | null, insteadOf?: string | null) =>
    operator.client.post(`${base}/${id}/assign`, {
      assignee_id: assignee,
      ...(insteadOf === undefined ? {} : { instead_of: insteadOf }),
    });
  const assigneeOf = async (id: string) => {
    const { body } = await get(id, 'viewer');
    return [body.assignee_id, body.assignee_name];
  };

  test('an assignment is taken, handed on and released, each in the audit log, and moves nothing else', async () => {
    const id = await givenRedemption(h, owner, { bar: true });
    const before = (await get(id)).body;
    expect(before).toMatchObject({ assignee_id: null, assignee_name: null });
    expect(before.assignable_to).toContainEqual({ operator_id: vault().operatorId, name: 'The fulfilment' });
    h.clock.advance(1_000);
    const other = await operators.givenOperator('fulfilment');
    expect(await assign(vault(), id, vault().operatorId)).toMatchObject({
      status: 200,
      body: { redemption_id: id, assignee_id: vault().operatorId, assignee_name: 'The fulfilment' },
    });
    expect(await assigneeOf(id)).toEqual([vault().operatorId, 'The fulfilment']);
    expectStatus(await assign(vault(), id, other.operatorId, vault().operatorId), 200);
    // An operator may go on with what another one has.
    expectStatus(await press(id, 'prepare'), 200);
    expectStatus(await assign(other, id, null, other.operatorId), 200);
    expect(await assigneeOf(id)).toEqual([null, null]);
    const entries = (await auditOf(id)).filter(({ action }: { action: string }) => action.endsWith('assign'));
    expect(
      entries.map((one: Record<string, unknown>) => [one.operator_id, one.before, one.after]).reverse(),
    ).toEqual([
      [vault().operatorId, { assignee_id: null }, { assignee_id: vault().operatorId }],
      [vault().operatorId, { assignee_id: vault().operatorId }, { assignee_id: other.operatorId }],
      [other.operatorId, { assignee_id: other.operatorId }, { assignee_id: null }],
    ]);
    const mine = (await h.partner.get(`/v1/redemptions/${id}`)).body;
    expect(Object.keys(mine).filter((name) => name.includes('assign'))).toEqual([]);
  });

  test('an assignment: exactly one of four operators who take a redemption at once gets it', async () => {
    const id = await givenRedemption(h, owner);
    const clerks = await Promise.all(Array.from({ length: 4 }, () => operators.givenOperator('fulfilment')));
    const taken = await Promise.all(clerks.map((clerk) => assign(clerk, id, clerk.operatorId)));
    expect(taken.map(({ status }) => status).sort()).toEqual([200, ...Array(3).fill(409)]);
    const winner = clerks[taken.findIndex(({ status }) => status === 200)];
    expect(await assigneeOf(id)).toEqual([winner?.operatorId, expect.any(String)]);
    expect(taken.find(({ status }) => status === 409)).toMatchObject(
      error(409, 'transition_not_allowed', `sees to this redemption. To assign it to another operator`),
    );
    expect(await auditOf(id)).toHaveLength(1);
    // To have it already is no change.
    expect(winner && (await assign(winner, id, winner.operatorId)).status).toBe(200);
    expect(await auditOf(id)).toHaveLength(1);
  });

  test('an assignment is refused to operators who may not fulfil, are disabled or unknown, and for what has ended', async () => {
    const id = await givenRedemption(h, owner);
    const disabled = await operators.givenOperator('fulfilment');
    await h.ctx.sql`update people set status = 'disabled' where id = ${disabled.operatorId}`;
    for (const assignee of [operators.by.viewer.operatorId, disabled.operatorId, newUuid(), 'x', '']) {
      expect(await assign(vault(), id, assignee)).toMatchObject(
        error(400, 'invalid_request', 'assignee_id must be', 'assignee_id'),
      );
    }
    expect(await assign(vault(), id, null, vault().operatorId)).toMatchObject({ status: 200 });
    expect(await assign(vault(), id, vault().operatorId, 'x')).toMatchObject(
      error(400, 'invalid_request', 'instead_of', 'instead_of'),
    );
    expect(await assign(vault(), id, vault().operatorId, newUuid())).toMatchObject(
      error(409, 'transition_not_allowed', 'No operator sees to this redemption any more'),
    );
    for (const role of ['viewer', 'compliance'] as const) {
      expect((await assign(operators.by[role], id, null)).status).toBe(403);
      expect((await get(id, role)).body.assignable_to).toEqual([]);
    }
    const failed = await givenRedemption(h, owner, { status: 'failed' });
    expect(await assign(vault(), failed, vault().operatorId)).toMatchObject(
      error(409, 'transition_not_allowed', 'A redemption that is failed'),
    );
    expect((await get(failed)).body.assignable_to).toEqual([]);
  });

  test('an assignment can be listed: one’s own, those of another operator, and those of none', async () => {
    const partner = await h.givenPartner();
    const user = await h.givenUser(partner.partnerId);
    const [mine, theirs, free] = [
      await givenRedemption(h, { partner, user }),
      await givenRedemption(h, { partner, user }, { status: 'ready' }),
      await givenRedemption(h, { partner, user }),
    ] as const;
    expectStatus(await assign(vault(), mine, vault().operatorId), 200);
    const { operatorId } = operators.by.admin;
    expectStatus(await assign(vault(), theirs, operatorId), 200);
    const list = async (query: string) => {
      const url = `${base}?partner_id=${partner.partnerId}&${query}`;
      const { redemptions } = expectStatus(await vault().client.get(url), 200).body;
      return redemptions.map((one: Record<string, string>) => [one.redemption_id, one.assignee_name]);
    };
    expect(await list('assigned_to=me')).toEqual([[mine, 'The fulfilment']]);
    expect(await list(`assigned_to=${operatorId}`)).toEqual([[theirs, 'The admin']]);
    expect(await list(`assigned_to=${operatorId}&status=submitted`)).toEqual([]);
    expect(await list('assigned_to=none')).toEqual([[free, null]]);
    expect(await list('assigned_to=x')).toEqual([]);
    expect(await list('')).toHaveLength(3);
  });
});

test('a redemption is late after a day since the quote and overdue after three, until it has ended', async () => {
  const at = new Date(h.clock.now());
  const id = await givenRedemption(h, owner, { at });
  const cancelled = await givenRedemption(h, owner, { at, status: 'cancelled' });
  const ageOf = async (of: string) => {
    const listed = await vault().client.get(`${base}?q=${of}`);
    const { age } = (await get(of)).body;
    expect(listed.body.redemptions).toMatchObject([{ age }]);
    return age;
  };
  const dayMs = 86_400_000;
  h.clock.advance(at.getTime() + dayMs - h.clock.now());
  expect(await ageOf(id)).toBe('on_time');
  h.clock.advance(1);
  expect(await ageOf(id)).toBe('late');
  h.clock.advance(2 * dayMs);
  expect([await ageOf(id), await ageOf(cancelled)]).toEqual(['overdue', null]);
});

describe('the list', () => {
  type Listed = { redemptions: { redemption_id: string; status: string }[]; next_cursor: string | null };
  const list = async (query: string): Promise<Listed> =>
    expectStatus(await operators.by.viewer.client.get(`${base}?${query}`), 200).body;
  const idsOf = ({ redemptions }: Listed) => redemptions.map(({ redemption_id: id }) => id);

  test('the list is of one partner or all, oldest first or newest, page by page, while others are added', async () => {
    const partner = await h.givenPartner();
    const user = await h.givenUser(partner.partnerId);
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      // Two of each moment, so that the id decides.
      const at = new Date(h.clock.now() + Math.floor(index / 2) * 1_000);
      ids.push(await givenRedemption(h, { partner, user }, { at }));
    }
    for (const [order, expected] of [
      ['', ids],
      ['&order=asc', ids],
      ['&order=desc', [...ids].reverse()],
    ] as const) {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list(
          `partner_id=${partner.partnerId}&limit=3${order}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...idsOf(page));
        cursor = page.next_cursor;
        // One that is older than all, behind the back of a reader that begins with the oldest.
        if (order !== '&order=desc') continue;
        await givenRedemption(h, { partner, user }, { at: new Date(h.clock.now() + 60_000) });
      }
      expect(seen).toEqual(expected);
    }
    expect(idsOf(await list('limit=100&order=desc')).length).toBeGreaterThan(7);
  });

  test('filters by status, partner, user, city in any case, and never shows a quote', async () => {
    const one = { partner: globex, user: await h.givenUser(globex.partnerId) };
    const other = { partner: globex, user: await h.givenUser(globex.partnerId) };
    const ids: Partial<Record<RedemptionStatus, string>> = {};
    for (const status of redemptionStatuses) ids[status] = await givenRedemption(h, one, { status });
    const lahore = await givenRedemption(h, other, { city: 'Lahore' });
    const requested = async (query: string) =>
      idsOf(await list(`partner_id=${globex.partnerId}&${query}`)).sort();
    expect(await requested('status=ready')).toEqual([ids.ready]);
    expect(await requested('city=lAHORE')).toEqual([lahore]);
    expect(await requested(`service_user_id=${other.user.id}`)).toEqual([lahore]);
    expect(await requested(`service_user_id=${other.user.id}&status=ready`)).toEqual([]);
    const { quoted, lapsed, ...visible } = ids;
    expect(await requested(`service_user_id=${one.user.id}`)).toEqual(Object.values(visible).sort());
    expect((await list(`partner_id=${globex.partnerId.toUpperCase()}`)).redemptions).toHaveLength(8);
    expect((await list(`service_user_id=${one.user.id}&status=failed`)).redemptions).toEqual([
      expect.objectContaining({
        partner_id: globex.partnerId,
        service_user_id: one.user.id,
        denomination_id: 'pk_tola_1',
        wallet_address: one.user.wallet.address,
        final: true,
        failure_reason: 'instruction 3: Custom 1',
      }),
    ]);
  });

  test.each(['partner_id=x', `partner_id=${newUuid()}`, 'service_user_id=gu_1', 'city=%00', 'city='])(
    'the list is empty for %s',
    async (query) => expect(await list(query)).toEqual({ redemptions: [], next_cursor: null }),
  );

  test.each([
    ['status=quoted', 'status'],
    ['status=lapsed', 'status'],
    ['order=up', 'order'],
    ['limit=0', 'limit'],
    ['cursor=x', 'cursor'],
  ])('the list refuses %s', async (query, field) => {
    expect(await operators.by.viewer.client.get(`${base}?${query}`)).toMatchObject(
      error(400, 'invalid_request', field, field),
    );
  });
});

test.each([newId('red'), 'red_1', newId('trd'), 'x'.repeat(300), '%00', '..%2f..'])(
  'a redemption with the id %s is unknown',
  async (id) => {
    expect(await get(id)).toMatchObject(error(404, 'redemption_not_found', 'no redemption'));
    for (const move of ['prepare', 'ready', 'collect']) {
      const body = move === 'collect' ? { pickup_code: '00000000' } : {};
      expect(await press(id, move, body)).toMatchObject(error(404, 'redemption_not_found', 'no redemption'));
    }
  },
);

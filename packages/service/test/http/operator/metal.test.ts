import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeChange } from '../../../src/actions/approvals/carry-out.js';
import { planNewBars } from '../../../src/actions/bars/plan-bars.js';
import { inChange } from '../../../src/actions/change.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { clientOf, expectStatus, type Harness, harness } from '../../harness.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  send,
  startOperators,
} from '../../operators.js';
import { givenRedemption, pickupCodeOf, seedDenominations, wrongCodeFor } from '../../redeeming.js';
import { newBar } from './contract-routes.js';

let node: EscrowNode;
let h: Harness;
/** Where one person is enough, and where metal takes two. */
let one: Operators;
let two: Operators;
let owner: Parameters<typeof givenRedemption>[1];
beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: { ...node.config, approvals: 1 } });
  await seedDenominations(h);
  one = await startOperators(h);
  two = await startOperators({
    ctx: { ...h.ctx, config: { ...h.ctx.config, approvals: 2 } },
    secrets: h.secrets,
  });
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(async () => {
  await two.close();
  await one.close();
  await h.close();
  await node.stop();
});

/** A browser of an operator who has no second factor. */
async function inSession({ app }: Operators, { email, password }: GivenOperator) {
  const page = { host: 'ops.karat.test', origin: 'https://ops.karat.test', 'x-karat-console': '1' };
  const signedIn = await clientOf(app, page).post(`${operatorBase}/session`, { email, password });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  h.secrets.add(cookie.split('=')[1] ?? '');
  return clientOf(app, { ...page, cookie });
}
const clerk = () => inSession(two, two.by.fulfilment);
const manager = () => inSession(two, two.by.admin);
const decide = async (id: string, by = manager()) => send(await by, 'POST', `/approvals/${id}/approve`);

async function givenBar(more: Record<string, unknown> = {}) {
  const { body } = await send(one.by.admin.client, 'POST', '/bars', { bars: [newBar(more)] });
  return body.bars[0];
}
const barNow = async (id: string) => (await one.by.viewer.client.get(`${operatorBase}/bars/${id}`)).body;
const barsNow = async () => Number((await h.ctx.sql`select count(*) from bars`)[0]?.count);
const given = (status: RedemptionStatus) => givenRedemption(h, owner, { status });
const get = async (id: string) =>
  (await one.by.fulfilment.client.get(`${operatorBase}/redemptions/${id}`)).body;
const press = (id: string, move: string, body?: unknown, { client } = one.by.fulfilment) =>
  client.post(`${operatorBase}/redemptions/${id}/${move}`, body);
const refused = (status: number, error: string, more: object = {}) => ({ status, body: { error, ...more } });

/** What changes which metal there is, of a bar in stock. */
const changes: Record<string, object> = {
  'written off': { status: 'withdrawn', reason: 'melted' },
  'moved to another city': { city: 'Lahore' },
  reweighed: { weight_g: 11.664 },
  'assayed again': { fineness: 995 },
};

describe('bars, where two people are required', () => {
  test('bars: the token of a clerk adds none, and neither does the token of an admin', async () => {
    const before = await barsNow();
    for (const { client } of [two.by.fulfilment, two.by.admin]) {
      const response = await send(client, 'POST', '/bars', {
        bars: [newBar(), newBar(), newBar(), newBar()],
      });
      expect(response).toMatchObject(refused(403, 'forbidden'));
      expect(await send(client, 'POST', '/bars', newBar())).toMatchObject(refused(403, 'forbidden'));
    }
    expect(await barsNow()).toBe(before);
  });

  test.each(Object.entries(changes))('bars: none is %s by a token', async (_, change) => {
    const bar = await givenBar();
    const response = await send(two.by.fulfilment.client, 'PATCH', `/bars/${bar.bar_id}`, change);
    expect(response).toMatchObject(refused(403, 'forbidden'));
    expect(await barNow(bar.bar_id)).toEqual(bar);
  });

  test.each(Object.entries(changes))('bars: one is %s once a second person approves', async (_, change) => {
    const bar = await givenBar();
    const request = () => clerk().then((client) => send(client, 'PATCH', `/bars/${bar.bar_id}`, change));
    const { approval_id: id } = expectStatus(await request(), 202).body;
    expect(await barNow(bar.bar_id)).toEqual(bar);
    expect(await request()).toMatchObject(refused(409, 'transition_not_allowed'));
    const { approvals } = (await two.by.admin.client.get(`${operatorBase}/approvals?status=pending`)).body;
    const { request: shown, before } = approvals.find(
      (each: { approval_id: string }) => each.approval_id === id,
    );
    expect(shown).toMatchObject(change);
    const [field = ''] = Object.keys(change);
    expect(before).toEqual({ serial: bar.serial, refiner: bar.refiner, [field]: bar[field] });
    expect(await decide(id, clerk())).toMatchObject(refused(403, 'forbidden'));
    expect(expectStatus(await decide(id), 200).body).toMatchObject({ bar_id: bar.bar_id, ...change });
    expect(await barNow(bar.bar_id)).toMatchObject(change);
    expect((await changesOf(h, 'bar', bar.bar_id)).at(-1)).toMatchObject({
      operatorId: two.by.admin.operatorId,
    });
  });

  test('bars: a delivery is in stock once a second person approves exactly its bars', async () => {
    const known = await givenBar();
    const bars = [newBar(), { ...newBar(), serial: known.serial }, newBar(), newBar({ city: 'Atlantis' })];
    const client = await clerk();
    const { body } = expectStatus(await send(client, 'POST', '/bars', { bars }), 202);
    expect(body.refused).toMatchObject([
      { index: 1, error: 'already_exists' },
      { index: 3, error: 'invalid_city' },
    ]);
    const before = await barsNow();
    expect(await send(client, 'POST', '/bars', { bars })).toMatchObject(
      refused(409, 'transition_not_allowed'),
    );
    const { approvals } = (await two.by.admin.client.get(`${operatorBase}/approvals?status=pending`)).body;
    expect(approvals[0]).toMatchObject({
      action: 'bar.add',
      request: { bars: [bars[0], bars[2]] },
      before: null,
    });
    const approved = expectStatus(await decide(body.approval_id), 200).body;
    expect(approved).toMatchObject({ bars: [bars[0], bars[2]], refused: [] });
    expect(await barsNow()).toBe(before + 2);
  });

  test('bars: the approval of a delivery is void once one of its bars is there already', async () => {
    const bars = [newBar(), newBar()];
    const { body } = expectStatus(await send(await clerk(), 'POST', '/bars', { bars }), 202);
    expectStatus(await send(one.by.admin.client, 'POST', '/bars', { bars: [bars[0]] }), 201);
    expect(await decide(body.approval_id)).toMatchObject(refused(409, 'transition_not_allowed'));
  });

  test('bars: a delivery of which no bar can be taken needs no approval, and each has its reason', async () => {
    const bar = await givenBar();
    const { serial, refiner } = bar;
    const again = { bars: [newBar({ serial, refiner })] };
    const { body } = expectStatus(await send(await clerk(), 'POST', '/bars', again), 201);
    expect(body).toMatchObject({ bars: [], refused: [{ error: 'already_exists' }] });
  });

  test('bars: none is added by one person whose city becomes known in the middle', async () => {
    const bar = { ...newBar({ city: 'Multan' }), weightG: 11.6638038, denominationId: 'pk_tola_1' };
    const { plan } = await planNewBars(h.ctx, [bar]);
    const move = (city: string) => send(one.by.admin.client, 'PATCH', '/denominations/pk_old', { city });
    const describe: typeof plan.describe = async (tx) => {
      const found = await plan.describe(tx);
      expectStatus(await move('Multan'), 200);
      return found;
    };
    const before = await barsNow();
    const by = { personId: two.by.fulfilment.operatorId, requestId: null };
    await inChange(h.ctx, by, (change) => makeChange(change, { ...plan, describe }));
    await move('Karachi');
    expect(await barsNow()).toBe(before);
  });

  test('bars: a token approves no change of them', async () => {
    const bar = await givenBar();
    const change = { status: 'withdrawn', reason: 'melted' };
    const { body } = expectStatus(await send(await clerk(), 'PATCH', `/bars/${bar.bar_id}`, change), 202);
    const response = await send(two.by.admin.client, 'POST', `/approvals/${body.approval_id}/approve`);
    expect(response).toMatchObject(refused(403, 'forbidden'));
    expect(await barNow(bar.bar_id)).toEqual(bar);
  });

  test('bars: a reserved one goes back into stock by one person, also by a token', async () => {
    const id = await given('preparing');
    const { bar } = await get(id);
    const response = await send(two.by.fulfilment.client, 'PATCH', `/bars/${bar.bar_id}`, {
      status: 'in_stock',
    });
    expect(expectStatus(response, 200).body.status).toBe('in_stock');
  });
});

test('bars: a token adds, withdraws, moves and reweighs them where one person is enough', async () => {
  for (const change of Object.values(changes)) {
    const { bar_id: id } = await givenBar();
    expect((await send(one.by.fulfilment.client, 'PATCH', `/bars/${id}`, change)).status).toBe(200);
  }
});

describe('a redemption and its bar', () => {
  const withoutBar = async (status: 'preparing' | 'ready') => {
    const id = await given(status);
    const { bar } = await get(id);
    await send(one.by.fulfilment.client, 'PATCH', `/bars/${bar.bar_id}`, { status: 'in_stock' });
    return { id, bar };
  };

  test('ready: a redemption without a bar is refused', async () => {
    const { id, bar } = await withoutBar('preparing');
    expect(await press(id, 'ready')).toMatchObject(refused(400, 'bar_required', { field: 'bar_serial' }));
    expect((await get(id)).status).toBe('preparing');
    expectStatus(await press(id, 'ready', { bar_serial: bar.serial }), 200);
  });

  test('ready: a bar can be entered for a redemption in a city where nothing is offered any more', async () => {
    const { id } = await withoutBar('preparing');
    const offered = ['pk_tola_1', 'pk_oz_1', 'pk_old'];
    const move = async (city: string) => {
      for (const each of offered)
        expectStatus(await send(one.by.admin.client, 'PATCH', `/denominations/${each}`, { city }), 200);
    };
    await move('Lahore');
    const { body } = await send(one.by.admin.client, 'POST', '/bars', {
      bars: [newBar({ city: 'KARACHI' })],
    });
    await move('Karachi');
    expect(body).toMatchObject({ bars: [{ city: 'Karachi' }], refused: [] });
    expectStatus(await press(id, 'ready', { bar_serial: body.bars[0].serial }), 200);
  });

  test('collect: no bar is handed out without being named, and the code is not looked at before', async () => {
    const { id, bar } = await withoutBar('ready');
    const code = await pickupCodeOf(h, id);
    const required = refused(400, 'bar_required', { field: 'bar_serial' });
    expect(await press(id, 'collect', { pickup_code: code })).toMatchObject(required);
    expect(await press(id, 'collect', { pickup_code: wrongCodeFor(code) })).toMatchObject(required);
    const elsewhere = await givenBar({ city: 'Lahore' });
    const named = { pickup_code: wrongCodeFor(code), bar_serial: elsewhere.serial };
    expect(await press(id, 'collect', named)).toMatchObject(refused(409, 'bar_not_available'));
    const withoutCode = { without_code: { reason: 'The phone was stolen' } };
    expect(await press(id, 'collect', withoutCode)).toMatchObject(required);
    expect(await press(id, 'collect', withoutCode, two.by.fulfilment)).toMatchObject(required);
    expect(await get(id)).toMatchObject({ status: 'ready', pickup: { attempts_left: 5 } });
    expectStatus(await press(id, 'collect', { pickup_code: code, bar_serial: bar.serial }), 200);
    expect(await barNow(bar.bar_id)).toMatchObject({ status: 'handed_over', redemption_id: id });
  });

  test('a wrong code with a bar that is free reserves nothing', async () => {
    const { id, bar } = await withoutBar('ready');
    const wrong = { pickup_code: wrongCodeFor(await pickupCodeOf(h, id)), bar_serial: bar.serial };
    expect(await press(id, 'collect', wrong)).toMatchObject(refused(400, 'pickup_code_wrong'));
    expect((await barNow(bar.bar_id)).status).toBe('in_stock');
  });

  test.each(['preparing', 'ready'] as const)(
    'the database refuses a hand-over without its bar, of one that is %s',
    async (status) => {
      const { id } = await withoutBar(status);
      for (const to of ['ready', 'collected'].slice(status === 'ready' ? 1 : 0))
        await expect(h.ctx.sql`update redemptions set status = ${to} where id = ${id}`).rejects.toThrow(
          /a redemption that is .* has its bar/,
        );
    },
  );

  test('the database refuses a hand-over with a bar of another denomination or city', async () => {
    for (const more of [{ city: 'Lahore' }, { denomination_id: 'pk_oz_1', weight_g: 31.1034768 }]) {
      const { id } = await withoutBar('preparing');
      const { bar_id: barId } = await givenBar(more);
      await h.ctx.sql`update bars set status = 'reserved', redemption_id = ${id} where id = ${barId}`;
      await expect(h.ctx.sql`update redemptions set status = 'ready' where id = ${id}`).rejects.toThrow(
        /has its bar/,
      );
    }
  });
});

test('collect: a requested hand-over gives way once the bar that it names cannot be had', async () => {
  const id = await given('ready');
  const other = await givenBar();
  const request = (more: object) =>
    press(id, 'collect', { without_code: { reason: 'lost' }, ...more }, two.by.fulfilment);
  const requested = expectStatus(await request({ bar_serial: other.serial }), 202).body;
  const change = { status: 'withdrawn', reason: 'melted' };
  expectStatus(await send(one.by.admin.client, 'PATCH', `/bars/${other.bar_id}`, change), 200);
  expect(await decide(requested.approval_id)).toMatchObject(refused(409, 'transition_not_allowed'));
  const again = expectStatus(await request({}), 202).body;
  expect(expectStatus(await decide(again.approval_id), 200).body).toMatchObject({ status: 'collected' });
});

describe('another pickup code', () => {
  const guess = async (id: string, by = two.by.fulfilment) => {
    const code = wrongCodeFor(await pickupCodeOf(h, id));
    return press(id, 'collect', { pickup_code: code }, by);
  };

  test('reissue-code: one clerk has twenty guesses at a redemption, not 250', async () => {
    const id = await given('ready');
    let wrong = 0;
    for (let round = 0; round < 6; round += 1) {
      for (let tries = 0; tries < 5; tries += 1)
        if ((await guess(id)).body.error === 'pickup_code_wrong') wrong += 1;
      await press(id, 'reissue-code', {}, two.by.fulfilment);
    }
    expect(wrong).toBe(20);
    const { body: metrics } = await two.app.inject({ method: 'GET', url: '/metrics' });
    expect(Number(/^karat_wrong_pickup_codes_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(20);
    expect((await get(id)).pickup).toMatchObject({ attempts_left: 0, locked: true });
  });

  test('reissue-code: the fourth takes a second person, and so does each one after it', async () => {
    const id = await given('ready');
    for (let issued = 0; issued < 3; issued += 1) {
      const response = await press(id, 'reissue-code', { reason: 'lost' }, two.by.fulfilment);
      expect(expectStatus(response, 200).body.redemption_id).toBe(id);
    }
    for (let more = 0; more < 2; more += 1) {
      const code = await pickupCodeOf(h, id);
      const requested = await press(id, 'reissue-code', { reason: 'lost again' }, two.by.fulfilment);
      const { approval_id: approval } = expectStatus(requested, 202).body;
      expect(await pickupCodeOf(h, id)).toBe(code);
      const { approvals } = (await two.by.admin.client.get(`${operatorBase}/approvals?status=pending`)).body;
      expect(approvals[0]).toMatchObject({
        action: 'redemption.reissue_code',
        object_id: id,
        request: { redemption_id: id, reason: 'lost again' },
        before: { codes_issued: 4 + more },
      });
      expect(await decide(approval, clerk())).toMatchObject(refused(403, 'forbidden'));
      expect(expectStatus(await decide(approval), 200).body).toMatchObject({ redemption_id: id });
      expect(await pickupCodeOf(h, id)).not.toBe(code);
    }
    expect((await changesOf(h, 'redemption', id)).at(-1)).toMatchObject({
      action: 'redemption.reissue_code',
      reason: 'lost again',
      before: { codes_issued: 5 },
      after: { codes_issued: 6 },
    });
  });

  test('reissue-code: clerks who press at once get no more than three', async () => {
    const id = await given('ready');
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => press(id, 'reissue-code', {}, two.by.fulfilment)),
    );
    const issued = responses.filter(({ status }) => status === 200).length;
    expect(issued).toBeLessThanOrEqual(3);
    const [row] = await h.ctx.sql`select issues from pickup_codes where redemption_id = ${id.slice(4)}`;
    expect(row).toEqual({ issues: 1 + issued });
  });
});

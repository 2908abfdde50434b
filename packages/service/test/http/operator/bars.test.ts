import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BarStatus, barStatuses } from '../../../src/domain/bar.js';
import { newUuid } from '../../../src/domain/ids.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations, tola } from '../../redeeming.js';
import { newBar } from './contract-routes.js';

let h: Harness;
let operators: Operators;
let owner: Parameters<typeof givenRedemption>[1];
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

type NewBar = ReturnType<typeof newBar>;
const clerk = () => operators.by.fulfilment;
const get = (path: string) => clerk().client.get(`${operatorBase}${path}`);
const post = (bars: unknown[]) => send(clerk().client, 'POST', '/bars', { bars });
const patch = (id: string, body: object) => send(clerk().client, 'PATCH', `/bars/${id}`, body);
async function given(more: Partial<NewBar> = {}) {
  const { bars } = expectStatus(await post([newBar(more)]), 201).body;
  return bars[0];
}
/** A bar in any status, of a redemption where it needs one. */
async function givenIn(status: BarStatus) {
  const bar = await given();
  const { sql } = h.ctx;
  if (status === 'withdrawn')
    await sql`update bars set status = 'withdrawn', reason = 'lost' where id = ${bar.bar_id}`;
  if (status === 'in_stock' || status === 'withdrawn') return { ...bar, status };
  const id = await givenRedemption(h, owner, { status: 'preparing', bar: false });
  await sql`update bars set status = 'reserved', redemption_id = ${id} where id = ${bar.bar_id}`;
  if (status === 'handed_over') await sql`update bars set status = 'handed_over' where id = ${bar.bar_id}`;
  return { ...bar, status, redemption_id: id };
}

describe('bars that are taken into stock', () => {
  test('a check of bars reports those that are there or malformed, and stores nothing', async () => {
    const known = newBar();
    expectStatus(await post([known]), 201);
    const fresh = newBar();
    const bars = [fresh, known, newBar({ denomination_id: 'none' })];
    const checked = expectStatus(await send(clerk().client, 'POST', '/bars/check', { bars }), 200).body;
    expect(checked.refused).toMatchObject([
      { index: 1, serial: known.serial, error: 'already_exists' },
      { index: 2, error: 'invalid_denomination', field: 'denomination_id' },
    ]);
    expect((await get(`/bars?serial=${fresh.serial}`)).body.bars).toEqual([]);
    expect(expectStatus(await post([fresh]), 201).body.refused).toEqual([]);
  });

  test('bars that are taken into stock exist, each with a row of the audit log', async () => {
    const reported = newBar();
    const { bars, refused } = expectStatus(await post([reported, newBar()]), 201).body;
    expect(refused).toEqual([]);
    expect(bars).toHaveLength(2);
    expect(bars[0]).toEqual({
      ...reported,
      bar_id: expect.any(String),
      status: 'in_stock',
      redemption_id: null,
      reason: null,
      created_at: new Date(h.clock.now()).toISOString(),
      updated_at: new Date(h.clock.now()).toISOString(),
    });
    expect((await get(`/bars/${bars[0].bar_id}`)).body).toEqual(bars[0]);
    expect(await changesOf(h, 'bar', bars[0].bar_id)).toEqual([
      {
        action: 'bar.add',
        before: null,
        after: { ...reported, status: 'in_stock', redemption_id: null },
        reason: null,
        operatorId: clerk().operatorId,
      },
    ]);
    expect((await get('/audit/verify')).body.ok).toBe(true);
  });

  test('bars taken into stock may be one alone as the body, with the same response', async () => {
    const one = newBar();
    const add = (body: unknown) => send(clerk().client, 'POST', '/bars', body);
    expect(expectStatus(await add(one), 201).body).toMatchObject({ bars: [one], refused: [] });
    expect(expectStatus(await add(one), 201).body).toMatchObject({
      bars: [],
      refused: [{ index: 0, serial: one.serial, error: 'already_exists' }],
    });
    for (const [more, field] of [
      [{ fineness: '999.9' }, 'fineness'],
      [{ status: 'handed_over' }, 'status'],
    ] as const)
      expect(await add({ ...newBar(), ...more })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field },
      });
  });

  test('bars taken into stock are 500 at once, each for itself: a refusal has its reason, and the others are taken', async () => {
    const there = await given({ serial: `there-${newUuid()}` });
    const good = Array.from({ length: 492 }, () => newBar());
    const bad: [Partial<NewBar>, string, string][] = [
      [{ serial: '  ' }, 'invalid_request', 'serial'],
      [{ serial: 'x'.repeat(65) }, 'invalid_request', 'serial'],
      [{ refiner: 'a\nb' }, 'invalid_request', 'refiner'],
      [{ fineness: 0.9999 }, 'invalid_request', 'fineness'],
      [{ weight_g: 31.1034768 }, 'invalid_request', 'weight_g'],
      [{ denomination_id: 'none' }, 'invalid_denomination', 'denomination_id'],
      [{ city: 'Atlantis' }, 'invalid_city', 'city'],
      [{ serial: there.serial.toUpperCase(), refiner: ' VALCAMBI ' }, 'already_exists', 'serial'],
    ];
    const all = [...bad.map(([more]) => newBar(more)), ...good];
    const { bars, refused } = expectStatus(await post(all), 201).body;
    expect(refused.map((one: Record<string, unknown>) => [one.index, one.error, one.field])).toEqual(
      bad.map(([, error, field], index) => [index, error, field]),
    );
    expect(bars.map(({ serial }: NewBar) => serial)).toEqual(good.map(({ serial }) => serial));
  });

  test('bars taken into stock of which two are the same are taken once, also by two clerks at once', async () => {
    const [one, other] = [newBar(), newBar()];
    const { bars, refused } = expectStatus(await post([one, other, one]), 201).body;
    expect([bars.length, refused.map(({ index }: { index: number }) => index)]).toEqual([2, [2]]);
    const many = Array.from({ length: 50 }, () => newBar());
    const responses = await Promise.all([post(many), post(many.toReversed())]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(responses.reduce((sum, { body }) => sum + body.bars.length, 0)).toBe(50);
  });

  test('bars are the same however the number and the refiner were typed, and are found so', async () => {
    const number = newUuid().slice(0, 8);
    const bar = await given({ serial: `A-47 ${number}`, refiner: 'Münze Österreich' });
    const same: Partial<NewBar>[] = [
      { serial: `A\u201147 ${number}`, refiner: bar.refiner },
      { serial: `\uff21\u221247\u00a0\u2003${number}`, refiner: bar.refiner },
      { serial: bar.serial, refiner: bar.refiner.normalize('NFD') },
      { serial: bar.serial, refiner: 'Münze\u00a0Österreich\ufeff' },
    ];
    for (const typed of same) {
      const { refused } = expectStatus(await post([newBar(typed)]), 201).body;
      expect(refused).toMatchObject([{ error: 'already_exists', field: 'serial' }]);
    }
    for (const typed of [`a\u201347 ${number}`, `\uff21-47\u00a0${number}`]) {
      const text = encodeURIComponent(typed);
      for (const query of [`serial=${text}`, `q=${text}`]) {
        const { bars } = expectStatus(await get(`/bars?${query}`), 200).body;
        expect(bars.map(({ bar_id: id }: { bar_id: string }) => id)).toEqual([bar.bar_id]);
      }
    }
  });

  test.each([
    ['a zero width space', '\u200b'],
    ['a soft hyphen', '\u00ad'],
    ['a mark of direction', '\u202e'],
    ['a variation selector', '\ufe0f'],
    ['a filler', '\u3164'],
  ])('bars may not have %s in their names, which is invisible', async (_, invisible) => {
    const bar = await given();
    for (const field of ['serial', 'refiner'] as const) {
      for (const name of [`${bar[field]}${invisible}`, `A${invisible}1`]) {
        const { refused } = expectStatus(
          await post([newBar({ serial: bar.serial, refiner: bar.refiner, [field]: name })]),
          201,
        ).body;
        expect(refused).toMatchObject([{ error: 'invalid_request', field }]);
      }
    }
  });

  test('bars have the spelling that the catalogue has of their city, trimmed', async () => {
    const bar = await given({ city: ' kARACHI ', refiner: ' PAMP ', denomination_id: tola.id });
    expect(bar).toMatchObject({ city: 'Karachi', refiner: 'PAMP' });
  });

  test.each([
    [[], 'bars'],
    [Array.from({ length: 501 }, () => newBar()), 'bars'],
    [[{ ...newBar(), status: 'handed_over' }], 'bars.0.status'],
    [[{ ...newBar(), redemption_id: 'x' }], 'bars.0.redemption_id'],
    [[{ ...newBar(), fineness: '999.9' }], 'bars.0.fineness'],
  ])('bars of form %# are malformed as a whole', async (bars, field) => {
    expect(await post(bars)).toMatchObject({ status: 400, body: { error: 'invalid_request', field } });
  });

  test('bars taken into stock may be 256 KiB', async () => {
    const tooLarge = await post([newBar({ refiner: 'x'.repeat(256 * 1024) })]);
    expect(tooLarge).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large', message: 'The body is larger than 256 KiB.' },
    });
  });
});

describe('a bar', () => {
  test('a bar is corrected, moved and withdrawn while it is in stock', async () => {
    const { bar_id: id } = await given();
    expect((await patch(id, { city: 'lahore', fineness: 995, weight_g: 11.664 })).body).toMatchObject({
      city: 'Lahore',
      fineness: 995,
      weight_g: 11.664,
    });
    expect(expectStatus(await patch(id, { city: 'Lahore' }), 200).body.city).toBe('Lahore');
    const lost = await patch(id, { status: 'withdrawn', reason: 'Scratched' });
    expect(lost.body).toMatchObject({ status: 'withdrawn', reason: 'Scratched' });
    const changes = await changesOf(h, 'bar', id);
    expect(changes.map(({ action }) => action)).toEqual(['bar.add', 'bar.change', 'bar.withdraw']);
    expect(changes.at(-1)).toMatchObject({
      before: { status: 'in_stock' },
      after: { status: 'withdrawn' },
      reason: 'Scratched',
    });
  });

  test('a bar that is moved gets the denomination of its new city, of the same weight', async () => {
    const bar = await given();
    const own = { id: 'pk_tola_lahore', label: '1 tola bar', weight_g: 11.6638038 };
    const place = { country: 'PK', city: 'Lahore', active: true };
    expectStatus(await send(operators.by.admin.client, 'POST', '/denominations', { ...own, ...place }), 201);
    const moved = expectStatus(
      await patch(bar.bar_id, { city: 'Lahore', denomination_id: own.id }),
      200,
    ).body;
    expect(moved).toMatchObject({ city: 'Lahore', denomination_id: own.id, weight_g: bar.weight_g });
    for (const [id, message] of Object.entries({
      ae_kg_1: 'ae_kg_1 is of another weight than pk_tola_lahore, which the bar is of.',
      'no-such': 'There is no such denomination.',
    }))
      expect(await patch(bar.bar_id, { denomination_id: id })).toMatchObject({
        status: 400,
        body: { error: 'invalid_denomination', field: 'denomination_id', message },
      });
    expect((await get(`/bars/${bar.bar_id}`)).body).toEqual(moved);
  });

  test('a bar goes back into stock from a redemption, which then has none', async () => {
    const bar = await givenIn('reserved');
    const response = await patch(bar.bar_id, { status: 'in_stock', reason: 'The wrong one' });
    expect(response.body).toMatchObject({ status: 'in_stock', redemption_id: null });
    expect((await changesOf(h, 'bar', bar.bar_id)).at(-1)).toMatchObject({
      action: 'bar.release',
      before: { redemption_id: bar.redemption_id },
      after: { redemption_id: null },
    });
  });

  test.each(barStatuses)('a bar that is %s makes no other move', async (status) => {
    const bar = await givenIn(status);
    for (const to of ['in_stock', 'withdrawn'] as const) {
      const legal = to === status || ['in_stock withdrawn', 'reserved in_stock'].includes(`${status} ${to}`);
      if (legal) continue;
      expect(await patch(bar.bar_id, { status: to, reason: 'x' })).toMatchObject({
        status: 409,
        body: { error: 'transition_not_allowed', message: `A bar that is ${status} cannot become ${to}.` },
      });
    }
    if (status === 'in_stock') return;
    expect(await patch(bar.bar_id, { city: 'Lahore' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: `A bar that is ${status} cannot be changed.` },
    });
  });

  test.each([
    [{ status: 'handed_over' }, 'status'],
    [{ status: 'reserved' }, 'status'],
    [{ redemption_id: 'red_x' }, 'redemption_id'],
    [{ serial: 'A1' }, 'serial'],
    [{ role: 'admin' }, 'role'],
    [{ status: 'withdrawn' }, 'reason'],
    [{ fineness: 1000 }, 'fineness'],
    [{ weight_g: 5 }, 'weight_g'],
  ])('a bar is not changed by %j', async (body, field) => {
    const bar = await given();
    expect(await patch(bar.bar_id, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field },
    });
    expect((await get(`/bars/${bar.bar_id}`)).body).toEqual(bar);
  });

  test('a bar that two clerks withdraw at once is withdrawn once', async () => {
    const { bar_id: id } = await given();
    const responses = await Promise.all(
      ['one', 'two'].map((reason) => patch(id, { status: 'withdrawn', reason })),
    );
    const reasons = responses.map(({ body }) => body.reason);
    expect(new Set(reasons).size).toBe(1);
    expect(await changesOf(h, 'bar', id)).toHaveLength(2);
  });
});

describe('the database', () => {
  const permitted = ['in_stock reserved', 'in_stock withdrawn', 'reserved in_stock', 'reserved handed_over'];
  const pairs = barStatuses.flatMap((from) => barStatuses.map((to) => [from, to] as const));

  test.each(pairs)('the database lets a bar go from %s to %s only as the rules do', async (from, to) => {
    const bar = await givenIn(from);
    const redemption = ['reserved', 'handed_over'].includes(to)
      ? (bar.redemption_id ?? (await givenRedemption(h, owner, { status: 'preparing', bar: false })))
      : null;
    const reason = to === 'withdrawn' ? 'lost' : null;
    const { sql } = h.ctx;
    const moved = sql`update bars set status = ${to}, redemption_id = ${redemption}, reason = ${reason} where id = ${bar.bar_id}`;
    if (permitted.includes(`${from} ${to}`) || (from === to && from === 'in_stock'))
      await expect(moved).resolves.toBeDefined();
    else await expect(moved).rejects.toThrow(/does not become/);
  });

  test('the database keeps serials, deletes no bar, and begins with none that is handed over', async () => {
    const bar = await givenIn('reserved');
    const { sql } = h.ctx;
    await expect(sql`update bars set serial = 'B' where id = ${bar.bar_id}`).rejects.toThrow(
      /keeps its serial/,
    );
    await expect(sql`delete from bars where id = ${bar.bar_id}`).rejects.toThrow(/never deleted/);
    await expect(sql`
      insert into bars select (jsonb_populate_record(b, jsonb_build_object('id', ${newUuid()}::text, 'serial', 'C'))).*
      from bars b where id = ${bar.bar_id}`).rejects.toThrow(/begins in stock/);
    const other = await given();
    await expect(
      sql`update bars set status = 'reserved', redemption_id = ${bar.redemption_id} where id = ${other.bar_id}`,
    ).rejects.toThrow(/bars_one_a_redemption/);
  });
});

test('bars are found by status, city, denomination, serial and time', async () => {
  const bar = await given({
    serial: `Find-${newUuid()}`,
    city: 'Dubai',
    denomination_id: 'ae_kg_1',
    weight_g: 1000,
  });
  const idsOf = async (query: string) =>
    expectStatus(await get(`/bars?${query}`), 200).body.bars.map((one: { bar_id: string }) => one.bar_id);
  expect(await idsOf('city=dubai')).toEqual([bar.bar_id]);
  expect(await idsOf('denomination_id=ae_kg_1&status=in_stock')).toEqual([bar.bar_id]);
  expect(await idsOf(`serial=${bar.serial.toUpperCase()}`)).toEqual([bar.bar_id]);
  expect(await idsOf(`city=dubai&created_to=${new Date(h.clock.now() - 1).toISOString()}`)).toEqual([]);
  for (const none of ['city=Atlantis', 'denomination_id=none', 'serial=%00', 'city=dubai&status=reserved'])
    expect(await idsOf(none)).toEqual([]);
});

test('the stock shows what is there, what waits and what is short, and partners what they can have', async () => {
  const own = await harness();
  const people = await startOperators(own);
  await seedDenominations(own);
  const { client } = people.by.fulfilment;
  const user = await own.givenUser(own.main.partnerId);
  const whose = { partner: own.main, user };
  const stockOf = async (id: string) =>
    expectStatus(await client.get(`${operatorBase}/stock?denomination_id=${id}`), 200).body.stock;
  const availability = async () => {
    const { denominations } = expectStatus(await own.partner.get('/v1/denominations?country=PK'), 200).body;
    return denominations.find(({ id }: { id: string }) => id === tola.id).availability;
  };
  expect(await availability()).toBe('on_order');
  await send(client, 'POST', '/bars', { bars: [newBar(), newBar(), newBar({ city: 'Lahore' })] });
  expect(await availability()).toBe('in_stock');
  await givenRedemption(own, whose, { status: 'preparing', bar: false });
  for (const status of ['submitted', 'submitted', 'ready', 'collected', 'cancelled', 'quoted'] as const)
    await givenRedemption(own, whose, { status });
  expect(await stockOf(tola.id)).toEqual([
    {
      city: 'Karachi',
      denomination_id: tola.id,
      denomination: tola.label,
      weight_g: 11.6638038,
      in_stock: 2,
      reserved: 1,
      waiting: 3,
      short_by: 1,
    },
    expect.objectContaining({ city: 'Lahore', in_stock: 1, waiting: 0, short_by: 0 }),
  ]);
  expect(await availability()).toBe('on_order');
  const [waiting] = await own.ctx.sql`select id from redemptions where status = 'preparing'`;
  await own.ctx.sql`
    update bars set status = 'reserved', redemption_id = ${waiting?.id}
    where id = (select id from bars where city = 'Karachi' and status = 'in_stock' limit 1)`;
  expect((await stockOf(tola.id))[0]).toMatchObject({ in_stock: 1, reserved: 2, waiting: 2, short_by: 1 });
  const whole = expectStatus(await client.get(`${operatorBase}/stock`), 200).body.stock;
  expect(whole.map((one: { denomination_id: string }) => one.denomination_id)).not.toContain('pk_old');
  expect(await stockOf('none')).toEqual([]);
  const lahore = (await client.get(`${operatorBase}/stock?city=LAHORE`)).body.stock;
  expect(lahore.map((one: { city: string }) => one.city)).toEqual(['Lahore', 'Lahore']);
  await people.close();
  await own.close();
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operatorTransactions, pickupCodes } from '../../../src/db/schema.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { goldUnits } from '../../../src/domain/money.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import { requestHash } from '../../../src/domain/request-hash.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { type ApiResponse, clientOf, expectStatus, type Harness, harness, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { signatureNamed } from '../../named-keys.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, pickupCodeOf, seedDenominations, tola, wrongCodeFor } from '../../redeeming.js';
import { newBar } from './contract-routes.js';

let node: EscrowNode;
let h: Harness;
let operators: Operators;
let owner: Parameters<typeof givenRedemption>[1];
/** Operators of a process where what moves value takes two of them. */
let two: Operators;
beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: node.config });
  operators = await startOperators(h);
  const ctx = { ...h.ctx, config: { ...h.ctx.config, approvals: 2 } };
  two = await startOperators({ ctx, secrets: h.secrets });
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(async () => {
  await two.close();
  await operators.close();
  await h.close();
  await node.stop();
});

const given = (status: RedemptionStatus = 'ready') => givenRedemption(h, owner, { status });
const press = (id: string, move: string, body?: unknown, by = operators.by.fulfilment) =>
  by.client.post(`${operatorBase}/redemptions/${id}/${move}`, body);
const get = (id: string, role: keyof Operators['by'] = 'fulfilment') =>
  operators.by[role].client.get(`${operatorBase}/redemptions/${id}`);
const own = (id: string) => h.partner.get(`/v1/redemptions/${id}`);
async function givenBar(more: Record<string, unknown> = {}) {
  const { body } = await send(operators.by.admin.client, 'POST', '/bars', { bars: [newBar(more)] });
  return body.bars[0];
}
const barNow = async (id: string) =>
  (await operators.by.viewer.client.get(`${operatorBase}/bars/${id}`)).body;
const refused = (status: number, error: string, more: object = {}) => ({ status, body: { error, ...more } });

describe('a pickup code', () => {
  test('a pickup code is shown to the partner while the redemption is ready, and nowhere else', async () => {
    const id = await given('preparing');
    expect((await own(id)).body).not.toHaveProperty('pickup_code');
    expectStatus(await press(id, 'ready'), 200);
    const shown = await own(id);
    const code = shown.body.pickup_code;
    h.secrets.add(code);
    expect(code).toMatch(/^\d{8}$/);
    expect(shown.body.pickup_qr).toBe(`karat:pickup:${id}:${code}`);
    expect(shown.headers['cache-control']).toBe('no-store');
    expect((await own(id)).body.pickup_code).toBe(code);
    const elsewhere: ApiResponse[] = [
      await h.partner.get('/v1/redemptions'),
      await h.partner.get(`/v1/events?object_id=${id}`),
      await h.partner.get(`/v1/operations/${id}`),
      await get(id),
      await get(id, 'admin'),
      await operators.by.admin.client.get(`${operatorBase}/redemptions`),
      await operators.by.admin.client.get(`${operatorBase}/redemptions/${id}/receipt`),
      await operators.by.admin.client.get(`${operatorBase}/audit?object_id=${id}`),
    ];
    for (const response of elsewhere) {
      expectStatus(response, 200);
      expect(response.text).not.toContain(code);
    }
    expectStatus(await press(id, 'collect', { pickup_code: code }), 200);
    expect((await own(id)).body).not.toHaveProperty('pickup_code');
    expect((await own(id)).body).not.toHaveProperty('pickup_qr');
    // Nothing that is stored anywhere holds it: not responses that are kept, nor events, nor the log of changes.
    const tables = await h.ctx.sql`select tablename from pg_tables where schemaname = 'public'`;
    for (const { tablename } of tables) {
      const rows = await h.ctx.sql.unsafe(`select t::text as row from "${tablename}" t`);
      for (const { row } of rows) expect(row, tablename).not.toContain(code);
    }
    const metrics = await operators.app.inject({ method: 'GET', url: '/metrics' });
    expect(metrics.body).not.toContain(code);
  });

  test('a pickup code is not kept with the response of a request that is repeated', async () => {
    const id = await given();
    const key = { 'idempotency-key': `collect-${id}` };
    const body = { pickup_code: await pickupCodeOf(h, id) };
    const collect = () =>
      operators.by.fulfilment.client.post(`${operatorBase}/redemptions/${id}/collect`, body, key);
    const first = expectStatus(await collect(), 200);
    const again = expectStatus(await collect(), 200);
    expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', first.body]);
  });

  test('a pickup code cannot be found from what is kept of a request, and another code is another request', async () => {
    const id = await given();
    const key = { 'idempotency-key': `found-${id}` };
    const code = await pickupCodeOf(h, id);
    const collect = (body: object) =>
      operators.by.fulfilment.client.post(`${operatorBase}/redemptions/${id}/collect`, body, key);
    expectStatus(await collect({ pickup_code: code }), 200);
    const [kept] = await h.ctx.sql`
      select encode(request_hash, 'hex') as hash from idempotency_keys where key = ${`found-${id}`}`;
    const plain = requestHash([{ redemption_id: id }, { pickup_code: code }]);
    expect(kept?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(kept?.hash).not.toBe(Buffer.from(plain).toString('hex'));
    expect(await collect({ pickup_code: wrongCodeFor(code) })).toMatchObject(
      refused(409, 'idempotency_conflict'),
    );
  });

  test('a pickup code is another one for each redemption and each issue', async () => {
    const [one, other] = [await given(), await given()];
    const code = await pickupCodeOf(h, one);
    expect(await pickupCodeOf(h, other)).not.toBe(code);
    expect(await press(other, 'collect', { pickup_code: code })).toMatchObject(
      refused(400, 'pickup_code_wrong'),
    );
    expectStatus(await press(one, 'reissue-code'), 200);
    const next = await pickupCodeOf(h, one);
    expect(next).not.toBe(code);
    expect(await press(one, 'collect', { pickup_code: code })).toMatchObject(
      refused(400, 'pickup_code_wrong'),
    );
    expectStatus(await press(one, 'collect', { pickup_code: next }), 200);
  });

  test('a wrong pickup code is counted and audited, and the fifth locks it until another is issued', async () => {
    const id = await given();
    const right = await pickupCodeOf(h, id);
    for (let left = 4; left >= 0; left -= 1) {
      expect(await press(id, 'collect', { pickup_code: wrongCodeFor(right) })).toMatchObject(
        refused(400, 'pickup_code_wrong', { field: 'pickup_code', attempts_left: left }),
      );
      expect((await get(id)).body.pickup).toMatchObject({ attempts_left: left, locked: left === 0 });
    }
    for (const code of [right, wrongCodeFor(right)]) {
      expect(await press(id, 'collect', { pickup_code: code })).toMatchObject(
        refused(409, 'pickup_code_locked'),
      );
    }
    const changes = await changesOf(h, 'redemption', id);
    expect(changes.map(({ action, after }) => [action, after])).toEqual(
      [4, 3, 2, 1, 0].map((left) => ['redemption.wrong_code', { attempts_left: left }]),
    );
    h.clock.advance(1_000);
    const { body } = expectStatus(await press(id, 'reissue-code', { reason: 'Mistyped' }), 200);
    expect(body).toEqual({ redemption_id: id, code_issued_at: new Date(h.clock.now()).toISOString() });
    expect((await get(id)).body.pickup).toEqual({
      code_issued_at: body.code_issued_at,
      attempts_left: 5,
      locked: false,
    });
    expect((await changesOf(h, 'redemption', id)).at(-1)).toMatchObject({
      action: 'redemption.reissue_code',
      before: { attempts_left: 0 },
      after: { attempts_left: 5 },
      reason: 'Mistyped',
    });
    expectStatus(await press(id, 'collect', { pickup_code: await pickupCodeOf(h, id) }), 200);
  });

  test('a pickup code of one redemption opens no other, and guesses across redemptions lock each after five', async () => {
    const ids = await Promise.all([given(), given(), given()]);
    const codes = await Promise.all(ids.map((id) => pickupCodeOf(h, id)));
    for (const [at, id] of ids.entries()) {
      const others = codes.filter((code) => code !== codes[at]);
      for (const [tried, code] of [...others, ...others, ...others].slice(0, 5).entries()) {
        expect(await press(id, 'collect', { pickup_code: code })).toMatchObject(
          refused(400, 'pickup_code_wrong', { attempts_left: 4 - tried }),
        );
      }
      // What was guessed at one counts nowhere else.
      for (const later of ids.slice(at + 1))
        expect((await get(later)).body.pickup).toMatchObject({ attempts_left: 5, locked: false });
      expect(await press(id, 'collect', { pickup_code: codes[at] })).toMatchObject(
        refused(409, 'pickup_code_locked'),
      );
    }
  });

  test('a pickup code is tried five times at most, however many clerks try at once, in two processes', async () => {
    const id = await given();
    const right = await pickupCodeOf(h, id);
    const other = await buildOperatorApp(h.ctx);
    const headers = { authorization: `Bearer ${operators.by.admin.token}` };
    const clients = [operators.by.fulfilment.client, clientOf(other, headers)];
    const wrong = Array.from({ length: 12 }, (_, at) => String(at).padStart(8, '0')).filter(
      (code) => code !== right,
    );
    const responses = await Promise.all(
      wrong.map((code, at) =>
        clients[at % 2]?.post(`${operatorBase}/redemptions/${id}/collect`, { pickup_code: code }),
      ),
    );
    const codes = responses.map((response) => response?.body.error);
    expect(codes.filter((code) => code === 'pickup_code_wrong')).toHaveLength(5);
    expect(codes.filter((code) => code === 'pickup_code_locked')).toHaveLength(wrong.length - 5);
    const left = responses.flatMap((response) => response?.body.attempts_left ?? []);
    expect(left.toSorted()).toEqual([0, 1, 2, 3, 4]);
    await other.close();
  });

  test('a pickup code that two clerks type at once is taken once', async () => {
    const id = await given();
    const body = { pickup_code: await pickupCodeOf(h, id) };
    const responses = await Promise.all([1, 2, 3].map(() => press(id, 'collect', body)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    for (const { status, body } of responses)
      if (status === 409) expect(body.error).toBe('transition_not_allowed');
  });

  test.each([
    [{}, 'pickup_code'],
    [{ pickup_code: '1234567' }, 'pickup_code'],
    [{ pickup_code: '12345678 ' }, 'pickup_code'],
    [{ pickup_code: '1234567x' }, 'pickup_code'],
    [{ pickup_code: '١٢٣٤٥٦٧٨' }, 'pickup_code'],
    [{ pickup_code: 12_345_678 }, 'pickup_code'],
    [{ pickup_code: '12345678', without_code: { reason: 'x' } }, 'without_code'],
    [{ without_code: {} }, 'without_code.reason'],
    [{ without_code: true }, 'without_code'],
    [{ pickup_code: '12345678', status: 'collected' }, 'status'],
  ])('a pickup code %j is malformed, and no try', async (body, field) => {
    const id = await given();
    expect(await press(id, 'collect', body)).toMatchObject(refused(400, 'invalid_request', { field }));
    expect((await get(id)).body.pickup.attempts_left).toBe(5);
  });

  test.each(['submitted', 'preparing', 'collected', 'cancelled'] as const)(
    'a pickup code is neither tried nor issued while the redemption is %s',
    async (status) => {
      const id = await given(status);
      for (const move of ['collect', 'reissue-code']) {
        const body = move === 'collect' ? { pickup_code: '00000000' } : {};
        expect(await press(id, move, body)).toMatchObject(refused(409, 'transition_not_allowed'));
      }
      expect((await get(id)).body.pickup).toBeNull();
    },
  );

  test('a pickup code that was issued with another secret is not shown as a wrong one', async () => {
    const id = await given();
    await h.ctx.db.update(pickupCodes).set({ hash: new Uint8Array(32) });
    expect((await own(id)).body).not.toHaveProperty('pickup_code');
  });

  test('a pickup code is not issued by a process without the secret', async () => {
    const ctx = { ...h.ctx, config: { ...h.ctx.config, pickupSecret: undefined } };
    const app = await buildOperatorApp(ctx);
    const client = clientOf(app, { authorization: `Bearer ${operators.by.admin.token}` });
    const id = await given('preparing');
    const response = await client.post(`${operatorBase}/redemptions/${id}/ready`);
    expect(response).toMatchObject(refused(503, 'service_unavailable'));
    expect((await get(id)).body.status).toBe('preparing');
    await app.close();
  });
});

test('a hand-over waits for a refund that is being recorded, and is refused by it', async () => {
  const id = await given();
  const code = await pickupCodeOf(h, id);
  let response: Promise<ApiResponse> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    const [refund, at] = [newUuid(), new Date(h.clock.now())];
    await tx.insert(operatorTransactions).values({
      ...{ id: refund, kind: 'refund', status: 'confirmed', redemptionId: id, amount: goldUnits(380_625n) },
      ...{ txSignature: signatureNamed(refund), lastValidBlockHeight: 10n, slot: 9n },
      ...{ createdAt: at, updatedAt: at },
    });
    response = press(id, 'collect', { pickup_code: code });
    await eventually(async () => {
      const waiting = await h.ctx.sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%"redemptions"%'`;
      expect(waiting).toHaveLength(1);
    }, 10_000);
  });
  expect(await response).toMatchObject(refused(409, 'transition_not_allowed'));
  expect((await get(id)).body).toMatchObject({ status: 'ready', pickup: { attempts_left: 5 } });
});

describe('a hand-over made without a code', () => {
  const withoutCode = { without_code: { reason: 'The phone was stolen' }, note: 'Passport seen' };

  test('a hand-over without a code takes one person where one is enough, with the reason in the log', async () => {
    const id = await given();
    expect(expectStatus(await press(id, 'collect', withoutCode), 200).body).toMatchObject({
      redemption_id: id,
      status: 'collected',
    });
    expect((await changesOf(h, 'redemption', id)).at(-1)).toMatchObject({
      action: 'redemption.collect',
      reason: 'The phone was stolen',
    });
    expect((await get(id)).body.history.at(-1).note).toBe('Passport seen');
  });

  test('a hand-over made without a code takes a second person who sees what will be done, also while the code is locked', async () => {
    const bar = await givenBar();
    const id = await given('preparing');
    expectStatus(await press(id, 'ready', { bar_serial: bar.serial }), 200);
    const right = await pickupCodeOf(h, id);
    for (let tries = 0; tries < 5; tries += 1)
      await press(id, 'collect', { pickup_code: wrongCodeFor(right) });
    const requested = expectStatus(await press(id, 'collect', withoutCode, two.by.fulfilment), 202).body;
    expect((await get(id)).body.status).toBe('ready');
    const { approvals } = (await two.by.admin.client.get(`${operatorBase}/approvals?status=pending`)).body;
    expect(approvals[0]).toMatchObject({
      approval_id: requested.approval_id,
      action: 'redemption.collect',
      object_id: id,
      request: { redemption_id: id, without_code: withoutCode.without_code, note: 'Passport seen' },
      before: { status: 'ready', bar_serial: bar.serial },
    });
    const decide = (by: Operators['by']['admin'], end = 'approve') =>
      by.client.post(`${operatorBase}/approvals/${requested.approval_id}/${end}`);
    expect(await decide(two.by.fulfilment)).toMatchObject(refused(403, 'forbidden'));
    expect(await decide(two.by.compliance)).toMatchObject(refused(403, 'insufficient_scope'));
    expect(expectStatus(await decide(two.by.admin), 200).body).toMatchObject({
      redemption_id: id,
      status: 'collected',
    });
    expect(await barNow(bar.bar_id)).toMatchObject({ status: 'handed_over', redemption_id: id });
    // The one at the counter handed it over; the log has both.
    const clerk = two.by.fulfilment.operatorId;
    expect((await get(id)).body.history.at(-1)).toMatchObject({
      ...{ to: 'collected', actor: `operator:${clerk}`, actor_name: 'The fulfilment' },
    });
    const receipt = await two.by.admin.client.get(`${operatorBase}/redemptions/${id}/receipt`);
    expect(receipt.body.handed_over_by).toBe('The fulfilment');
    const author = async (type: string, of: string) =>
      (await changesOf(h, type, of)).map(({ action, operatorId }) => [action, operatorId]);
    expect(await author('approval', requested.approval_id)).toEqual([
      ['approval.request', clerk],
      ['approval.approve', two.by.admin.operatorId],
    ]);
    expect((await author('redemption', id)).at(-1)).toEqual(['redemption.collect', two.by.admin.operatorId]);
  });

  test('a requested hand-over without a code is void once the bar is another', async () => {
    const [bar, other] = [await givenBar(), await givenBar()];
    const id = await given('preparing');
    expectStatus(await press(id, 'ready', { bar_serial: bar.serial }), 200);
    const requested = expectStatus(await press(id, 'collect', withoutCode, two.by.fulfilment), 202).body;
    expectStatus(
      await send(operators.by.fulfilment.client, 'PATCH', `/bars/${bar.bar_id}`, { status: 'in_stock' }),
      200,
    );
    expect(other.status).toBe('in_stock');
    const approve = await two.by.admin.client.post(
      `${operatorBase}/approvals/${requested.approval_id}/approve`,
    );
    expect(approve).toMatchObject(refused(409, 'transition_not_allowed'));
    expect((await get(id)).body.status).toBe('ready');
  });
});

describe('the bar of a redemption', () => {
  test('the bar of a redemption is reserved at prepare, replaced at ready, and handed over', async () => {
    const [first, second] = [await givenBar(), await givenBar()];
    const id = await given('submitted');
    expectStatus(await press(id, 'prepare', { bar_serial: first.serial.toLowerCase() }), 200);
    expect((await get(id)).body.bar).toMatchObject({ bar_id: first.bar_id, status: 'reserved' });
    expectStatus(await press(id, 'ready', { bar_serial: second.serial, bar_refiner: 'valcambi' }), 200);
    expect(await barNow(first.bar_id)).toMatchObject({ status: 'in_stock', redemption_id: null });
    expectStatus(await press(id, 'collect', { pickup_code: await pickupCodeOf(h, id) }), 200);
    expect((await get(id)).body.bar).toMatchObject({ bar_id: second.bar_id, status: 'handed_over' });
    const actions = async (bar: { bar_id: string }) =>
      (await changesOf(h, 'bar', bar.bar_id)).map(({ action }) => action);
    expect(await actions(first)).toEqual(['bar.add', 'bar.reserve', 'bar.release']);
    expect(await actions(second)).toEqual(['bar.add', 'bar.reserve', 'bar.hand_over']);
    expect((await operators.by.viewer.client.get(`${operatorBase}/audit/verify`)).body.ok).toBe(true);
  });

  test('the bar of a redemption that cannot be had is refused, and the redemption stays', async () => {
    const taken = await givenBar();
    const holder = await given('submitted');
    expectStatus(await press(holder, 'prepare', { bar_serial: taken.serial }), 200);
    const elsewhere = await givenBar({ city: 'Lahore' });
    const heavier = await givenBar({ denomination_id: 'pk_oz_1', weight_g: 31.1034768 });
    const id = await given('submitted');
    for (const [serial, message] of [
      ['none', 'There is no bar none.'],
      ['\u0000', 'There is no bar \u0000.'],
      [taken.serial, `The bar ${taken.serial} is reserved.`],
      [elsewhere.serial, `The bar ${elsewhere.serial} is in Lahore, not in Karachi.`],
      [heavier.serial, `The bar ${heavier.serial} is no ${tola.label}.`],
    ]) {
      expect(await press(id, 'prepare', { bar_serial: serial })).toMatchObject(
        refused(409, 'bar_not_available', { field: 'bar_serial', message }),
      );
    }
    expect((await get(id)).body).toMatchObject({ status: 'submitted', bar: null });
    expect(await changesOf(h, 'redemption', id)).toEqual([]);
  });

  test('the bar of a redemption that two clerks swap with each other is refused to both, and neither waits for ever', async () => {
    const swapped = [await givenBar(), await givenBar()];
    const without = () => givenRedemption(h, owner, { status: 'preparing', bar: false });
    const ids = [await without(), await without()];
    const { sql } = h.ctx;
    for (const [at, id] of ids.entries())
      await sql`update bars set status = 'reserved', redemption_id = ${id} where id = ${swapped[at].bar_id}`;
    let responses: Promise<ApiResponse[]> | undefined;
    await sql.begin(async (tx) => {
      for (const { bar_id: barId } of swapped) await tx`select 1 from bars where id = ${barId} for update`;
      responses = Promise.all(
        ids.map((id, at) => press(id, 'ready', { bar_serial: swapped[1 - at].serial })),
      );
      await eventually(async () => {
        const waiting = await sql`
          select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%"bars"%'`;
        expect(waiting).toHaveLength(2);
      }, 10_000);
    });
    for (const response of (await responses) ?? [])
      expect(response).toMatchObject(refused(409, 'bar_not_available', { field: 'bar_serial' }));
  });

  test('the bar of a redemption of two refiners needs the refiner, however both are typed', async () => {
    const serial = `S-${newId('red').slice(-8)}`;
    await givenBar({ serial });
    const other = await givenBar({ serial, refiner: 'PAMP' });
    const id = await given('submitted');
    expect(await press(id, 'prepare', { bar_serial: serial })).toMatchObject(
      refused(409, 'bar_not_available'),
    );
    const typed = { bar_serial: ` ${serial.replace('-', '\u2011')}`, bar_refiner: 'p\uff41mp' };
    expectStatus(await press(id, 'prepare', typed), 200);
    expect((await get(id)).body.bar.bar_id).toBe(other.bar_id);
  });

  test('the bar of a redemption that two clerks want at once goes to one', async () => {
    const bar = await givenBar();
    const ids = [await given('submitted'), await given('submitted'), await given('submitted')];
    const responses = await Promise.all(ids.map((id) => press(id, 'prepare', { bar_serial: bar.serial })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  test('the bar that was put back is reserved again where collect names it, and refused where another has it', async () => {
    const [bar, taken] = [await givenBar(), await givenBar()];
    const [id, other] = [await given('preparing'), await given('preparing')];
    const putBack = (one: { bar_id: string }) =>
      send(operators.by.fulfilment.client, 'PATCH', `/bars/${one.bar_id}`, { status: 'in_stock' });
    expectStatus(await press(id, 'ready', { bar_serial: taken.serial }), 200);
    expectStatus(await putBack(taken), 200);
    expectStatus(await press(other, 'ready', { bar_serial: taken.serial }), 200);
    const code = { pickup_code: await pickupCodeOf(h, id) };
    expect(await press(id, 'collect', { ...code, bar_serial: taken.serial })).toMatchObject(
      refused(409, 'bar_not_available', { message: `The bar ${taken.serial} is reserved.` }),
    );
    expect((await get(id)).body.status).toBe('ready');
    expectStatus(await press(id, 'collect', { ...code, bar_serial: bar.serial }), 200);
    expect(await barNow(bar.bar_id)).toMatchObject({ status: 'handed_over', redemption_id: id });
  });

  test('the bar of a redemption goes back into stock when the redemption is cancelled', async () => {
    const bar = await givenBar();
    const id = await given('cancellation_requested');
    await h.ctx.sql`update bars set status = 'reserved', redemption_id = ${id} where id = ${bar.bar_id}`;
    expectStatus(await press(id, 'cancel', { physical_gold_committed: false }), 200);
    expect(await barNow(bar.bar_id)).toMatchObject({ status: 'in_stock', redemption_id: null });
  });
});

describe('the customer', () => {
  async function givenCustomer(idNumber: unknown) {
    const wallet = newWallet();
    const made = await h.partner.post('/v1/users', {
      user_id: `customer-${wallet.address}`,
      wallet_address: wallet.address,
      kyc: {
        country: 'PK',
        full_name: 'Ayesha Khan',
        kyc_provider: 'sumsub',
        kyc_level: 'full',
        kyc_verified_at: '2025-03-01T12:00:00Z',
        kyc_data: { id_type: 'cnic', id_number: idNumber, address: 'Clifton' },
      },
    });
    const user = { id: expectStatus(made, 201).body.service_user_id, wallet };
    return givenRedemption(h, { partner: h.main, user }, { status: 'ready' });
  }

  test('the customer is shown to those who may hand over, with the number masked', async () => {
    const id = await givenCustomer('42101-1234567-1');
    for (const role of ['fulfilment', 'admin'] as const) {
      const { headers, body } = await get(id, role);
      expect(headers['cache-control']).toBe('no-store');
      const { customer } = body;
      expect(customer).toEqual({
        user_id: expect.stringMatching(/^customer-/),
        full_name: 'Ayesha Khan',
        country: 'PK',
        id_type: 'cnic',
        id_number_masked: '****67-1',
      });
    }
    for (const role of ['viewer', 'compliance'] as const) {
      const response = await get(id, role);
      expect(response.body.customer).toBeNull();
      expect(response.text).not.toContain('Ayesha');
    }
    expect((await get(await givenCustomer('1234567'))).body.customer.id_number_masked).toBe('****');
    expect((await get(await given('submitted'))).body.customer).toMatchObject({
      id_type: null,
      id_number_masked: null,
    });
  });

  test('the customer is revealed to compliance and admin, with a row of the log each time that holds nothing of it', async () => {
    const number = '35202-7654321-9';
    const id = await givenCustomer(number);
    h.secrets.add(number);
    const reason = { reason: 'The photo looks different' };
    for (const role of ['compliance', 'admin', 'admin'] as const) {
      const response = await press(id, 'reveal-identity', reason, operators.by[role]);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(expectStatus(response, 200).body).toEqual({
        id_type: 'cnic',
        id_number: number,
        kyc_data: { id_type: 'cnic', id_number: number, address: 'Clifton' },
      });
    }
    const changes = await changesOf(h, 'redemption', id);
    expect(changes).toHaveLength(3);
    for (const change of changes)
      expect(change).toMatchObject({
        action: 'redemption.reveal_identity',
        before: null,
        after: null,
        reason: reason.reason,
      });
    for (const role of ['viewer', 'fulfilment'] as const) {
      expect(await press(id, 'reveal-identity', reason, operators.by[role])).toMatchObject(
        refused(403, 'insufficient_scope'),
      );
    }
    expect(await changesOf(h, 'redemption', id)).toHaveLength(3);
    const stored = await h.ctx.sql`select response from idempotency_keys where response like '%35202%'`;
    expect(stored).toHaveLength(0);
  });

  test('the customer is not stored again with an Idempotency-Key', async () => {
    const id = await givenCustomer('42101-7654321-3');
    const { client } = operators.by.compliance;
    const path = `${operatorBase}/redemptions/${id}/reveal-identity`;
    const key = { 'idempotency-key': 'reveal' };
    for (let times = 0; times < 2; times += 1) {
      const response = expectStatus(await client.post(path, { reason: 'x' }, key), 200);
      expect(response.headers['idempotency-replayed']).toBeUndefined();
    }
    expect(await changesOf(h, 'redemption', id)).toHaveLength(2);
  });
});

test('the receipt has everything that is printed, for those who hand over', async () => {
  const bar = await givenBar();
  const id = await given('submitted');
  expect(await operators.by.fulfilment.client.get(`${operatorBase}/redemptions/${id}/receipt`)).toMatchObject(
    refused(409, 'transition_not_allowed'),
  );
  expectStatus(await press(id, 'prepare', { bar_serial: bar.serial }), 200);
  expectStatus(await press(id, 'ready'), 200);
  const receipt = async () =>
    expectStatus(await operators.by.fulfilment.client.get(`${operatorBase}/redemptions/${id}/receipt`), 200)
      .body;
  expect(await receipt()).toMatchObject({ status: 'ready', collected_at: null, handed_over_by: null });
  h.clock.advance(5_000);
  expectStatus(await press(id, 'collect', { pickup_code: await pickupCodeOf(h, id) }), 200);
  const record = (await own(id)).body;
  expect(await receipt()).toEqual({
    redemption_id: id,
    status: 'collected',
    issuer: null,
    partner_id: h.main.partnerId,
    partner_name: 'Acme Gold',
    customer: (await get(id)).body.customer,
    wallet_address: owner.user.wallet.address,
    city: 'Karachi',
    denomination: tola.label,
    weight_g: 11.6638038,
    weight_troy_oz: 0.375,
    bar: expect.objectContaining({ bar_id: bar.bar_id, fineness: 999.9, status: 'handed_over' }),
    tokens: '0.380625',
    quote: record.quote,
    tx_hash: record.submitted_tx_hash,
    quoted_at: record.created_at,
    paid_at: expect.any(String),
    prepared_at: expect.any(String),
    ready_at: expect.any(String),
    collected_at: new Date(h.clock.now()).toISOString(),
    handed_over_by: 'The fulfilment',
    issued_at: new Date(h.clock.now()).toISOString(),
  });
  const receiptIssuer = { name: 'Karat DMCC', address: 'Dubai', registrationNumber: 'DMCC-1' };
  const named = await startOperators({
    ctx: { ...h.ctx, config: { ...h.ctx.config, receiptIssuer } },
    secrets: h.secrets,
  });
  try {
    const ours = await named.by.fulfilment.client.get(`${operatorBase}/redemptions/${id}/receipt`);
    expect(expectStatus(ours, 200).body.issuer).toEqual({
      ...{ name: 'Karat DMCC', address: 'Dubai', registration_number: 'DMCC-1' },
    });
  } finally {
    await named.close();
  }
});

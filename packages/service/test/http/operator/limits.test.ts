import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { claimVelocity } from '../../../src/db/limits/velocity.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import {
  type ApiResponse,
  type Client,
  clientOf,
  expectStatus,
  type Harness,
  harness,
  watchResponses,
} from '../../harness.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  send,
  startOperators,
} from '../../operators.js';

let h: Harness;
let operators: Operators;
/** The same service, where what loosens takes two people. */
let two: Awaited<ReturnType<typeof buildOperatorApp>>;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  const config = { ...h.ctx.config, approvals: 2 };
  two = await buildOperatorApp({ ...h.ctx, config }, { extend: watchResponses });
});
afterEach(() => h.ctx.sql`delete from velocity_limits`);
afterAll(async () => {
  await two.close();
  await operators.close();
  await h.close();
});

const get = (path: string, client = operators.by.viewer.client) => client.get(`${operatorBase}${path}`);
const put = (path: string, body: object, client = operators.by.compliance.client) =>
  send(client, 'PUT', path, body);
const inTwo = ({ token }: GivenOperator): Client => clientOf(two, { authorization: `Bearer ${token}` });
const ok = (response: ApiResponse) => expectStatus(response, 200).body;
const values = (more: object = {}) => ({
  user_daily_usdc: null,
  user_daily_gold: null,
  partner_daily_usdc: null,
  partner_daily_gold: null,
  ...more,
});

test('limits of the service hold for partners and users until these have their own', async () => {
  const user = await h.givenUser(h.main.partnerId);
  const [ofService, ofPartner, ofUser] = [
    '/limits',
    `/partners/${h.main.partnerId}/limits`,
    `/users/${user.id}/limits`,
  ];
  expect(ok(await get(ofService))).toEqual({ own: values(), effective: values(), used: null });
  const nothing = { usdc: 0, gold: 0 };
  expect(ok(await get(ofUser))).toEqual({ own: values(), effective: values(), used: nothing });
  const service = { user_daily_usdc: 100.5, user_daily_gold: 2, partner_daily_usdc: 1_000 };
  expect(ok(await put(ofService, service))).toEqual({
    own: values(service),
    effective: values(service),
    used: null,
  });
  expect(ok(await put(ofPartner, { user_daily_usdc: 200 }))).toEqual({
    own: values({ user_daily_usdc: 200 }),
    effective: values({ ...service, user_daily_usdc: 200 }),
    used: nothing,
  });
  expect(ok(await put(ofUser, { user_daily_gold: 0 }))).toEqual({
    own: values({ user_daily_gold: 0 }),
    effective: values({ ...service, user_daily_usdc: 200, user_daily_gold: 0 }),
    used: nothing,
  });
  expect(ok(await put(ofPartner, {})).effective).toEqual(values(service));
  expect(ok(await get(ofUser)).effective).toEqual(values({ ...service, user_daily_gold: 0 }));
});

test('the view of a user and of a partner has what was moved', async () => {
  const user = await h.givenUser(h.main.partnerId);
  const at = new Date(h.ctx.clock.now());
  const before = ok(await get(`/partners/${h.main.partnerId}/limits`)).used;
  const moved = { quoteId: newId('trd'), userId: user.id, partnerId: h.main.partnerId };
  await h.ctx.db.transaction((tx) => claimVelocity(tx, { ...moved, usdc: 1_500_000n, gold: 250_000n }, at));
  expect(ok(await get(`/users/${user.id}/limits`)).used).toEqual({ usdc: 1.5, gold: 0.25 });
  const after = ok(await get(`/partners/${h.main.partnerId}/limits`)).used;
  expect([after.usdc - before.usdc, after.gold - before.gold]).toEqual([1.5, 0.25]);
  h.clock.advance(24 * 3_600_000);
  expect(ok(await get(`/users/${user.id}/limits`)).used).toEqual({ usdc: 0, gold: 0 });
});

test('a change is in the audit log with what was before, and none leaves no trace', async () => {
  const { partnerId } = await h.givenPartner();
  const path = `/partners/${partnerId}/limits`;
  await put(path, { partner_daily_gold: 5 });
  await put(path, { partner_daily_gold: 5 });
  await put(path, {});
  const { operatorId } = operators.by.compliance;
  const row = { action: 'limits.change', reason: null, operatorId };
  expect(await changesOf(h, 'limits', partnerId)).toEqual([
    { ...row, before: {}, after: { partner_daily_gold: 5 } },
    { ...row, before: { partner_daily_gold: 5 }, after: {} },
  ]);
});

test('a change of limits is decided by another officer of compliance, who decides nothing else', async () => {
  const { partnerId } = await h.givenPartner();
  const path = `/partners/${partnerId}/limits`;
  const [asking, deciding] = [
    inTwo(operators.by.compliance),
    inTwo(await operators.givenOperator('compliance')),
  ];
  const ask = async () =>
    expectStatus(await put(path, { user_daily_usdc: 1_000_000 }, asking), 202).body.approval_id;
  const decide = (client: Client, id: string, decision: string, body = {}) =>
    send(client, 'POST', `/approvals/${id}/${decision}`, body);
  const offered = async (client: Client, id: string) => {
    const { approvals } = ok(await get('/approvals?status=pending', client));
    return approvals.find((one: { approval_id: string }) => one.approval_id === id).available_actions;
  };
  const first = await ask();
  expect([await offered(asking, first), await offered(deciding, first)]).toEqual([[], ['approve', 'reject']]);
  expect((await decide(asking, first, 'approve')).body.error).toBe('forbidden');
  ok(await decide(deciding, first, 'reject', { reason: 'Too much' }));
  expect(ok(await decide(deciding, await ask(), 'approve')).own).toEqual(
    values({ user_daily_usdc: 1_000_000 }),
  );

  const admin = inTwo(operators.by.admin);
  const change = { fee_percentage: 0.07 };
  const { approval_id: other } = expectStatus(
    await send(admin, 'PATCH', `/partners/${partnerId}`, change),
    202,
  ).body;
  expect(await offered(deciding, other)).toEqual([]);
  for (const decision of ['approve', 'reject'])
    expect(
      (await decide(deciding, other, decision, decision === 'reject' ? { reason: 'no' } : {})).body,
    ).toMatchObject({
      error: 'insufficient_scope',
      message: 'The role compliance may not decide this.',
    });
});

test('a loosened limit takes two people, a tightened one takes one', async () => {
  const { partnerId } = await h.givenPartner();
  const path = `/partners/${partnerId}/limits`;
  const officer = inTwo(operators.by.compliance);
  ok(await put('/limits', { user_daily_usdc: 200 }, officer));
  expect(ok(await put(path, { user_daily_usdc: 100 }, officer)).own).toEqual(
    values({ user_daily_usdc: 100 }),
  );
  for (const body of [{ user_daily_usdc: 101 }, {}]) {
    const waiting = expectStatus(await put(path, body, officer), 202).body;
    expect(expectStatus(await put(path, body, officer), 409).body.error).toBe('transition_not_allowed');
    const approve = (client: Client) => send(client, 'POST', `/approvals/${waiting.approval_id}/approve`);
    expect((await approve(inTwo(operators.by.fulfilment))).status).toBe(403);
    expect(ok(await approve(inTwo(operators.by.admin))).own).toEqual(values(body));
  }
  const actions = (await changesOf(h, 'limits', partnerId)).map(({ action }) => action);
  expect(actions).toEqual(['limits.change', 'limits.change', 'limits.change']);
});

test('an approval is void once the limits, or those above, are others', async () => {
  const { partnerId } = await h.givenPartner();
  const path = `/partners/${partnerId}/limits`;
  const officer = inTwo(operators.by.compliance);
  ok(await put('/limits', { user_daily_usdc: 100 }, officer));
  ok(await put(path, { user_daily_usdc: 100 }, officer));
  const waiting = expectStatus(await put(path, { user_daily_usdc: 500 }, officer), 202).body;
  ok(await put(path, { user_daily_usdc: 50 }, officer));
  const approval = `/approvals/${waiting.approval_id}/approve`;
  const response = await send(inTwo(operators.by.admin), 'POST', approval);
  expect(expectStatus(response, 409).body.error).toBe('transition_not_allowed');
  expect(ok(await get(path)).own).toEqual(values({ user_daily_usdc: 50 }));
});

test('limits of a user that those of the partner cover take one person, higher ones take two', async () => {
  const { partnerId } = await h.givenPartner();
  const user = await h.givenUser(partnerId);
  const officer = inTwo(operators.by.compliance);
  ok(await put(`/partners/${partnerId}/limits`, { user_daily_usdc: 100, user_daily_gold: 1 }));
  const path = `/users/${user.id}/limits`;
  ok(await put(path, { user_daily_usdc: 40, user_daily_gold: 1 }, officer));
  expectStatus(await put(path, { user_daily_usdc: 101, user_daily_gold: 1 }, officer), 202);
});

test('a limit that one set later would not lower takes two people, also while none is set', async () => {
  const { partnerId } = await h.givenPartner();
  const user = await h.givenUser(partnerId);
  const officer = inTwo(operators.by.compliance);
  for (const path of [`/partners/${partnerId}/limits`, `/users/${user.id}/limits`]) {
    expectStatus(await put(path, { user_daily_usdc: 1_000_000 }, officer), 202);
    expect(ok(await get(path)).own).toEqual(values());
  }
  ok(await put('/limits', { user_daily_usdc: 100 }, officer));
  expect(ok(await get(`/users/${user.id}/limits`)).effective).toEqual(values({ user_daily_usdc: 100 }));
});

test('unknown partners and users are 404, an invalid amount is 400', async () => {
  expect((await put(`/partners/${newUuid()}/limits`, {})).body.error).toBe('partner_not_found');
  expect((await put(`/users/${newId('gu')}/limits`, {})).body.error).toBe('user_not_found');
  expect((await put('/limits', { user_daily_usdc: -1 })).body).toMatchObject({
    error: 'invalid_request',
    field: 'user_daily_usdc',
  });
  expect((await put('/limits', { user_daily_gold: 0.0000001 })).body).toMatchObject({
    error: 'invalid_request',
    field: 'user_daily_gold',
    message: 'user_daily_gold can have at most 6 decimals.',
  });
  const { partnerId } = h.main;
  const user = await h.givenUser(partnerId);
  expect((await put(`/users/${user.id}/limits`, { partner_daily_usdc: 1 })).status).toBe(400);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertPerson } from '../../../src/db/people/people.js';
import { newUuid } from '../../../src/domain/ids.js';
import { type MemberRole, memberRoles } from '../../../src/domain/member.js';
import { describePartnerApi } from '../../../src/http/app.js';
import { clientOf, expectStatus, type Harness, harness } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import {
  accept as acceptIn,
  givenMember,
  invited as inviteTo,
  json,
  open as openPage,
  page,
  password,
  withPage,
} from '../../members.js';
import { userBody } from '../surfaces/world.js';

let h: Harness;
beforeAll(async () => {
  h = await harness({
    config: {
      secondFactor: 'optional',
      webhooksAllowLocal: true,
      authRateLimitPerMinute: 100_000,
      keyRateLimitPerMinute: 100_000,
    },
  });
});
afterAll(() => h.close());

const open = () => openPage(h);
const invited = (partnerId: string, role: MemberRole, email?: string) => inviteTo(h, partnerId, role, email);
const accept = (token: string, name?: string) => acceptIn(h, token, name);
const member = (partnerId: string, role: MemberRole) => givenMember(h, partnerId, role);

const change = (
  client: ReturnType<typeof open>,
  method: 'PATCH' | 'DELETE' | 'POST',
  url: string,
  body?: unknown,
) =>
  client.send({
    method,
    url,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
  });

describe('an invitation', () => {
  test('an invitation makes a member once, who signs in and is shown with the role', async () => {
    const { token, email } = await invited(h.main.partnerId, 'developer', `Sana.${newUuid()}@Karat.test`);
    expectStatus(await accept(token), 201);
    expect(await accept(token)).toMatchObject({ status: 400, body: { error: 'invalid_invitation' } });
    const opened = expectStatus(
      await open().send({
        method: 'POST',
        url: '/v1/session',
        ...withPage(json({ email: email.toUpperCase(), password })),
      }),
      200,
    );
    expect(opened.body).toMatchObject({
      email: email.toLowerCase(),
      role: 'developer',
      partner_id: h.main.partnerId,
    });
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^karat_portal=\S+; .*Path=\/v1; HttpOnly; .*SameSite=Strict/,
    );
  });

  test('an invitation that is used, unknown, withdrawn, expired, or for a taken address has one response', async () => {
    const taken = await member(h.main.partnerId, 'viewer');
    const used = await invited(h.main.partnerId, 'viewer');
    expectStatus(await accept(used.token), 201);
    const withdrawn = await invited(h.main.partnerId, 'viewer');
    await h.ctx.sql`update invitations set withdrawn_at = now() where id = ${withdrawn.invitation.id}`;
    const expired = await invited(h.main.partnerId, 'viewer');
    await h.ctx
      .sql`update invitations set created_at = 'epoch', expires_at = '2000-01-01' where id = ${expired.invitation.id}`;
    const twice = await invited(h.main.partnerId, 'viewer');
    await h.ctx.sql`update invitations set email = ${taken.email} where id = ${twice.invitation.id}`;
    const tokens = [used.token, 'f'.repeat(64), withdrawn.token, expired.token, twice.token];
    const responses = await Promise.all(tokens.map((token) => accept(token)));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.error} ${body.message}`)).size).toBe(
      1,
    );
    expect(responses[0]).toMatchObject({ status: 400, body: { error: 'invalid_invitation' } });
  });

  test('a name with a bidirectional control is refused', async () => {
    const { token } = await invited(h.main.partnerId, 'viewer');
    expect(await accept(token, 'Sana \u202eMalik')).toMatchObject({ status: 400, body: { field: 'name' } });
  });
});

describe('owners', () => {
  test('the last owner can neither be removed nor lose the role', async () => {
    const partnerId = (await h.givenPartner()).partnerId;
    const { client, memberId } = await member(partnerId, 'owner');
    const refused = { status: 409, body: { error: 'last_owner' } };
    expect(await change(client, 'DELETE', `/v1/members/${memberId}`)).toMatchObject(refused);
    expect(await change(client, 'PATCH', `/v1/members/${memberId}`, { role: 'viewer' })).toMatchObject(
      refused,
    );
  });

  test('two owners who remove each other at once leave one of them', async () => {
    const partnerId = (await h.givenPartner()).partnerId;
    const [one, two] = [await member(partnerId, 'owner'), await member(partnerId, 'owner')];
    const responses = await Promise.all([
      change(one.client, 'DELETE', `/v1/members/${two.memberId}`),
      change(two.client, 'DELETE', `/v1/members/${one.memberId}`),
    ]);
    const statuses = responses.map(({ status }) => status).sort();
    expect([
      [200, 409],
      [200, 401],
    ]).toContainEqual(statuses);
  });

  test('a member who is removed gets 401 with the next request', async () => {
    const partnerId = (await h.givenPartner()).partnerId;
    const [owner, viewer] = [await member(partnerId, 'owner'), await member(partnerId, 'viewer')];
    expectStatus(await viewer.client.get('/v1/session'), 200);
    expectStatus(await change(owner.client, 'DELETE', `/v1/members/${viewer.memberId}`), 200);
    expect((await viewer.client.get('/v1/session')).status).toBe(401);
    const { body } = expectStatus(await owner.client.get('/v1/members/audit'), 200);
    expect(body.entries.map(({ action }: { action: string }) => action)).toContain('member.remove');
  });
});

interface Document {
  paths: Record<string, Record<string, { security?: unknown[] }>>;
}

/** Every route that takes a key or a session, as the document has it. */
async function keyedRoutes() {
  const { paths } = (await describePartnerApi()) as Document;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) =>
      security && security.length > 0 && !path.endsWith('/stream')
        ? [{ method: method.toUpperCase() as 'GET', path: path.replace(/\{\w+\}/g, newUuid()) }]
        : [],
    ),
  );
}

/** Routes that a role does not reach, by how they begin. */
const excluded: Record<MemberRole, RegExp[]> = {
  owner: [],
  developer: [/ \/v1\/members/, / \/v1\/statements/],
  finance: [
    / \/v1\/members/,
    / \/v1\/requests/,
    /api-keys/,
    /^(?!GET).* \/v1\/webhook-endpoints/,
    /^(?!GET).* \/v1\/(users|buy|sell|redemptions|transactions)/,
  ],
  viewer: [
    / \/v1\/members/,
    /api-keys/,
    /^(?!GET).* \/v1\/webhook-endpoints/,
    /^(?!GET).* \/v1\/(users|buy|sell|redemptions|transactions)/,
  ],
};

describe('every route of the document', () => {
  for (const role of memberRoles) {
    test(`every route lets a session of the role ${role} in, or refuses it with the name of the role`, async () => {
      const { client } = await member(h.main.partnerId, role);
      for (const { method, path } of await keyedRoutes()) {
        // It would end the session that the others are tried with.
        if (method === ('DELETE' as string) && path === '/v1/session') continue;
        const name = `${method} ${path}`;
        const { status, body } = await client.send({ method, url: path });
        const isRefused = status === 403 && body.error === 'insufficient_scope';
        expect([name, isRefused]).toEqual([name, excluded[role].some((pattern) => pattern.test(name))]);
        if (isRefused) expect(body.message).toContain(role);
        expect([name, status === 401]).toEqual([name, false]);
      }
    });
  }

  test('every route is 401 without a session, and 400 with a session and a key together', async () => {
    const { cookie } = await member(h.main.partnerId, 'owner');
    for (const { method, path } of await keyedRoutes()) {
      const none = await open().send({ method, url: path });
      expect([method, path, none.status]).toEqual([method, path, 401]);
      const both = clientOf(h.app, { ...page, cookie, 'x-api-key': h.main.apiKey });
      expect(await both.send({ method, url: path })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      });
    }
  });

  test('every change is 403 from another origin and without the header of the portal', async () => {
    const { cookie } = await member(h.main.partnerId, 'owner');
    const forged = clientOf(h.app, { ...page, cookie, origin: 'https://evil.example' });
    const bare = clientOf(h.app, { host: page.host, origin: page.origin, cookie });
    for (const { method, path } of (await keyedRoutes()).filter(({ method }) => method !== 'GET')) {
      for (const client of [forged, bare]) {
        const { status, body } = await client.send({ method, url: path });
        expect([method, path, status, body.error]).toEqual([method, path, 403, 'forbidden']);
      }
    }
  });

  test('every change of a suspended partner is 403 but for the own account, and reading goes on', async () => {
    const { partnerId } = await h.givenPartner();
    const { client } = await member(partnerId, 'owner');
    await h.ctx.sql`update partners set status = 'suspended' where id = ${partnerId}`;
    for (const { method, path } of await keyedRoutes()) {
      if (path.startsWith('/v1/session')) continue;
      const { status, body } = await client.send({ method, url: path });
      const isRefused = status === 403 && body.error === 'partner_suspended';
      expect([method, path, isRefused]).toEqual([method, path, method !== 'GET']);
    }
  });
});

test('a member of another partner is 403 partner_mismatch, and an operator of the console opens nothing here', async () => {
  const { partnerId } = await h.givenPartner();
  const [owner, stranger] = [await member(h.main.partnerId, 'owner'), await member(partnerId, 'viewer')];
  expect(await change(owner.client, 'DELETE', `/v1/members/${stranger.memberId}`)).toMatchObject({
    status: 403,
    body: { error: 'partner_mismatch' },
  });
  const at = new Date(h.ctx.clock.now());
  const id = newUuid();
  await h.ctx.db.transaction((tx) =>
    insertPerson(tx, {
      id,
      email: `${id}@karat.test`,
      name: 'The admin',
      role: 'admin',
      passwordHash: '$argon2id$',
      createdAt: at,
      updatedAt: at,
    }),
  );
  const { status } = await open().send({
    method: 'POST',
    url: '/v1/session',
    ...withPage(json({ email: `${id}@karat.test`, password })),
  });
  expect(status).toBe(401);
});

describe('what a member changes', () => {
  test('every change of a member is in the audit log, with the operation and what it changed', async () => {
    const partner = await h.givenPartner();
    const { client } = await member(partner.partnerId, 'owner');
    const post = (url: string, body?: unknown) => change(client, 'POST', url, body);
    const hook = { url: 'http://127.0.0.1:1024/' };
    expectStatus(await post('/v1/users', userBody()), 201);
    const { endpoint_id: id } = expectStatus(await post('/v1/webhook-endpoints', hook), 201).body;
    const at = `/v1/webhook-endpoints/${id}`;
    expectStatus(await post(`${at}/rotate-secret`, {}), 200);
    const [{ id: eventId }] = expectStatus(await client.get('/v1/events'), 200).body.events;
    expectStatus(await post(`${at}/resend`, { event_id: eventId }), 202);
    expectStatus(await change(client, 'PATCH', at, { status: 'disabled' }), 200);
    expectStatus(await change(client, 'DELETE', at), 200);
    expectStatus(await post(`/v1/partner/api-keys/${partner.keyId}/revoke`), 200);
    const { body } = expectStatus(await client.get('/v1/members/audit'), 200);
    const of = (name: string) =>
      body.entries
        .filter(({ action }: { action: string }) => action === 'member.request')
        .map(({ after }: { after: Record<string, unknown> }) => after[name])
        .reverse();
    expect(of('operation')).toEqual([
      'createUser',
      'createWebhookEndpoint',
      'rotateWebhookSecret',
      'resendWebhookEvents',
      'changeWebhookEndpoint',
      'deleteWebhookEndpoint',
      'revokeApiKey',
    ]);
    expect(of('endpoint_id')).toEqual([undefined, id, id, id, id, id, undefined]);
  });

  test('a change of a member waits for the audit log before its event takes a number, as all changes do', async () => {
    const { partnerId } = await h.givenPartner();
    const { client } = await member(partnerId, 'owner');
    expectStatus(await change(client, 'POST', '/v1/users', userBody()), 201);
    const { sql } = h.ctx;
    const created = await sql.begin(async (tx) => {
      await tx`select from audit_head for update`;
      const creating = change(client, 'POST', '/v1/users', userBody());
      await eventually(async () => {
        const waiting = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        expect(waiting).toHaveLength(1);
      });
      // As the event of another change of the partner, which has the audit log.
      await tx`update event_counters set last = last where partner_id = ${partnerId}`;
      return { creating };
    });
    expectStatus(await created.creating, 201);
  });
});

test('a wallet of the partner opens a session of an owner, and confirms it by a fresh signature', async () => {
  const sign = async () => {
    const { challenge_id: challengeId, message } = expectStatus(
      await change(open(), 'POST', '/v1/session/challenge', {
        wallet_address: h.main.wallet.address,
        partner_id: h.main.partnerId,
      }),
      200,
    ).body;
    expect(message).toBe(`Sign this message to open the Karat portal: ${challengeId}`);
    return { challenge_id: challengeId, signature: h.main.wallet.sign(message) };
  };
  const signed = await sign();
  const opened = expectStatus(await change(open(), 'POST', '/v1/session', signed), 200);
  expect(opened.body).toMatchObject({ email: null, name: h.main.wallet.address, role: 'owner' });
  expect(await change(open(), 'POST', '/v1/session', signed)).toMatchObject({
    body: { error: 'invalid_challenge' },
  });
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  const client = clientOf(h.app, { ...page, cookie });
  const body = { email: `${newUuid()}@karat.test`, role: 'viewer' };
  const id = newUuid();
  for (const [method, url] of [
    ['POST', '/v1/members/invitations'],
    ['PATCH', `/v1/members/${id}`],
    ['DELETE', `/v1/members/${id}`],
    ['POST', `/v1/partner/api-keys/${id}/revoke`],
    ['POST', '/v1/webhook-endpoints'],
    ['PATCH', `/v1/webhook-endpoints/we_${id}`],
    ['POST', `/v1/webhook-endpoints/we_${id}/rotate-secret`],
  ] as const) {
    expect(await change(client, method, url, body), `${method} ${url}`).toMatchObject({
      status: 403,
      body: { error: 'second_factor_required', field: 'x-karat-confirmation' },
    });
  }
  const { confirmation } = expectStatus(
    await change(client, 'POST', '/v1/session/confirm', await sign()),
    201,
  ).body;
  const confirmed = clientOf(h.app, { ...page, cookie, 'x-karat-confirmation': confirmation });
  expect(
    expectStatus(await change(confirmed, 'POST', '/v1/members/invitations', body), 201).body.url,
  ).toMatch(/^http:\/\/localhost\/portal\/invitation#[0-9a-f]{64}$/);
  await h.ctx.sql`update partner_wallets set status = 'revoked', revoked_at = now() where wallet_address in (
    select wallet_address from people where id = ${opened.body.member_id})`;
  expect((await client.get('/v1/session')).status).toBe(401);
});

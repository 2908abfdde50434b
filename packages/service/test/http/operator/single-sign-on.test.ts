import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkOperator } from '../../../src/actions/operators/link-operator.js';
import { type Config, Secret } from '../../../src/config.js';
import { findAuditRowsAfter } from '../../../src/db/operators/audit-log.js';
import { findOperatorByEmail } from '../../../src/db/operators/operators.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid } from '../../../src/domain/ids.js';
import { signOnChecks } from '../../../src/domain/single-sign-on.js';
import { totpCode, totpStepAt } from '../../../src/domain/totp.js';
import { fromBase32 } from '../../base32.js';
import {
  type ApiResponse,
  clientOf,
  expectStatus,
  type Harness,
  harness,
  newAddress,
} from '../../harness.js';
import { type Known, startIdentityProvider } from '../../identity-provider.js';
import { changesOf, type Operators, operatorBase, startOperators } from '../../operators.js';

let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let h: Harness;
let operators: Operators;
let config: Config;

beforeAll(async () => {
  provider = await startIdentityProvider();
  h = await harness({
    config: {
      approvals: 2,
      secondFactor: 'required',
      oidcIssuer: provider.issuer,
      oidcClientId: 'karat',
      oidcClientSecret: new Secret(provider.clientSecret),
      oidcRoles: [
        { group: 'karat-admins', role: 'admin' },
        { group: 'CN=Vault, OU=Karat', role: 'fulfilment' },
        { group: 'karat-readers', role: 'viewer' },
      ],
      oidcSecondFactor: [
        { claim: 'acr', value: 'phr' },
        { claim: 'amr', value: 'mfa' },
      ],
    },
  });
  config = h.ctx.config;
  h.secrets.add(provider.clientSecret);
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
  await provider.close();
});
beforeEach(() => {
  provider.state.tamper = undefined;
  config.operatorPasswords = 'allowed';
});

const page = { host: 'karat.test', origin: 'https://karat.test', 'x-karat-console': '1' };
const cookieOf = ({ headers }: ApiResponse, name: string) =>
  new RegExp(`${name}=[^;,]+`).exec(String(headers['set-cookie']))?.[0] ?? '';
const post = (path: string, body: object, headers: Record<string, string> = {}, address = newAddress()) =>
  clientOf(operators.app, {}, { remoteAddress: address }).post(operatorBase + path, body, {
    ...page,
    ...headers,
  });
const get = (path: string, cookie: string) =>
  operators.anonymous.get(operatorBase + path, { cookie, ...page });

let people = 0;
/** A person of the provider with a role here. */
function person(groups: unknown, more: Partial<Known> = {}): Known {
  people += 1;
  return {
    sub: `sub-${people}`,
    email: `Person-${people}@Karat.test`,
    name: `Person ${people}`,
    groups,
    ...more,
  };
}

/** Goes to the provider and comes back; nothing of it was used yet. */
async function goThere(who: Known | undefined, options: { fresh?: boolean } = {}) {
  provider.state.who = who;
  const begun = expectStatus(await post('/session/single-sign-on', options), 201);
  const cookie = cookieOf(begun, 'karat_sign_on');
  h.secrets.add(cookie.split('=')[1] ?? '');
  const { authorization_url: url } = begun.body;
  return { cookie, url: new URL(url), returned: await provider.visit(url) };
}

const finish = (
  cookie: string,
  body: object,
  headers: Record<string, string> = {},
  address = newAddress(),
) => {
  const { state, code, iss, error } = body as Record<string, string>;
  return post('/session/single-sign-on/finish', { state, code, iss, error }, { cookie, ...headers }, address);
};

async function signOn(
  who: Known | undefined,
  options: { fresh?: boolean; headers?: Record<string, string> } = {},
) {
  const { headers = {}, ...begin } = options;
  const { cookie, returned } = await goThere(who, begin);
  const brought = headers.cookie ? `${cookie}; ${headers.cookie}` : cookie;
  const response = await finish(cookie, returned, { ...headers, cookie: brought });
  const session = cookieOf(response, 'karat_session');
  if (session) h.secrets.add(session.split('=')[1] ?? '');
  return { response, session };
}
const refused = (code: string, message: RegExp) => ({
  body: { error: code, message: expect.stringMatching(message), doc_url: expect.any(String) },
});
const signInsOf = async (id: string) =>
  (await findAuditRowsAfter(h.ctx.db, 0, 10_000))
    .filter(({ objectId, action }) => objectId === id && action.startsWith('operator.sign_in'))
    .map(({ action, after, reason }) => [action, (after as { method?: string }).method, reason]);

test('single sign-on: a first sign-in makes an operator of the issuer and subject, with the role of the group', async () => {
  const who = person(['staff', 'CN=Vault, OU=Karat'], { amr: ['pwd', 'mfa'] });
  const { response, session } = await signOn(who);
  const { operator_id: id } = expectStatus(response, 200).body;
  expect(response.body).toMatchObject({
    email: who.email?.toLowerCase(),
    name: who.name,
    role: 'fulfilment',
    second_factor_required: true,
    second_factor_enrolled: false,
    second_factor_attested: true,
  });
  expect(response.body).not.toHaveProperty('confirmation');
  const cookies = response.headers['set-cookie'] as string[];
  expect(cookies).toEqual([
    expect.stringMatching(/^karat_sign_on=; Max-Age=0; Path=\/operator\/v1\/session; .*HttpOnly; Secure/),
    expect.stringMatching(
      /^karat_session=[0-9a-f]{64}; Max-Age=43200; Path=\/operator; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ]);
  expect((await get('/redemptions', session)).status).toBe(200);
  const subject = { issuer: `${provider.issuer}/`, subject: who.sub };
  expect(await changesOf(h, 'operator', id)).toMatchObject([
    { action: 'operator.create', after: { role: 'fulfilment', ...subject }, operatorId: id },
  ]);
  expect(await signInsOf(id)).toEqual([['operator.sign_in', 'single_sign_on', null]]);
  // The same person, however the address is spelt now, is the same operator.
  const again = await signOn({ ...who, email: 'moved@karat.test' });
  expect(again.response.body.operator_id).toBe(id);
});

test('single sign-on: the request has PKCE, state, nonce and the acr that is wanted', async () => {
  const { url, cookie } = await goThere(person(['karat-readers']));
  const secret = cookie.split('=')[1] ?? '';
  const { state, nonce } = signOnChecks(secret);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'karat',
    redirect_uri: 'https://karat.test/single-sign-on',
    scope: 'openid email profile groups',
    state,
    nonce,
    code_challenge: expect.any(String),
    code_challenge_method: 'S256',
    acr_values: 'phr',
  });
  expect(url.href).not.toContain(secret);
});

test('single sign-on: name and role follow the provider at every sign-in, and the audit log has the change', async () => {
  const who = person(['karat-readers']);
  const first = expectStatus((await signOn(who)).response, 200).body;
  expect(first.role).toBe('viewer');
  const promoted = { ...who, name: 'Another Name', groups: ['karat-readers', 'karat-admins'], acr: 'phr' };
  // The list of the setting decides between groups, not their order at the provider.
  expect((await signOn(promoted)).response.body).toMatchObject({ role: 'admin', name: 'Another Name' });
  expect((await signOn(who)).response.body).toMatchObject({ role: 'viewer', name: who.name });
  const { email } = first;
  const [viewer, admin] = [
    { email, name: who.name, role: 'viewer' },
    { email, name: 'Another Name', role: 'admin' },
  ];
  const operatorId = first.operator_id;
  const reason = 'As the identity provider says';
  expect((await changesOf(h, 'operator', operatorId)).slice(1)).toEqual([
    { action: 'operator.change', before: viewer, after: admin, reason, operatorId },
    { action: 'operator.change', before: admin, after: viewer, reason, operatorId },
  ]);
});

test('single sign-on: a person without a group that has a role is refused, and open sessions end', async () => {
  const who = person('karat-readers');
  const { session, response } = await signOn(who);
  const { operator_id: id } = expectStatus(response, 200).body;
  for (const groups of [
    [],
    ['KARAT-READERS'],
    ['karat-readers-2'],
    undefined,
    { 'karat-readers': true },
    7,
  ]) {
    const { response: none } = await signOn({ ...who, groups });
    expect(none).toMatchObject({
      status: 403,
      ...refused('forbidden', /None of your groups .* KARAT_OIDC_ROLES/),
    });
  }
  expect((await get('/me', session)).status).toBe(401);
  expect((await signInsOf(id)).at(-1)).toEqual([
    'operator.sign_in_failed',
    'single_sign_on',
    expect.stringMatching(/^None of your groups/),
  ]);
  expectStatus((await signOn(who)).response, 200);
});

test('single sign-on: a disabled operator stays refused, and another group enables nothing', async () => {
  const who = person(['karat-readers']);
  const { operator_id: id } = expectStatus((await signOn(who)).response, 200).body;
  await h.ctx.sql`update people set status = 'disabled' where id = ${id}`;
  const { response, session } = await signOn({ ...who, groups: ['karat-admins'] });
  expect(response).toMatchObject({ status: 403, ...refused('forbidden', /disabled/) });
  expect(session).toBe('');
  expect((await changesOf(h, 'operator', id)).map(({ action }) => action)).toEqual(['operator.create']);
});

test('single sign-on: an email opens no account, until the owner of the tables links it', async () => {
  const owner = await operators.givenOperator('viewer');
  const who = person(['karat-admins'], { email: owner.email, acr: 'phr' });
  const { response } = await signOn(who);
  expect(response).toMatchObject({
    status: 403,
    ...refused(
      'forbidden',
      new RegExp(`karat operator link --email ${owner.email} .* --subject ${who.sub}$`),
    ),
  });
  const missing = await signOn(person(['karat-admins'], { email: 'no address' }));
  expect(missing.response).toMatchObject({ status: 403, ...refused('forbidden', /claim email/) });
  const identity = { issuer: `${provider.issuer}/`, subject: who.sub };
  await linkOperator(h.ctx, commandLine, { email: owner.email, ...identity });
  const linked = expectStatus((await signOn(who)).response, 200).body;
  expect(linked).toMatchObject({ operator_id: owner.operatorId, role: 'admin' });
  // The password that others may know is void.
  const { email, password } = owner;
  expect((await post('/session', { email, password })).status).toBe(401);
  const other = await operators.givenOperator('viewer');
  const taken = linkOperator(h.ctx, commandLine, { email: other.email, ...identity });
  await expect(taken).rejects.toMatchObject({ code: 'already_exists' });
  expect((await changesOf(h, 'operator', owner.operatorId)).map(({ action }) => action)).toEqual([
    'operator.link',
    'operator.change',
  ]);
});

test('single sign-on: two windows of a person who signs in first make one operator', async () => {
  const who = person(['karat-readers']);
  const [a, b] = [await goThere(who), await goThere(who)];
  const both = await Promise.all([finish(a.cookie, a.returned), finish(b.cookie, b.returned)]);
  const [one, other] = both.map((response) => expectStatus(response, 200).body.operator_id);
  for (const each of both) h.secrets.add(cookieOf(each, 'karat_session').split('=')[1] ?? '');
  expect(one).toBe(other);
});

test('single sign-on: without an attested second factor, a role that needs one can only add one', async () => {
  for (const weak of [{}, { acr: 'pwd' }, { amr: ['pwd'] }, { acr: 'mfa', amr: ['phr'] }]) {
    const { response, session } = await signOn(person(['karat-admins'], weak));
    expect(expectStatus(response, 200).body).toMatchObject({
      second_factor_required: true,
      second_factor_attested: false,
    });
    expect(await get('/redemptions', session)).toMatchObject({
      status: 403,
      ...refused('second_factor_required', /add a passkey/),
    });
  }
});

test('single sign-on: the first second factor takes a fresh sign-in in place of a password, and is required from then on', async () => {
  const who = person(['karat-admins']);
  const { session } = await signOn(who);
  const stale = await post('/me/totp', {}, { cookie: session });
  expect(stale).toMatchObject({
    status: 403,
    body: { error: 'second_factor_required', field: 'x-karat-confirmation' },
  });
  expect(expectStatus(await get('/me/second-factor', session), 200).body.password).toBe(false);
  const fresh = await signOn(who, { fresh: true, headers: { cookie: session } });
  const { confirmation } = expectStatus(fresh.response, 200).body;
  h.secrets.add(confirmation);
  expect((await get('/me', session)).status).toBe(401);
  const headers = { cookie: fresh.session, 'x-karat-confirmation': confirmation };
  const { key } = expectStatus(await post('/me/totp', {}, headers), 201).body;
  const code = totpCode(fromBase32(key), totpStepAt(h.clock.now()));
  const enrolled = await post('/me/totp/confirm', { totp_code: code }, headers);
  h.secrets.add(cookieOf(enrolled, 'karat_session').split('=')[1] ?? '');
  expect(expectStatus(enrolled, 200).body.recovery_codes).toHaveLength(10);
  const [recovery] = enrolled.body.recovery_codes;
  // The provider says nothing of a second factor: the one here is needed.
  const { response: offered } = await signOn(who);
  expect(expectStatus(offered, 202).body).toMatchObject({ methods: ['totp', 'recovery_code'] });
  expect(cookieOf(offered, 'karat_session')).toBe('');
  const done = await post('/session/second-factor', { token: offered.body.token, recovery_code: recovery });
  h.secrets.add(cookieOf(done, 'karat_session').split('=')[1] ?? '');
  expect(expectStatus(done, 200).body).toMatchObject({ second_factor_enrolled: true });
  // An attested one is enough.
  expectStatus((await signOn({ ...who, amr: ['mfa'] })).response, 200);
});

test('single sign-on: what moves value takes a fresh sign-in where the provider has the second factor', async () => {
  const who = person(['karat-admins'], { acr: 'phr' });
  const { session } = await signOn(who);
  const wallet = h.main.partnerId;
  const change = (cookie: string, headers: Record<string, string> = {}) =>
    operators.anonymous.send({
      method: 'PATCH',
      url: `${operatorBase}/partners/${wallet}`,
      headers: {
        cookie,
        ...page,
        ...headers,
        'content-type': 'application/json',
        'idempotency-key': newUuid(),
      },
      payload: JSON.stringify({ fee_percentage: 0.02 }),
    });
  const unconfirmed = {
    status: 403,
    body: { error: 'second_factor_required', field: 'x-karat-confirmation' },
  };
  expect(await change(session)).toMatchObject(unconfirmed);
  const fresh = await signOn(who, { fresh: true, headers: { cookie: session } });
  const { confirmation } = expectStatus(fresh.response, 200).body;
  h.secrets.add(confirmation);
  // It goes with no other session, and with none for more than five minutes.
  const third = await signOn(who);
  expect(await change(third.session, { 'x-karat-confirmation': confirmation })).toMatchObject(unconfirmed);
  const { approval_id: approvalId } = expectStatus(
    await change(fresh.session, { 'x-karat-confirmation': confirmation }),
    202,
  ).body;
  const second = await signOn(person(['karat-admins'], { acr: 'phr' }));
  const approve = `/approvals/${approvalId}/approve`;
  expect(await post(approve, {}, { cookie: second.session })).toMatchObject(unconfirmed);
  h.clock.advance(5 * 60_000);
  expect(await change(fresh.session, { 'x-karat-confirmation': confirmation })).toMatchObject(unconfirmed);
  h.clock.advance(-5 * 60_000);
});

test('single sign-on: a response that this browser did not request opens nothing', async () => {
  const attacker = await goThere(person(['karat-readers']));
  const victim = await goThere(person(['karat-readers']));
  const notHere = { status: 400, ...refused('invalid_challenge', /not begun in this browser/) };
  // Login CSRF: the code of another person's sign-in, in a browser with a sign-in of its own, and in one without.
  expect(await finish(victim.cookie, attacker.returned)).toMatchObject(notHere);
  expect(await finish('', attacker.returned)).toMatchObject(notHere);
  // The code of one sign-in with the state of another: PKCE and nonce are those of the state.
  const swapped = { ...victim.returned, code: attacker.returned.code };
  expect(await finish(victim.cookie, swapped)).toMatchObject({
    status: 401,
    ...refused('unauthorized', /\(invalid_grant\)/),
  });
  for (const origin of ['https://evil.test', 'https://karat.test.evil.test', 'null']) {
    const foreign = await finish(attacker.cookie, attacker.returned, { origin });
    expect(foreign).toMatchObject({ status: 403, ...refused('forbidden', /Origin of this host/) });
    const begun = await post('/session/single-sign-on', {}, { origin });
    expect(begun.status).toBe(403);
  }
  // It is still good for the browser that began it, once.
  const mine = await finish(attacker.cookie, attacker.returned);
  h.secrets.add(cookieOf(mine, 'karat_session').split('=')[1] ?? '');
  expectStatus(mine, 200);
  expect((await finish(attacker.cookie, attacker.returned)).status).toBe(401);
});

test('single sign-on: a response of another provider, or a code of another client, opens nothing', async () => {
  const { cookie, returned } = await goThere(person(['karat-admins']));
  const mixedUp = await finish(cookie, { ...returned, iss: 'https://evil.test' });
  expect(mixedUp).toMatchObject({ status: 401, ...refused('unauthorized', /did not sign you in/) });
  const { iss: _, ...unnamed } = returned;
  expect((await finish(cookie, unnamed)).status).toBe(401);
  const begun = expectStatus(await post('/session/single-sign-on', {}), 201);
  const url = new URL(begun.body.authorization_url);
  url.searchParams.set('client_id', 'another');
  const others = await provider.visit(url.href);
  expect(await finish(cookieOf(begun, 'karat_sign_on'), others)).toMatchObject({
    status: 401,
    ...refused('unauthorized', /\(invalid_grant\)/),
  });
  const elsewhere = new URL(begun.body.authorization_url);
  elsewhere.searchParams.set('redirect_uri', 'https://evil.test/single-sign-on');
  await expect(provider.visit(elsewhere.href)).rejects.toThrow('400');
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);

test('single sign-on: an ID token of another key, issuer, client, nonce or time opens nothing', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { withClaims } = provider;
  const tampers: Record<string, (token: string) => string> = {
    'another key': (token) => {
      const content = token.split('.').slice(0, 2).join('.');
      return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`;
    },
    'no signature': (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`,
    'claims that were not signed': (token) => {
      const [header, body] = withClaims(token, { groups: ['karat-admins'] }).split('.');
      return [header, body, token.split('.')[2]].join('.');
    },
    'an old nonce': (token) => withClaims(token, { nonce: 'another' }),
    'no nonce': (token) => withClaims(token, { nonce: undefined }),
    'another client': (token) => withClaims(token, { aud: 'another' }),
    'several clients, for another': (token) =>
      withClaims(token, { aud: ['karat', 'another'], azp: 'another' }),
    'another issuer': (token) => withClaims(token, { iss: 'https://evil.test' }),
    'another subject than the user info': (token) => withClaims(token, { sub: 'sub-1' }),
    'the past': (token) => withClaims(token, { exp: nowSeconds() - 60 }),
    'the future': (token) => withClaims(token, { nbf: nowSeconds() + 60 }),
  };
  const fails = () => h.logLines.filter((line) => line.includes('a single sign-on failed'));
  const before = fails().length;
  for (const [name, tamper] of Object.entries(tampers)) {
    provider.state.tamper = tamper;
    const { response, session } = await signOn(person(['karat-admins']));
    expect(response, name).toMatchObject({ status: 401, ...refused('unauthorized', /did not sign you in/) });
    expect(session, name).toBe('');
  }
  expect(fails()).toHaveLength(before + Object.keys(tampers).length);
  for (const line of fails()) expect(line).not.toMatch(/eyJ|@karat/i);
});

test('single sign-on: clocks that are half a minute apart are no error', async () => {
  for (const claims of [{ exp: nowSeconds() - 20 }, { nbf: nowSeconds() + 20 }]) {
    provider.state.tamper = (token) => provider.withClaims(token, claims);
    expectStatus((await signOn(person(['karat-readers']))).response, 200);
  }
});

test('single sign-on: a sign-in that must be fresh and is not, or is of an unknown time, is refused', async () => {
  const who = person(['karat-readers']);
  for (const auth_time of [nowSeconds() - 6 * 60, undefined]) {
    provider.state.tamper = (token) => provider.withClaims(token, { auth_time });
    expect((await signOn(who, { fresh: true })).response.status).toBe(401);
    expectStatus((await signOn(who)).response, 200);
  }
});

test('single sign-on: a refusal of the provider is named', async () => {
  const { response } = await signOn(undefined);
  expect(response).toMatchObject({ status: 401, ...refused('unauthorized', /\(access_denied\)/) });
});

test('single sign-on: a session that was planted is not gone on with', async () => {
  const planted = await signOn(person(['karat-readers']));
  const victim = await signOn(person(['karat-readers']), { headers: { cookie: planted.session } });
  expectStatus(victim.response, 200);
  expect(victim.session).not.toBe(planted.session);
  expect((await get('/me', planted.session)).status).toBe(401);
});

test('single sign-on: failed attempts slow their network down, and no other', async () => {
  const { cookie, returned } = await goThere(person(['karat-readers']));
  const address = newAddress();
  for (let attempt = 0; attempt < 21; attempt += 1) {
    expect((await finish(cookie, { ...returned, state: 'another' }, {}, address)).status).toBe(400);
  }
  const slowed = await finish(cookie, returned, {}, address);
  expect(slowed).toMatchObject({ status: 429, ...refused('rate_limited', /try again in/) });
  const elsewhere = await finish(cookie, returned);
  h.secrets.add(cookieOf(elsewhere, 'karat_session').split('=')[1] ?? '');
  expectStatus(elsewhere, 200);
});

test('single sign-on: signing out ends the session, and leads to the provider to end that there', async () => {
  const { session } = await signOn(person(['karat-readers']));
  const signOut = (headers: Record<string, string>) =>
    operators.anonymous.send({
      method: 'DELETE',
      url: `${operatorBase}/session`,
      headers: { ...page, ...headers },
    });
  const { body } = expectStatus(await signOut({ cookie: session }), 200);
  const url = new URL(body.end_session_url);
  expect(url.origin).toBe(provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'karat',
    post_logout_redirect_uri: 'https://karat.test/sign-in',
  });
  expect((await get('/me', session)).status).toBe(401);
  const { email, password } = operators.by.viewer;
  const byPassword = cookieOf(await post('/session', { email, password }), 'karat_session');
  expect(expectStatus(await signOut({ cookie: byPassword }), 200).body).toEqual({ status: 'signed_out' });
});

test('single sign-on: an account of the provider has no password to change', async () => {
  const { session } = await signOn(person(['karat-readers']));
  const response = await operators.anonymous.send({
    method: 'PUT',
    url: `${operatorBase}/me/password`,
    headers: { ...page, cookie: session, 'content-type': 'application/json' },
    payload: JSON.stringify({ current_password: 'any', new_password: 'a longer horse, a newer staple' }),
  });
  expect(response).toMatchObject({ status: 403, ...refused('forbidden', /no password/) });
});

test('single sign-on: passwords can be switched off, and the methods show it', async () => {
  const methods = async () =>
    expectStatus(await operators.anonymous.get(`${operatorBase}/session/methods`), 200).body;
  expect(await methods()).toEqual({ password: true, single_sign_on: true });
  config.operatorPasswords = 'refused';
  expect(await methods()).toEqual({ password: false, single_sign_on: true });
  const { email, password } = operators.by.viewer;
  expect(await post('/session', { email, password })).toMatchObject({
    status: 403,
    ...refused('forbidden', /Passwords are switched off here .* single sign-on/),
  });
  expectStatus((await signOn(person(['karat-readers']))).response, 200);
});

test('single sign-on: a provider that is away is reported, forgives attempts, and leaves passwords to sign in with', async () => {
  const { oidcIssuer } = config;
  const away = await startIdentityProvider();
  await away.close();
  config.oidcIssuer = away.issuer;
  const fresh = await startOperators(h);
  const client = clientOf(fresh.app, {}, { remoteAddress: newAddress() });
  const begin = () => client.post(`${operatorBase}/session/single-sign-on`, {}, page);
  const message = /does not respond as it should: try again in a minute, or sign in with a password/;
  expect(await begin()).toMatchObject({ status: 503, ...refused('service_unavailable', message) });
  const { email, password } = fresh.by.viewer;
  const byPassword = await client.post(`${operatorBase}/session`, { email, password }, page);
  h.secrets.add(cookieOf(byPassword, 'karat_session').split('=')[1] ?? '');
  expectStatus(byPassword, 200);
  // A failure is not remembered.
  config.oidcIssuer = oidcIssuer;
  expectStatus(await begin(), 201);
  // Nor is one that has another name than the setting.
  config.oidcIssuer = undefined;
  const none = await startOperators(h);
  const unset = await none.anonymous.post(`${operatorBase}/session/single-sign-on`, {}, page);
  expect(unset).toMatchObject({
    status: 503,
    ...refused('service_unavailable', /KARAT_OIDC_ISSUER is not set/),
  });
  config.oidcIssuer = oidcIssuer;
  await none.close();
  await fresh.close();
  expect(await findOperatorByEmail(h.ctx.db, 'nobody@karat.test')).toBeUndefined();
});

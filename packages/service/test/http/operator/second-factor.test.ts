import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeChange } from '../../../src/actions/approvals/carry-out.js';
import { inChange } from '../../../src/actions/change.js';
import { changePartner } from '../../../src/actions/partners/change-partner.js';
import { planPartnerChange } from '../../../src/actions/partners/plan-partner-change.js';
import { findAuditRowsAfter } from '../../../src/db/operators/audit-log.js';
import { lockOperator } from '../../../src/db/operators/operators.js';
import { endSessionsOf } from '../../../src/db/people/sessions.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid, type Uuid } from '../../../src/domain/ids.js';
import { totpCode, totpStepAt } from '../../../src/domain/totp.js';
import { type Authenticator, newAuthenticator } from '../../authenticator.js';
import { fromBase32 } from '../../base32.js';
import { callKarat } from '../../cli/run-karat.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import {
  type ApiResponse,
  clientOf,
  expectStatus,
  type Harness,
  harness,
  newAddress,
  newWallet,
} from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  startOperators,
} from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';
import { newBar } from './contract-routes.js';

let node: EscrowNode;
let h: Harness;
/** Where a second factor is a choice, and where roles that move value need one and two people decide, or one alone. */
let optional: Operators;
let required: Operators;
let alone: Operators;
beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: { ...node.config, approvals: 1 } });
  await seedDenominations(h);
  optional = await startOperators(h);
  const config = { ...h.ctx.config, approvals: 2, secondFactor: 'required' as const };
  required = await startOperators({ ctx: { ...h.ctx, config }, secrets: h.secrets });
  const one = { ...config, approvals: 1 as const };
  alone = await startOperators({ ctx: { ...h.ctx, config: one }, secrets: h.secrets });
});
afterAll(async () => {
  await alone.close();
  await required.close();
  await optional.close();
  await h.close();
  await node.stop();
});

const page = { host: 'ops.karat.test', origin: 'https://ops.karat.test', 'x-karat-console': '1' };
const cookieOf = (response: ApiResponse) => String(response.headers['set-cookie']).split(';')[0] ?? '';
const step = () => totpStepAt(h.clock.now());

/** A browser at an address of its own, with its cookie. */
function newBrowser(operators: Operators, remoteAddress = newAddress()) {
  const client = clientOf(operators.app, {}, { remoteAddress });
  let cookie: string | undefined;
  let typed: string | undefined;
  async function send(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown, more = {}) {
    const headers: Record<string, string> = { ...page, ...(cookie === undefined ? {} : { cookie }), ...more };
    const response = await client.send({
      method,
      url: operatorBase + path,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    if (response.headers['set-cookie']) {
      cookie = cookieOf(response);
      h.secrets.add(cookie.split('=')[1] || 'no secret');
    }
    return response;
  }
  return {
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown, more = {}) => send('POST', path, body, more),
    patch: (path: string, body?: unknown, more = {}) => send('PATCH', path, body, more),
    put: (path: string, body?: unknown) => send('PUT', path, body),
    password: ({ email, password }: GivenOperator) => {
      typed = password;
      return send('POST', '/session', { email, password });
    },
    /** What a second factor takes without a passkey. */
    current: () => ({ current_password: typed }),
    cookie: () => cookie,
    plant: (planted: string | undefined) => {
      cookie = planted;
    },
  };
}
type Browser = ReturnType<typeof newBrowser>;

async function signedIn(operators: Operators, role: GivenOperator['role'] = 'admin') {
  const operator = await operators.givenOperator(role);
  const browser = newBrowser(operators);
  expectStatus(await browser.password(operator), 200);
  return { operator, browser };
}

/** Adds a passkey; `proof` is the fresh second factor of those who have one. */
async function addPasskey(browser: Browser, key = newAuthenticator(), proof?: object): Promise<ApiResponse> {
  const begun = expectStatus(
    await browser.post('/me/passkeys/options', {
      ...browser.current(),
      ...(proof && { second_factor: proof }),
    }),
    201,
  );
  const { token, passkey_options: options } = begun.body;
  return browser.post('/me/passkeys', { token, name: 'A key', passkey: key.create(options) });
}

async function withPasskey(operators: Operators, role: GivenOperator['role'] = 'admin') {
  const { operator, browser } = await signedIn(operators, role);
  const key = newAuthenticator();
  const { body } = expectStatus(await addPasskey(browser, key), 201);
  for (const code of body.recovery_codes) h.secrets.add(code);
  return { operator, browser, key, codes: body.recovery_codes as string[], id: body.passkey.passkey_id };
}

async function withTotp(operators: Operators, role: GivenOperator['role'] = 'admin') {
  const { operator, browser } = await signedIn(operators, role);
  const { body } = expectStatus(await browser.post('/me/totp', browser.current()), 201);
  h.secrets.add(body.key);
  const code = (at = step()) => totpCode(fromBase32(body.key), at);
  const confirmed = expectStatus(await browser.post('/me/totp/confirm', { totp_code: code() }), 200);
  h.clock.advance(30_000);
  return { operator, browser, code, codes: confirmed.body.recovery_codes as string[], uri: body.uri };
}

/** The first step of signing in, and what it offers. */
async function begin(operator: GivenOperator, browser: Browser) {
  const response = expectStatus(await browser.password(operator), 202);
  expect(response.headers['set-cookie']).toBeUndefined();
  h.secrets.add(response.body.token);
  return response.body;
}

/** A fresh second factor for something. */
async function shown(browser: Browser, key: Authenticator, desired: object = { purpose: 'account' }) {
  const { body } = expectStatus(await browser.post('/me/second-factor/challenges', desired), 201);
  return { token: body.token, passkey: key.get(body.passkey_options) };
}

/** Confirms a session, and returns the header that says so. */
async function confirmed(browser: Browser, key: Authenticator) {
  const proof = await shown(browser, key, { purpose: 'confirmation' });
  const { body } = expectStatus(await browser.post('/me/second-factor/confirm', proof), 201);
  h.secrets.add(body.confirmation);
  return { 'x-karat-confirmation': String(body.confirmation) };
}

const actionsOf = async (operatorId: string) =>
  (await findAuditRowsAfter(h.ctx.db, 0, 10_000))
    .filter(({ objectId }) => objectId === operatorId)
    .map(({ action, after }) => [action, after?.method, ...(after?.purpose ? [after.purpose] : [])]);

describe('a passkey', () => {
  test('a passkey that is the first one comes with recovery codes, and ends the other sessions', async () => {
    const { operator, browser } = await signedIn(optional);
    const elsewhere = newBrowser(optional);
    expectStatus(await elsewhere.password(operator), 200);
    expect((await browser.get('/me')).body).toMatchObject({
      second_factor_required: false,
      second_factor_enrolled: false,
    });
    const stolen = newBrowser(optional);
    stolen.plant(browser.cookie());
    const { body } = expectStatus(await addPasskey(browser), 201);
    expect((await stolen.get('/me')).status).toBe(401);
    expect(body).toMatchObject({ passkey: { name: 'A key', host: 'ops.karat.test', last_used_at: null } });
    expect(body.recovery_codes).toHaveLength(10);
    expect((await elsewhere.get('/me')).status).toBe(401);
    expect((await browser.get('/me')).body.second_factor_enrolled).toBe(true);
    expect((await browser.get('/me/second-factor')).body).toEqual({
      required: false,
      passkeys: [body.passkey],
      totp: false,
      totp_available: true,
      password: true,
      recovery_codes_left: 10,
    });
    const stored = JSON.stringify(
      await h.ctx.db.execute(sql`select c::text from recovery_codes c
        where c.person_id = ${operator.operatorId}`),
    );
    expect(stored).toContain(operator.operatorId);
    for (const code of body.recovery_codes as string[]) {
      for (const plain of [code, code.replaceAll('-', '')]) {
        expect(stored).not.toContain(Buffer.from(plain).toString('hex'));
      }
    }
  });

  test('a passkey is the second step, which no session exists without, and the step works once', async () => {
    const { operator, key } = await withPasskey(optional);
    const browser = newBrowser(optional);
    const { token, methods, passkey_options: options } = await begin(operator, browser);
    expect(methods).toEqual(['passkey', 'recovery_code']);
    expect(options).toMatchObject({ rpId: 'ops.karat.test', allowCredentials: [{ id: key.id }] });
    browser.plant(`karat_session=${token}`);
    expect((await browser.get('/me')).status).toBe(401);
    // A session that somebody planted ends, and another one begins.
    const attacker = await signedIn(optional, 'viewer');
    browser.plant(attacker.browser.cookie());
    const passkey = key.get(options);
    const opened = expectStatus(await browser.post('/session/second-factor', { token, passkey }), 200);
    expect(opened.body.operator_id).toBe(operator.operatorId);
    expect(browser.cookie()).not.toBe(attacker.browser.cookie());
    expect((await attacker.browser.get('/me')).status).toBe(401);
    expect((await browser.get('/me')).body.operator_id).toBe(operator.operatorId);
    expect(await newBrowser(optional).post('/session/second-factor', { token, passkey })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
    expect((await actionsOf(operator.operatorId)).slice(-2)).toEqual([
      ['operator.sign_in_password', undefined],
      ['operator.sign_in', 'passkey'],
    ]);
  });

  test.each<[string, (key: Authenticator, options: never) => object]>([
    [
      'of another site',
      (key, options) => key.get(options, { origin: 'https://ops.karat.test.evil.example' }),
    ],
    ['of another host', (key, options) => key.get(options, { rpId: 'evil.example' })],
    ['for another challenge', (key, options) => key.get(options, { challenge: 'AAAA' })],
    ['whose counter goes back', (key, options) => key.get(options, { counter: 0 })],
    ['of somebody else', (_key, options) => newAuthenticator().get(options)],
    [
      'with the id of it and the signature of another',
      (key, options) => ({ ...newAuthenticator().get(options), id: key.id, rawId: key.id }),
    ],
    ['that is empty', () => ({})],
    ['with an id that cannot be stored', () => ({ id: '\0' })],
    ['that is a registration', (key, options) => key.create(options)],
  ])('a passkey: %s is wrong, and audited', async (_name, show) => {
    const { operator, key } = await withPasskey(optional);
    const browser = newBrowser(optional);
    const first = await begin(operator, browser);
    // Counts one.
    expectStatus(
      await browser.post('/session/second-factor', {
        token: first.token,
        passkey: key.get(first.passkey_options),
      }),
      200,
    );
    const { token, passkey_options: options } = await begin(operator, browser);
    const wrong = await browser.post('/session/second-factor', {
      token,
      passkey: show(key, options as never),
    });
    expect(wrong).toMatchObject({ status: 400, body: { error: 'second_factor_wrong' } });
    expect((await actionsOf(operator.operatorId)).at(-1)).toEqual(['operator.sign_in_failed', 'passkey']);
  });

  test('a passkey of another account is wrong', async () => {
    const [one, other] = [await withPasskey(optional), await withPasskey(optional)];
    const browser = newBrowser(optional);
    const { token, passkey_options: options } = await begin(one.operator, browser);
    const wrong = await browser.post('/session/second-factor', { token, passkey: other.key.get(options) });
    expect(wrong).toMatchObject({ status: 400, body: { error: 'second_factor_wrong' } });
  });

  test('a passkey is not offered at another host, nor made at an address', async () => {
    const { operator, browser: home } = await withPasskey(optional);
    const client = newBrowser(optional);
    const at = { host: 'other.karat.test', origin: 'https://other.karat.test' };
    const { email, password } = operator;
    const { body } = expectStatus(await client.post('/session', { email, password }, at), 202);
    expect(body).toMatchObject({ methods: ['recovery_code'], passkey_options: null });
    const { browser } = await signedIn(optional);
    const address = { host: '127.0.0.1:8090', origin: 'http://127.0.0.1:8090' };
    expect(await browser.post('/me/passkeys/options', browser.current(), address)).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed' },
    });
    expect((await home.get('/me')).status).toBe(200);
  });

  test('a passkey works at the port where it was made, and at no other', async () => {
    const { operator, key } = await withPasskey(optional);
    const browser = newBrowser(optional);
    const at = { host: 'ops.karat.test:8443', origin: 'https://ops.karat.test:8443' };
    const { email, password } = operator;
    const elsewhere = expectStatus(await browser.post('/session', { email, password }, at), 202).body;
    expect(elsewhere).toMatchObject({ methods: ['recovery_code'], passkey_options: null });
    const { token, passkey_options: options } = await begin(operator, browser);
    const passkey = key.get(options, { origin: at.origin });
    expect(await browser.post('/session/second-factor', { token, passkey }, at)).toMatchObject({
      status: 400,
      body: { error: 'second_factor_wrong' },
    });
  });

  test('a passkey that is the first one takes the password', async () => {
    const { operator, browser } = await signedIn(optional);
    const wrong = { status: 400, body: { error: 'invalid_request', field: 'current_password' } };
    for (const path of ['/me/passkeys/options', '/me/totp']) {
      expect(await browser.post(path, {})).toMatchObject(wrong);
      expect(await browser.post(path, { current_password: 'not this one' })).toMatchObject(wrong);
    }
    expect((await actionsOf(operator.operatorId)).slice(-2)).toEqual([
      ['operator.password_failed', undefined],
      ['operator.password_failed', undefined],
    ]);
    for (let guesses = 0; guesses < 2; guesses += 1)
      await browser.post('/me/totp', { current_password: 'x' });
    expect((await browser.post('/me/totp', browser.current())).status).toBe(429);
  });

  test('a passkey is added, renamed and removed with the first one, and each is audited', async () => {
    const { operator, browser, key, id } = await withPasskey(optional);
    expect(await browser.post('/me/passkeys/options', {})).toMatchObject({
      status: 403,
      body: { error: 'second_factor_required', field: 'second_factor' },
    });
    const added = expectStatus(await addPasskey(browser, newAuthenticator(), await shown(browser, key)), 201);
    expect(added.body.recovery_codes).toBeNull();
    const second = added.body.passkey.passkey_id;
    expect(
      expectStatus(await browser.patch(`/me/passkeys/${second}`, { name: '<b>Phone</b>' }), 200).body.name,
    ).toBe('<b>Phone</b>');
    expect((await browser.post(`/me/passkeys/${second}/remove`, {})).status).toBe(403);
    for (const one of [second, id]) {
      const proof = { second_factor: await shown(browser, key) };
      expectStatus(await browser.post(`/me/passkeys/${one}/remove`, proof), 200);
    }
    // With the last second factor go the recovery codes.
    expect((await browser.get('/me/second-factor')).body).toMatchObject({
      passkeys: [],
      recovery_codes_left: 0,
    });
    expectStatus(await newBrowser(optional).password(operator), 200);
    const changes = await changesOf(h, 'operator', operator.operatorId);
    expect(changes.map(({ action }) => action).filter((action) => action !== 'operator.confirm')).toEqual([
      'operator.add_passkey',
      'operator.add_passkey',
      'operator.rename_passkey',
      'operator.remove_passkey',
      'operator.remove_passkey',
    ]);
    expect(changes.every(({ operatorId }) => operatorId === operator.operatorId)).toBe(true);
  });

  test('a passkey is not added twice, nor with the challenge of another operator', async () => {
    const { browser, key } = await withPasskey(optional);
    const begun = await browser.post('/me/passkeys/options', { second_factor: await shown(browser, key) });
    const { token, passkey_options: options } = expectStatus(begun, 201).body;
    const add = (by: Browser, passkey: object) => by.post('/me/passkeys', { token, name: 'A key', passkey });
    const stranger = await signedIn(optional);
    expect(await add(stranger.browser, newAuthenticator().create(options))).toMatchObject({
      status: 400,
      body: { error: 'invalid_challenge' },
    });
    expect(await add(browser, key.create(options))).toMatchObject({
      status: 409,
      body: { error: 'already_exists' },
    });
    expect(
      await add(browser, newAuthenticator().create(options, { origin: 'https://evil.example' })),
    ).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'passkey' },
    });
    expectStatus(await add(browser, newAuthenticator().create(options)), 201);
    expect((await add(browser, newAuthenticator().create(options))).body.error).toBe('invalid_challenge');
  });

  test('a passkey of another operator is neither renamed nor removed', async () => {
    const [one, other] = [await withPasskey(optional), await withPasskey(optional)];
    expect((await one.browser.patch(`/me/passkeys/${other.id}`, { name: 'Mine' })).status).toBe(404);
    const proof = { second_factor: await shown(one.browser, one.key) };
    expect((await one.browser.post(`/me/passkeys/${other.id}/remove`, proof)).status).toBe(404);
    expect((await other.browser.get('/me/second-factor')).body.passkeys).toMatchObject([{ name: 'A key' }]);
  });
});

describe('an authenticator app', () => {
  test('an authenticator app is added with its first code, and its key is stored nowhere', async () => {
    const { operator, browser } = await signedIn(optional);
    expect(await browser.post('/me/totp/confirm', { totp_code: '000000' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed' },
    });
    const { key, uri } = expectStatus(await browser.post('/me/totp', browser.current()), 201).body;
    h.secrets.add(key);
    expect(uri).toBe(`otpauth://totp/Karat:${encodeURIComponent(operator.email)}?secret=${key}&issuer=Karat`);
    const [wrong, right] = [step() + 9n, step()].map((at) => totpCode(fromBase32(key), at));
    expect((await browser.post('/me/totp/confirm', { totp_code: wrong })).body.error).toBe(
      'second_factor_wrong',
    );
    expect((await browser.get('/me/second-factor')).body.totp).toBe(false);
    const { body } = expectStatus(await browser.post('/me/totp/confirm', { totp_code: right }), 200);
    expect(body.recovery_codes).toHaveLength(10);
    const hex = fromBase32(key).toString('hex');
    expect(await h.ctx.db.execute(sql`select 1 from totps t where t::text like ${`%${hex}%`}`)).toHaveLength(
      0,
    );
    expect((await browser.post('/me/totp', browser.current())).status).toBe(403);
  });

  test('an authenticator app signs in with a code, which is right once', async () => {
    const { operator, code } = await withTotp(optional);
    const [one, other] = [newBrowser(optional), newBrowser(optional)];
    const offers = [await begin(operator, one), await begin(operator, other)];
    expect(offers.map(({ methods }) => methods)).toEqual([
      ['totp', 'recovery_code'],
      ['totp', 'recovery_code'],
    ]);
    const totp = code();
    const enter = (browser: Browser, token: string, entered: string) =>
      browser.post('/session/second-factor', { token, totp_code: entered });
    const responses = await Promise.all([
      enter(one, offers[0].token, totp),
      enter(other, offers[1].token, totp),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    // Nor is the code before it.
    expect((await enter(other, offers[1].token, code(step() - 1n))).status).toBe(
      responses[1]?.status === 200 ? 401 : 400,
    );
    h.clock.advance(30_000);
    const again = await begin(operator, other);
    expectStatus(await enter(other, again.token, code()), 200);
  });

  test('an authenticator app is confirmed in the session that began it, and with no other second factor between', async () => {
    const { operator, browser } = await signedIn(optional);
    const elsewhere = newBrowser(optional);
    expectStatus(await elsewhere.password(operator), 200);
    const { key } = expectStatus(await browser.post('/me/totp', browser.current()), 201).body;
    const confirm = (by: Browser, text: string) =>
      by.post('/me/totp/confirm', { totp_code: totpCode(fromBase32(text), step()) });
    const none = { status: 409, body: { error: 'transition_not_allowed' } };
    expect(await confirm(elsewhere, key)).toMatchObject(none);
    const passkey = newAuthenticator();
    expectStatus(await addPasskey(browser, passkey), 201);
    expect(await confirm(browser, key)).toMatchObject(none);

    const begun = await browser.post('/me/totp', { second_factor: await shown(browser, passkey) });
    expectStatus(await addPasskey(browser, newAuthenticator(), await shown(browser, passkey)), 201);
    expect(await confirm(browser, expectStatus(begun, 201).body.key)).toMatchObject(none);
  });

  test('an authenticator app that is not confirmed goes with the sessions', async () => {
    const { operator, browser } = await signedIn(optional);
    expectStatus(await browser.post('/me/totp', browser.current()), 201);
    const keys = () => h.ctx.db.execute(sql`select 1 from totps where person_id = ${operator.operatorId}`);
    expect(await keys()).toHaveLength(1);
    const passwords = {
      current_password: operator.password,
      new_password: 'another password of some length',
    };
    expectStatus(await browser.put('/me/password', passwords), 200);
    expect(await keys()).toHaveLength(0);
  });

  test('an authenticator app is removed with a fresh code', async () => {
    const { browser, code } = await withTotp(optional);
    const { token } = expectStatus(
      await browser.post('/me/second-factor/challenges', { purpose: 'account' }),
      201,
    ).body;
    const proof = { second_factor: { token, totp_code: code() } };
    expectStatus(await browser.post('/me/totp/remove', proof), 200);
    expect((await browser.get('/me/second-factor')).body).toMatchObject({
      totp: false,
      recovery_codes_left: 0,
    });
    expect((await browser.post('/me/totp/remove', {})).status).toBe(404);
  });
});

describe('recovery codes', () => {
  test('recovery codes sign in once each, and are replaced', async () => {
    const { operator, codes, browser, key } = await withPasskey(optional);
    const enter = async (code: string | undefined) => {
      const here = newBrowser(optional);
      const { token } = await begin(operator, here);
      return here.post('/session/second-factor', { token, recovery_code: code });
    };
    expectStatus(await enter(codes[0]?.toLowerCase().replaceAll('-', ' ')), 200);
    expect((await enter(codes[0])).body.error).toBe('second_factor_wrong');
    expect((await browser.get('/me/second-factor')).body.recovery_codes_left).toBe(9);
    const fresh = await shown(browser, key);
    const { body } = expectStatus(await browser.post('/me/recovery-codes', { second_factor: fresh }), 201);
    expect(body.recovery_codes).toHaveLength(10);
    expect((await enter(codes[1])).body.error).toBe('second_factor_wrong');
    expectStatus(await enter(body.recovery_codes[1]), 200);
    const stranger = await signedIn(optional);
    expect((await stranger.browser.post('/me/recovery-codes')).status).toBe(409);
  });

  test('recovery codes change no second factor of an operator who has a passkey, nor does the app', async () => {
    const { browser, code, codes } = await withTotp(optional);
    const challenge = async () =>
      expectStatus(await browser.post('/me/second-factor/challenges', { purpose: 'account' }), 201).body;
    const wrong = { status: 400, body: { error: 'second_factor_wrong' } };
    const { token, methods } = await challenge();
    expect(methods).toEqual(['totp']);
    const begin = (proof: object) =>
      browser.post('/me/passkeys/options', { ...browser.current(), second_factor: proof });
    expectStatus(await addPasskey(browser, newAuthenticator(), { token, totp_code: code() }), 201);
    h.clock.advance(30_000);
    const next = await challenge();
    expect(next.methods).toEqual(['passkey']);
    expect(await begin({ token: next.token, totp_code: code() })).toMatchObject(wrong);
    expect(await begin({ token: next.token, recovery_code: codes[0] })).toMatchObject(wrong);
  });
});

test('an operator who has an app alone adds a passkey with the password and the app, not with one of them', async () => {
  const { operator, code, codes } = await withTotp(optional);
  // The one who found the recovery codes and the password signs in with them.
  const browser = newBrowser(optional);
  const { token } = await begin(operator, browser);
  expectStatus(await browser.post('/session/second-factor', { token, recovery_code: codes[0] }), 200);
  const challenge = async () =>
    expectStatus(await browser.post('/me/second-factor/challenges', { purpose: 'account' }), 201).body.token;
  const start = async (proof: object, password: object = browser.current()) =>
    browser.post('/me/passkeys/options', {
      ...password,
      second_factor: { token: await challenge(), ...proof },
    });
  expect(await start({ totp_code: code() }, {})).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field: 'current_password' },
  });
  expect(await browser.post('/me/passkeys/options', browser.current())).toMatchObject({
    status: 403,
    body: { error: 'second_factor_required', field: 'second_factor' },
  });
  expect((await start({ recovery_code: codes[1] })).body.error).toBe('second_factor_wrong');
  expect((await browser.post('/me/totp/remove', {})).status).toBe(403);
  expectStatus(await start({ totp_code: code() }), 201);
});

test('the list of operators shows who has which second factors, and since when', async () => {
  const { operator, browser, key } = await withPasskey(optional, 'viewer');
  const since = new Date(h.clock.now()).toISOString();
  h.clock.advance(60_000);
  expectStatus(await addPasskey(browser, newAuthenticator(), await shown(browser, key)), 201);
  const begun = await browser.post('/me/totp', { second_factor: await shown(browser, key) });
  const factorOf = async ({ email }: GivenOperator) => {
    const path = `${operatorBase}/operators?q=${email}`;
    for (const role of ['viewer', 'fulfilment'] as const) {
      const { body } = await optional.by[role].client.get(path);
      expect(body.operators[0].second_factor).toBeNull();
    }
    const { body } = await optional.by.admin.client.get(path);
    return body.operators[0].second_factor;
  };
  // An app counts once it is confirmed.
  expect(await factorOf(operator)).toEqual({ passkeys: 2, totp: false, since });
  const { key: secret } = expectStatus(begun, 201).body;
  h.secrets.add(secret);
  const totp_code = totpCode(fromBase32(secret), step());
  expectStatus(await browser.post('/me/totp/confirm', { totp_code }), 200);
  expect(await factorOf(operator)).toEqual({ passkeys: 2, totp: true, since });
  const app = await withTotp(optional, 'viewer');
  expect(await factorOf(app.operator)).toMatchObject({ passkeys: 0, totp: true });
  expect(await factorOf(optional.by.admin)).toBeNull();
});

describe('the second step', () => {
  const wrongCode = '000000';

  test('the second step ends after five minutes, with another password, and with the account', async () => {
    const { operator, codes, browser } = await withPasskey(optional);
    const here = newBrowser(optional);
    const enter = (token: string) => here.post('/session/second-factor', { token, recovery_code: codes[0] });
    const late = await begin(operator, here);
    h.clock.advance(5 * 60_000);
    expect((await enter(late.token)).status).toBe(401);

    const before = await begin(operator, here);
    const next = 'another password of some length';
    expectStatus(
      await browser.put('/me/password', { current_password: operator.password, new_password: next }),
      200,
    );
    expect((await enter(before.token)).status).toBe(401);

    const disabled = await begin({ ...operator, password: next }, here);
    const { client } = optional.by.admin;
    const reason = { reason: 'Left' };
    expectStatus(await client.post(`${operatorBase}/operators/${operator.operatorId}/disable`, reason), 200);
    expect((await enter(disabled.token)).status).toBe(401);
  });

  test('the second step is delayed after wrong ones, which a right password does not take back', async () => {
    const { operator, codes } = await withTotp(optional);
    const here = newBrowser(optional);
    const guess = async () => {
      const { token } = await begin(operator, here);
      return here.post('/session/second-factor', { token, totp_code: wrongCode });
    };
    for (let guesses = 0; guesses < 4; guesses += 1) expect((await guess()).status).toBe(400);
    const fifth = await guess();
    expect(fifth).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    h.clock.advance(1_000 * Number(fifth.headers['retry-after']));
    const { token } = await begin(operator, here);
    expectStatus(await here.post('/session/second-factor', { token, recovery_code: codes[0] }), 200);
    // Which does take them back.
    expect((await guess()).status).toBe(400);
  });

  test('the second step is held to a few guesses from many networks, also after an hour', async () => {
    const { operator } = await withTotp(optional);
    const guess = async (times: number) => {
      const statuses: number[] = [];
      for (let guesses = 0; guesses < times; guesses += 1) {
        const here = newBrowser(optional);
        const { token } = await begin(operator, here);
        statuses.push((await here.post('/session/second-factor', { token, totp_code: wrongCode })).status);
      }
      return statuses;
    };
    expect(await guess(13)).toEqual([...Array(11).fill(400), 429, 429]);
    h.clock.advance(60 * 60_000);
    expect(await guess(2)).toEqual([400, 429]);
  });

  test('the second step counts no challenge that is over as a wrong second factor', async () => {
    const { browser, key } = await withPasskey(optional);
    const proof = await shown(browser, key);
    h.clock.advance(2 * 60_000);
    for (let times = 0; times < 6; times += 1) {
      expect(await browser.post('/me/recovery-codes', { second_factor: proof })).toMatchObject({
        status: 400,
        body: { error: 'invalid_challenge' },
      });
    }
  });

  test('the second step takes exactly one second factor, and no page of another site', async () => {
    const { operator, codes } = await withPasskey(optional);
    const here = newBrowser(optional);
    const { token } = await begin(operator, here);
    for (const body of [{ token }, { token, totp_code: wrongCode, recovery_code: codes[0] }]) {
      expect(await here.post('/session/second-factor', body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field: 'passkey' },
      });
    }
    const foreign = { origin: 'https://evil.example' };
    expect(
      (await here.post('/session/second-factor', { token, recovery_code: codes[0] }, foreign)).status,
    ).toBe(403);
  });
});

describe('a change of the account at the same time', () => {
  /** Begins to disable an account, sends a request that waits for that, and goes on. */
  async function whileDisabling(operatorId: Uuid, ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const requested = await h.ctx.db.transaction(async (tx) => {
      await lockOperator(tx, operatorId);
      const response = ask();
      await eventually(async () => {
        const waiting = await h.ctx.sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        if (waiting.length === 0) throw new Error('the request does not wait');
      }, 10_000);
      await endSessionsOf(tx, operatorId, new Date(h.clock.now()));
      return { response };
    });
    return requested.response;
  }

  test('a change of the account has signing in wait for it, and begin again', async () => {
    const { operator, key } = await withPasskey(optional);
    const here = newBrowser(optional);
    const { token, passkey_options: options } = await begin(operator, here);
    const response = await whileDisabling(operator.operatorId, () =>
      here.post('/session/second-factor', { token, passkey: key.get(options) }),
    );
    expect(response).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  test('a change of the account has a confirmation wait for it, and void', async () => {
    const { operator, browser, key } = await withPasskey(optional);
    const proof = await shown(browser, key);
    const response = await whileDisabling(operator.operatorId, () =>
      browser.post('/me/recovery-codes', { second_factor: proof }),
    );
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_challenge' } });
  });

  test('a change of the account has the confirmation of an authenticator app wait for it, and fail', async () => {
    const { operator, browser } = await signedIn(optional);
    const { key } = expectStatus(await browser.post('/me/totp', browser.current()), 201).body;
    const totp_code = totpCode(fromBase32(key), step());
    const response = await whileDisabling(operator.operatorId, () =>
      browser.post('/me/totp/confirm', { totp_code }),
    );
    expect(response).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });
});

describe('a service whose roles that move value need a second factor', () => {
  test('a session by password alone can add a second factor and nothing else, and goes on with it', async () => {
    const { browser } = await signedIn(required, 'fulfilment');
    expect((await browser.get('/me')).body).toMatchObject({
      permissions: ['read', 'decide', 'fulfil'],
      second_factor_required: true,
      second_factor_enrolled: false,
    });
    for (const refused of [
      await browser.get('/redemptions'),
      await browser.get('/stream'),
      await browser.get('/approvals'),
      await browser.post('/bars', { bars: [] }),
    ]) {
      expect(refused).toMatchObject({ status: 403, body: { error: 'second_factor_required' } });
    }
    expectStatus(await addPasskey(browser), 201);
    expectStatus(await browser.get('/redemptions'), 200);
  });

  test('an officer of compliance needs a second factor, because the role requests and approves limits', async () => {
    const { browser } = await signedIn(required, 'compliance');
    const refused = { status: 403, body: { error: 'second_factor_required' } };
    expect(await browser.get('/users')).toMatchObject(refused);
    expectStatus(await addPasskey(browser), 201);
    expectStatus(await browser.get('/users'), 200);
  });

  test('roles that read, and tokens of scripts, need no second factor', async () => {
    const { browser } = await signedIn(required, 'viewer');
    expectStatus(await browser.get('/redemptions'), 200);
    expectStatus(await required.by.admin.client.get(`${operatorBase}/redemptions`), 200);
  });

  test('the last second factor stays, and a viewer who becomes admin has to add one', async () => {
    const { browser, key, id } = await withPasskey(required);
    const remove = { second_factor: await shown(browser, key) };
    expect(await browser.post(`/me/passkeys/${id}/remove`, remove)).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed' },
    });
    const raised = await withPasskey(required, 'viewer');
    const proof = { second_factor: await shown(raised.browser, raised.key) };
    expectStatus(await raised.browser.post(`/me/passkeys/${raised.id}/remove`, proof), 200);
    await h.ctx.db.execute(sql`update people set role = 'admin' where id = ${raised.operator.operatorId}`);
    expect((await raised.browser.get('/redemptions')).body.error).toBe('second_factor_required');
  });
});

describe('an approval', () => {
  /** A request of one admin that another has to approve. */
  async function waiting(): Promise<string> {
    const { operatorId } = await required.givenOperator('viewer');
    const { client } = required.by.admin;
    const requested = await client.post(`${operatorBase}/operators/${operatorId}/disable`, {
      reason: 'Left',
    });
    return expectStatus(requested, 202).body.approval_id;
  }
  const approve = (browser: Browser, id: string, proof?: object) =>
    browser.post(`/approvals/${id}/approve`, proof ? { second_factor: proof } : {});
  const desired = (id: string) => ({ purpose: 'approval', approval_id: id });

  test('an approval takes a fresh passkey for this approval alone, once', async () => {
    const { operator, browser, key } = await withPasskey(required);
    const [one, other] = [await waiting(), await waiting()];
    expect(await approve(browser, one)).toMatchObject({
      status: 403,
      body: { error: 'second_factor_required' },
    });
    for (const proof of [
      await shown(browser, key),
      await shown(browser, key, desired(other)),
      { token: 'f'.repeat(64), totp_code: '000000' },
    ]) {
      expect(await approve(browser, one, proof)).toMatchObject({
        status: 400,
        body: { error: 'invalid_challenge' },
      });
    }
    h.clock.advance(60 * 60_000);
    // Signs in again: the session was idle.
    const { token, passkey_options: options } = await begin(operator, browser);
    expectStatus(await browser.post('/session/second-factor', { token, passkey: key.get(options) }), 200);
    const late = await shown(browser, key, desired(one));
    h.clock.advance(2 * 60_000);
    expect((await approve(browser, one, late)).body.error).toBe('invalid_challenge');
    const proof = await shown(browser, key, desired(one));
    expectStatus(await approve(browser, one, proof), 200);
    expect((await approve(browser, other, proof)).body.error).toBe('invalid_challenge');
    const rows = (await findAuditRowsAfter(h.ctx.db, 0, 10_000)).filter(
      ({ action, personId }) => action === 'operator.confirm' && personId === operator.operatorId,
    );
    expect(rows.at(-1)?.after).toMatchObject({ purpose: 'approval', approval_id: one, method: 'passkey' });
  });

  test('an approval by an operator who has no passkey takes a fresh code, and no recovery code', async () => {
    const { browser, code, codes } = await withTotp(required);
    const id = await waiting();
    const { token, methods } = expectStatus(
      await browser.post('/me/second-factor/challenges', desired(id)),
      201,
    ).body;
    expect(methods).toEqual(['totp']);
    const wrong = { status: 400, body: { error: 'second_factor_wrong' } };
    expect(await approve(browser, id, { token, recovery_code: codes[0] })).toMatchObject(wrong);
    expectStatus(await approve(browser, id, { token, totp_code: code() }), 200);
    // The step of the code was used.
    const next = await waiting();
    const again = expectStatus(await browser.post('/me/second-factor/challenges', desired(next)), 201).body;
    expect(await approve(browser, next, { token: again.token, totp_code: code() })).toMatchObject(wrong);
  });

  test('an approval by an operator who has a passkey takes no code', async () => {
    const { browser, code } = await withTotp(required);
    const { token } = expectStatus(
      await browser.post('/me/second-factor/challenges', { purpose: 'account' }),
      201,
    ).body;
    expectStatus(await addPasskey(browser, newAuthenticator(), { token, totp_code: code() }), 201);
    h.clock.advance(30_000);
    const id = await waiting();
    const offer = expectStatus(await browser.post('/me/second-factor/challenges', desired(id)), 201).body;
    expect(offer.methods).toEqual(['passkey']);
    const proof = { token: offer.token, totp_code: code() };
    expect((await approve(browser, id, proof)).body.error).toBe('second_factor_wrong');
  });

  test('an approval has no challenge for the requester, nor for an unknown operator', async () => {
    const { browser, key } = await withPasskey(required);
    const { operatorId } = await required.givenOperator('viewer');
    const headers = await confirmed(browser, key);
    const own = await browser.post(`/operators/${operatorId}/disable`, { reason: 'Left' }, headers);
    const challenge = (id: string) => browser.post('/me/second-factor/challenges', desired(id));
    expect((await challenge(expectStatus(own, 202).body.approval_id)).status).toBe(403);
    expect((await challenge(operatorId)).status).toBe(404);
    for (const bad of [
      { purpose: 'approval' },
      { purpose: 'account', approval_id: operatorId },
      { purpose: 'confirmation', approval_id: operatorId },
    ]) {
      expect(await browser.post('/me/second-factor/challenges', bad)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field: 'approval_id' },
      });
    }
  });
});

describe('a confirmation', () => {
  const required403 = {
    status: 403,
    body: { error: 'second_factor_required', field: 'x-karat-confirmation' },
  };
  const disable = async (browser: Browser, headers = {}, operators = alone) => {
    const { operatorId } = await operators.givenOperator('viewer');
    return browser.post(`/operators/${operatorId}/disable`, { reason: 'Left' }, headers);
  };

  /** What takes two people where two are required, and no chain. */
  const sensitive: Record<string, () => Promise<['POST' | 'PATCH', string, object]>> = {
    'another role': async () => ['PATCH', await operatorPath(), { role: 'compliance' }],
    'an operator disabled': async () => ['POST', `${await operatorPath()}/disable`, { reason: 'Left' }],
    'an operator enabled': async () => {
      const path = await operatorPath();
      const { client } = alone.by.admin;
      expectStatus(await client.post(`${operatorBase}${path}/disable`, { reason: 'Left' }), 200);
      return ['POST', `${path}/enable`, {}];
    },
    'a second factor reset': async () => {
      const { operator } = await withTotp(alone, 'viewer');
      const path = `/operators/${operator.operatorId}/reset-second-factor`;
      return ['POST', path, { reason: 'Lost' }];
    },
    'an admin': async () => ['POST', '/operators', account('admin')],
    'someone who hands over': async () => ['POST', '/operators', account('fulfilment')],
    'a fee': async () => [
      'PATCH',
      `/partners/${(await h.givenPartner()).partnerId}`,
      { fee_percentage: 0.02 },
    ],
    'a partner with a wallet': async () => {
      const wallet_address = newWallet().address;
      return ['POST', '/partners', { name: 'Initech', fee_percentage: 0.01, wallet_address }];
    },
    'a wallet': async () => {
      const { partnerId } = await h.givenPartner();
      return ['POST', `/partners/${partnerId}/wallets`, { wallet_address: newWallet().address }];
    },
    'a partner resumed': async () => {
      const { partnerId } = await h.givenPartner({ status: 'suspended' });
      return ['POST', `/partners/${partnerId}/resume`, {}];
    },
    'a denomination': async () => {
      const place = { country: 'PK', city: 'Karachi', active: true };
      const id = `bar_${newUuid().slice(-12)}`;
      return ['POST', '/denominations', { id, label: '5 g bar', weight_g: 5, ...place }];
    },
    'bars added': async () => ['POST', '/bars', { bars: [newBar()] }],
    'a bar withdrawn': async () => ['PATCH', await barPath(), { status: 'withdrawn', reason: 'melted' }],
    'a bar moved': async () => ['PATCH', await barPath(), { city: 'Lahore' }],
    'a bar reweighed': async () => ['PATCH', await barPath(), { weight_g: 11.664 }],
    'a fourth code in place of another': async () => {
      const user = await h.givenUser(h.main.partnerId);
      const id = await givenRedemption(h, { partner: h.main, user }, { status: 'ready' });
      const again = () => alone.by.admin.client.post(`${operatorBase}/redemptions/${id}/reissue-code`);
      for (let issued = 0; issued < 3; issued += 1) expectStatus(await again(), 200);
      return ['POST', `/redemptions/${id}/reissue-code`, {}];
    },
    'a hand-over without the code': async () => {
      const user = await h.givenUser(h.main.partnerId);
      const id = await givenRedemption(h, { partner: h.main, user }, { status: 'ready' });
      return ['POST', `/redemptions/${id}/collect`, { without_code: { reason: 'Lost the phone' } }];
    },
  };
  const barPath = async () => {
    const bars = { bars: [newBar()] };
    const { body } = await alone.by.admin.client.post(`${operatorBase}/bars`, bars);
    return `/bars/${body.bars[0].bar_id}`;
  };
  const operatorPath = async () => `/operators/${(await alone.givenOperator('viewer')).operatorId}`;
  const account = (role: string) => ({
    email: `new-${newUuid()}@karat.test`,
    name: 'Sana Malik',
    role,
    password: 'correct horse battery',
  });

  test.each(Object.entries(sensitive))(
    'a confirmation is needed for %s, also where one person is enough',
    async (_, of) => {
      const { browser, key } = await withPasskey(alone);
      const [method, path, body] = await of();
      const send = (headers = {}) =>
        method === 'POST' ? browser.post(path, body, headers) : browser.patch(path, body, headers);
      expect(await send()).toMatchObject(required403);
      expect(await send({ 'x-karat-confirmation': 'f'.repeat(64) })).toMatchObject(required403);
      const done = await send(await confirmed(browser, key));
      expect([done.status, done.body.error]).toEqual([expect.toSatisfy((status) => status < 300), undefined]);
    },
  );

  test('a confirmation lasts five minutes in its session, and a cookie that was stolen does not come with it', async () => {
    const { operator, browser, key } = await withPasskey(alone);
    const elsewhere = newBrowser(alone);
    const { token, passkey_options: options } = await begin(operator, elsewhere);
    expectStatus(await elsewhere.post('/session/second-factor', { token, passkey: key.get(options) }), 200);
    const headers = await confirmed(browser, key);
    const thief = newBrowser(alone);
    thief.plant(browser.cookie());
    expect(await disable(thief)).toMatchObject(required403);
    expect(await disable(elsewhere, headers)).toMatchObject(required403);
    h.clock.advance(5 * 60_000 - 1);
    expectStatus(await disable(browser, headers), 200);
    h.clock.advance(1);
    expect(await disable(browser, headers)).toMatchObject(required403);
    const [first, second] = [await confirmed(browser, key), await confirmed(browser, key)];
    expect(await disable(browser, first)).toMatchObject(required403);
    expectStatus(await disable(browser, second), 200);
    const rows = (await actionsOf(operator.operatorId)).filter(([action]) => action === 'operator.confirm');
    expect(rows).toEqual([1, 2, 3].map(() => ['operator.confirm', 'passkey', 'confirmation']));
  });

  test('a confirmation is needed for bars where two people are required, and a token has none', async () => {
    const { browser, key } = await withPasskey(required, 'fulfilment');
    const body = { bars: [newBar()] };
    expect(await browser.post('/bars', body)).toMatchObject(required403);
    const { approval_id: id } = expectStatus(
      await browser.post('/bars', body, await confirmed(browser, key)),
      202,
    ).body;
    const approver = await withPasskey(required);
    const approve = (proof?: object) => approver.browser.post(`/approvals/${id}/approve`, proof);
    expect((await approve()).body.error).toBe('second_factor_required');
    const fresh = await shown(approver.browser, approver.key, { purpose: 'approval', approval_id: id });
    expect(expectStatus(await approve({ second_factor: fresh }), 200).body).toMatchObject(body);
  });

  test('a confirmation is kept as a hash', async () => {
    const { browser, key } = await withPasskey(alone);
    const { 'x-karat-confirmation': secret } = await confirmed(browser, key);
    const like = `%${secret}%`;
    expect(await h.ctx.db.execute(sql`select 1 from sessions s where s::text like ${like}`)).toHaveLength(0);
  });

  test('a confirmation is needed to request what another operator approves', async () => {
    const { browser, key } = await withPasskey(required);
    expect(await disable(browser, {}, required)).toMatchObject(required403);
    expectStatus(await disable(browser, await confirmed(browser, key), required), 202);
  });

  test('a confirmation is given once with a passkey for it, and with nothing else of operators who have one', async () => {
    const { browser, key, codes } = await withPasskey(alone);
    const confirm = (proof: object) => browser.post('/me/second-factor/confirm', proof);
    expect((await confirm(await shown(browser, key))).body.error).toBe('invalid_challenge');
    const proof = await shown(browser, key, { purpose: 'confirmation' });
    expectStatus(await confirm(proof), 201);
    expect((await confirm(proof)).body.error).toBe('invalid_challenge');
    const { token } = await shown(browser, key, { purpose: 'confirmation' });
    expect((await confirm({ token, recovery_code: codes[0] })).body.error).toBe('second_factor_wrong');
  });

  test('a confirmation takes a code of operators who have an app alone, and no recovery code', async () => {
    const { browser, code, codes } = await withTotp(alone);
    const { token, methods } = expectStatus(
      await browser.post('/me/second-factor/challenges', { purpose: 'confirmation' }),
      201,
    ).body;
    expect(methods).toEqual(['totp']);
    const confirm = (proof: object) => browser.post('/me/second-factor/confirm', { token, ...proof });
    expect((await confirm({ recovery_code: codes[0] })).body.error).toBe('second_factor_wrong');
    const { confirmation } = expectStatus(await confirm({ totp_code: code() }), 201).body;
    h.secrets.add(confirmation);
    expectStatus(await disable(browser, { 'x-karat-confirmation': confirmation }), 200);
  });

  test('a confirmation is not needed for what one person may do, by a token, or of an operator without a second factor', async () => {
    const { browser } = await withPasskey(alone);
    const { operatorId } = await alone.givenOperator('viewer');
    expectStatus(await browser.patch(`/operators/${operatorId}`, { name: 'Sana' }), 200);
    expectStatus(
      await alone.by.admin.client.post(`${operatorBase}/operators/${operatorId}/disable`, { reason: 'Left' }),
      200,
    );
    const plain = await signedIn(optional);
    expectStatus(await disable(plain.browser, {}, optional), 200);
  });

  test('a confirmation is needed once what one person could do has become what takes two', async () => {
    const { partnerId } = await h.givenPartner();
    const config = { ...h.ctx.config, approvals: 1 as const };
    const same = { partnerId, name: undefined, feePercentage: 0.015 };
    const plan = await planPartnerChange({ ...h.ctx, config }, same);
    expect(plan.takesTwo).toBe(false);
    await inChange(h.ctx, commandLine, (change) => changePartner(change, { ...same, feePercentage: 0.01 }));
    const by = { personId: alone.by.admin.operatorId, requestId: 'x' };
    const made = inChange(h.ctx, by, (change) => makeChange(change, plan));
    await expect(made).rejects.toThrow('check it again');
  });
});

describe('a second factor that is lost', () => {
  const reset = (operators: Operators, operatorId: string) =>
    operators.by.admin.client.post(`${operatorBase}/operators/${operatorId}/reset-second-factor`, {
      reason: 'Lost the phone',
    });

  test('a lost second factor is reset by an admin, which ends the sessions and is audited', async () => {
    const { operator, browser } = await withPasskey(optional);
    expect(expectStatus(await reset(optional, operator.operatorId), 200).body.operator_id).toBe(
      operator.operatorId,
    );
    expect((await browser.get('/me')).status).toBe(401);
    expect((await changesOf(h, 'operator', operator.operatorId)).at(-1)).toEqual({
      action: 'operator.reset_second_factor',
      before: { passkeys: 1, totp: false },
      after: { passkeys: 0, totp: false },
      reason: 'Lost the phone',
      operatorId: optional.by.admin.operatorId,
    });
    expectStatus(await newBrowser(optional).password(operator), 200);
    expect((await reset(optional, operator.operatorId)).status).toBe(409);
    expect((await reset(optional, optional.by.admin.operatorId)).status).toBe(403);
  });

  test('a lost second factor is reset by two admins where it takes two, the second with a passkey', async () => {
    const { operator } = await withTotp(required);
    const { approval_id: id } = expectStatus(await reset(required, operator.operatorId), 202).body;
    const { browser, key } = await withPasskey(required);
    const proof = await shown(browser, key, { purpose: 'approval', approval_id: id });
    expectStatus(await browser.post(`/approvals/${id}/approve`, { second_factor: proof }), 200);
    expectStatus(await newBrowser(required).password(operator), 200);
  });

  test('a lost second factor is reset on the command line by the owner of the tables', async () => {
    const { operator } = await withPasskey(optional);
    const url = h.ctx.config.databaseUrl.reveal();
    const run = (env: Record<string, string>) =>
      callKarat(['operator', 'reset-second-factor', '--email', operator.email, '--reason', 'lost'], env);
    expect((await run({ DATABASE_URL: url })).code).toBe(1);
    const done = await run({ DATABASE_URL: url, KARAT_OWNER_DATABASE_URL: url });
    expect([done.code, done.stderr]).toEqual([0, '']);
    expectStatus(await newBrowser(optional).password(operator), 200);
    expect((await changesOf(h, 'operator', operator.operatorId)).at(-1)).toMatchObject({
      action: 'operator.reset_second_factor',
      operatorId: null,
      reason: 'lost',
    });
  });
});

test('a token approves nothing where roles that move value need a second factor, and may reject', async () => {
  const { operatorId } = await required.givenOperator('viewer');
  const ask = await required.by.admin.client.post(`${operatorBase}/operators/${operatorId}/disable`, {
    reason: 'Left',
  });
  const path = `${operatorBase}/approvals/${expectStatus(ask, 202).body.approval_id}`;
  const { client } = await required.givenOperator('admin');
  expect(await client.post(`${path}/approve`)).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: 'This needs a session of the console, not a token.' },
  });
  expectStatus(await client.post(`${path}/reject`, { reason: 'Not today' }), 200);
});

test('tokens of scripts neither have nor change second factors', async () => {
  const { client } = optional.by.admin;
  for (const path of [
    '/me/second-factor/challenges',
    '/me/second-factor/confirm',
    '/me/passkeys/options',
    '/me/totp',
    '/me/recovery-codes',
  ]) {
    const body =
      { challenges: { purpose: 'account' }, confirm: { token: 'x', totp_code: '492039' } }[
        path.slice('/me/second-factor/'.length)
      ] ?? {};
    expect(await client.post(operatorBase + path, body)).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
  }
});

import { sql } from 'drizzle-orm';
import sodium from 'sodium-native';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { admitSignIn } from '../../../src/actions/people/limit-sign-in.js';
import { hashPassword } from '../../../src/actions/people/passwords.js';
import { findAuditHead } from '../../../src/db/operators/audit-log.js';
import { newUuid } from '../../../src/domain/ids.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import {
  type ApiResponse,
  type Client,
  clientOf,
  expectStatus,
  type Harness,
  harness,
  newAddress,
} from '../../harness.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  send,
  startOperators,
} from '../../operators.js';
import { contractRoutes, methodOf, pathOf } from './contract-routes.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness({ config: { approvals: 1 } });
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const hour = 3_600_000;
const from = (remoteAddress: string, app = operators.app) => clientOf(app, {}, { remoteAddress });
const signIn = (body: object, client = from(newAddress()), headers: Record<string, string> = {}) =>
  client.post(`${operatorBase}/session`, body, headers);
const cookieOf = (response: ApiResponse) => String(response.headers['set-cookie']).split(';')[0] ?? '';
const me = (headers: Record<string, string>) => operators.anonymous.get(`${operatorBase}/me`, headers);
/** What a browser adds to a request of the console's own page. */
const ownPage = { host: 'karat.test', origin: 'https://karat.test', 'x-karat-console': '1' };
const wrong = 'an entirely wrong password';

/** An operator with an open session, whose cookie is a client. */
async function givenSession(role: GivenOperator['role'] = 'admin') {
  const operator = await operators.givenOperator(role);
  const cookie = cookieOf(expectStatus(await signIn(credentials(operator)), 200));
  h.secrets.add(cookie.split('=')[1] ?? '');
  return { operator, cookie };
}
const credentials = ({ email, password }: GivenOperator) => ({ email, password });

describe('open sessions', () => {
  const get = (cookie: string, path = '/me/sessions') =>
    operators.anonymous.get(operatorBase + path, { cookie, ...ownPage });
  const post = (cookie: string, path: string) =>
    operators.anonymous.post(operatorBase + path, {}, { cookie, ...ownPage });
  const open = async (cookie: string) => expectStatus(await get(cookie), 200).body.sessions;
  /** A further session of an operator, from an address and a browser of its own. */
  const signInAgain = async (operator: GivenOperator, address = newAddress(), agent = 'Counter/1.0') => {
    const opened = await signIn(credentials(operator), from(address), { 'user-agent': agent });
    const cookie = cookieOf(expectStatus(opened, 200));
    h.secrets.add(cookie.split('=')[1] ?? '');
    return cookie;
  };

  test('open sessions are listed with where they come from, and without what opens them', async () => {
    const { operator, cookie } = await givenSession('viewer');
    h.clock.advance(60_000);
    const address = newAddress();
    const second = await signInAgain(operator, address, 'x'.repeat(400));
    const response = expectStatus(await get(second), 200);
    const [newest, oldest, ...others] = response.body.sessions;
    expect(others).toEqual([]);
    expect(newest).toEqual({
      session_id: expect.any(String),
      operator_id: operator.operatorId,
      created_at: new Date(h.clock.now()).toISOString(),
      last_used_at: new Date(h.clock.now()).toISOString(),
      expires_at: new Date(h.clock.now() + 12 * hour).toISOString(),
      address,
      user_agent: 'x'.repeat(300),
      second_factor: false,
      current: true,
    });
    expect(oldest).toMatchObject({ current: false, last_used_at: oldest.created_at });
    for (const one of [cookie, second]) expect(response.text).not.toContain(one.split('=')[1]);
    expect(response.text).not.toMatch(/[0-9a-f]{64}/);
    // Those that are idle are no longer there.
    h.clock.advance(hour / 2 - 1);
    expect(await open(second)).toHaveLength(1);
  });

  test('open sessions are ended one by one by their operator, and by no other', async () => {
    const { operator, cookie } = await givenSession('viewer');
    const lost = await signInAgain(operator);
    const { session_id: id, address } = (await open(cookie))[0];
    const stranger = await givenSession('compliance');
    const none = { status: 404, body: { error: 'not_found' } };
    expect(await post(stranger.cookie, `/me/sessions/${id}/end`)).toMatchObject(none);
    expect((await me({ cookie: lost })).status).toBe(200);
    expect(expectStatus(await post(cookie, `/me/sessions/${id}/end`), 200).body).toEqual({ status: 'ended' });
    expect((await me({ cookie: lost })).status).toBe(401);
    expect((await me({ cookie })).status).toBe(200);
    expect(await post(cookie, `/me/sessions/${id}/end`)).toMatchObject(none);
    expect(await changesOf(h, 'operator', operator.operatorId)).toEqual([
      {
        action: 'operator.end_session',
        before: { session_id: id, address, created_at: expect.any(String) },
        after: null,
        reason: null,
        operatorId: operator.operatorId,
      },
    ]);
  });

  test('open sessions are ended together but for the one of the request, or all with a token', async () => {
    const { operator, cookie } = await givenSession('viewer');
    const others = [await signInAgain(operator), await signInAgain(operator)];
    expect(expectStatus(await post(cookie, '/me/sessions/end-others'), 200).body).toEqual({ ended: 2 });
    for (const other of others) expect((await me({ cookie: other })).status).toBe(401);
    expect((await me({ cookie })).status).toBe(200);
    expect(expectStatus(await post(cookie, '/me/sessions/end-others'), 200).body).toEqual({ ended: 0 });
    const all = await operator.client.post(`${operatorBase}/me/sessions/end-others`);
    expect(expectStatus(all, 200).body).toEqual({ ended: 1 });
    expect((await me({ cookie })).status).toBe(401);
    const changes = await changesOf(h, 'operator', operator.operatorId);
    expect(changes.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['operator.end_sessions', { sessions: 2 }, { sessions: 0 }],
      ['operator.end_sessions', { sessions: 1 }, { sessions: 0 }],
    ]);
  });

  test('open sessions of an operator are seen and ended by an admin, with a reason', async () => {
    const { operator, cookie } = await givenSession('fulfilment');
    const lost = await signInAgain(operator);
    const { client, operatorId } = operators.by.admin;
    const path = `${operatorBase}/operators/${operator.operatorId}`;
    const { sessions } = expectStatus(await client.get(`${path}/sessions`), 200).body;
    expect(sessions).toMatchObject([
      { user_agent: 'Counter/1.0', current: false },
      { operator_id: operator.operatorId },
    ]);
    const reason = { reason: 'The laptop was stolen' };
    const one = `${operatorBase}/operator-sessions/${sessions[0].session_id}/end`;
    expectStatus(await client.post(one, reason), 200);
    expect((await me({ cookie: lost })).status).toBe(401);
    expect((await me({ cookie })).status).toBe(200);
    expect(expectStatus(await client.post(`${path}/end-sessions`, reason), 200).body).toEqual({ ended: 1 });
    expect((await me({ cookie })).status).toBe(401);
    expect(await changesOf(h, 'operator', operator.operatorId)).toMatchObject([
      { action: 'operator.end_session', ...reason, operatorId },
      { action: 'operator.end_sessions', ...reason, operatorId },
    ]);
    expectStatus(await signIn(credentials(operator)), 200);
    const unknown = `${operatorBase}/operators/${newUuid()}`;
    for (const response of [
      await client.get(`${unknown}/sessions`),
      await client.post(`${unknown}/end-sessions`),
    ]) {
      expect(response).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
  });
});

describe('a session', () => {
  test('a session opens with email and password, reports whose it is, and ends', async () => {
    const { email, password, operatorId } = operators.by.viewer;
    const opened = await operators.anonymous.post('/operator/v1/session', { email, password });
    expect(opened).toMatchObject({ status: 200, body: { operator_id: operatorId, email, role: 'viewer' } });
    expect(opened.headers['set-cookie']).toMatch(
      /^karat_session=[0-9a-f]{64}; Max-Age=43200; Path=\/operator; HttpOnly; SameSite=Strict$/,
    );
    expect(opened.text).not.toMatch(/password|argon2|karat_session|[0-9a-f]{64}/);
    const cookie = cookieOf(opened);
    expect(await me({ cookie })).toMatchObject({ status: 200, body: { operator_id: operatorId } });
    const end = {
      method: 'DELETE',
      url: `${operatorBase}/session`,
      headers: { cookie, ...ownPage },
    } as const;
    const ended = await operators.anonymous.send(end);
    expect(ended).toMatchObject({ status: 200, body: { status: 'signed_out' } });
    expect(ended.headers['set-cookie']).toMatch(/^karat_session=; .*Expires=Thu, 01 Jan 1970/);
    expect(await me({ cookie })).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    expect((await operators.anonymous.send(end)).status).toBe(401);
  });

  test('a session has a cookie for TLS alone, unless the browser runs on this machine', async () => {
    for (const [host, secure] of [
      ['ops.karat.example', true],
      ['10.0.0.7:8090', true],
      ['127.0.0.1.evil.example', true],
      ['localhost:8090', false],
      ['127.0.0.1:8090', false],
    ] as const) {
      const opened = await signIn(credentials(operators.by.viewer), from(newAddress()), { host });
      expect(/; Secure(;|$)/.test(String(opened.headers['set-cookie'])), host).toBe(secure);
    }
  });

  test('a session lives for 12 hours, whatever is done with it', async () => {
    const { cookie } = await givenSession();
    for (let half = 0; half < 24; half += 1) {
      h.clock.advance(hour / 2 - 1);
      expect((await me({ cookie })).status, `after ${half} half hours`).toBe(200);
    }
    h.clock.advance(23);
    expect((await me({ cookie })).status).toBe(200);
    h.clock.advance(1);
    expect((await me({ cookie })).status).toBe(401);
  });

  test('a session ends after 30 minutes without a request, and no request revives it', async () => {
    const { cookie } = await givenSession();
    const other = await givenSession();
    h.clock.advance(hour / 2);
    expect((await me({ cookie })).status).toBe(401);
    expect((await me({ cookie })).status).toBe(401);
    h.clock.advance(-1);
    expect((await me({ cookie: other.cookie })).status).toBe(200);
    // A clock that was set back takes nothing from what was used already.
    h.clock.advance(-hour / 4);
    expect((await me({ cookie: other.cookie })).status).toBe(200);
    h.clock.advance(hour / 4 + hour / 2 - 1);
    expect((await me({ cookie: other.cookie })).status).toBe(200);
  });

  test('a session is kept as a hash, and its secret is nowhere else', async () => {
    const { cookie } = await givenSession();
    const secret = cookie.split('=')[1] ?? '';
    const found = await h.ctx.db.execute(
      sql`select 1 from sessions where sessions::text like ${`%${secret}%`}`,
    );
    expect(found).toHaveLength(0);
    expect(h.logLines.some((line) => line.includes(secret))).toBe(false);
  });

  test('a session that one person left for another is not gone on with, and ends', async () => {
    const attacker = await givenSession('viewer');
    const victim = await operators.givenOperator('admin');
    const planted = { cookie: attacker.cookie };
    const opened = expectStatus(await signIn(credentials(victim), from(newAddress()), planted), 200);
    expect(cookieOf(opened)).not.toBe(attacker.cookie);
    expect((await me({ cookie: attacker.cookie })).status).toBe(401);
    expect((await me({ cookie: cookieOf(opened) })).body.operator_id).toBe(victim.operatorId);
    // Nor is a name that the attacker chose.
    const chosen = `karat_session=${'a'.repeat(64)}`;
    const again = expectStatus(
      await signIn(credentials(victim), from(newAddress()), { cookie: chosen }),
      200,
    );
    expect(cookieOf(again)).not.toBe(chosen);
    expect((await me({ cookie: chosen })).status).toBe(401);
  });

  test('a refused session leaves the one that is open, and opens none', async () => {
    const { cookie, operator } = await givenSession();
    const refused = await signIn({ email: operator.email, password: wrong }, from(newAddress()), { cookie });
    expect(refused.status).toBe(401);
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect((await me({ cookie })).status).toBe(200);
  });

  test.each(['', 'x', '0'.repeat(64), '%00', 'a'.repeat(3_000), '\u00ff', "' or 1=1 --"])(
    'a session is not opened by the cookie %j',
    async (secret) => {
      expect((await me({ cookie: `karat_session=${secret}` })).status).toBe(401);
    },
  );
});

describe('a wrong password', () => {
  test('a wrong password has the response of an unknown email and a disabled account, after the same work', async () => {
    const disabled = await operators.givenOperator('viewer');
    const path = `/operators/${disabled.operatorId}/disable`;
    expectStatus(await send(operators.by.admin.client, 'POST', path, { reason: 'Left' }), 200);
    const known = operators.by.admin;
    const hash = await hashPassword(known.password);
    await h.ctx.sql`
      update people set password_hash = ${hash} where id in (${known.operatorId}, ${disabled.operatorId})`;
    const cases = {
      wrong: { email: known.email, password: wrong },
      unknown: { email: 'nobody@karat.test', password: wrong },
      'unknown, with a password that somebody has': { email: 'nobody@karat.test', password: known.password },
      disabled: credentials(disabled),
      'one that cannot be stored': { email: 'a\u0000b@karat.test', password: wrong },
      'half a character': { email: '\ud800@karat.test', password: wrong },
    };
    const make = vi.spyOn(sodium, 'crypto_pwhash_str_async');
    const verify = vi.spyOn(sodium, 'crypto_pwhash_str_verify_async');
    try {
      const responses: unknown[] = [];
      for (const [name, body] of Object.entries(cases)) {
        verify.mockClear();
        const { status, body: response, headers } = await signIn(body);
        const { doc_url: _page, ...refused } = response;
        responses.push({ status, response: refused, cookie: headers['set-cookie'] });
        // One hash of the same cost, for every account.
        const hashes = verify.mock.calls.map(([hash]) => hash.toString('utf8').split('$').slice(1, 4));
        expect(hashes, name).toEqual([['argon2id', 'v=19', 'm=19456,t=2,p=1']]);
        // Nor is one made for accounts that are not there, when the first of them is asked for.
        expect(make, name).not.toHaveBeenCalled();
      }
      const refusal = { error: 'unauthorized', message: 'The email or the password is wrong.' };
      expect(new Set(responses.map((one) => JSON.stringify(one)))).toEqual(
        new Set([JSON.stringify({ status: 401, response: refusal, cookie: undefined })]),
      );
    } finally {
      verify.mockRestore();
      make.mockRestore();
    }
  });

  /** A wrong password for an account; `from` undefined: from a network of its own. */
  const guess = (email: string, client?: Client) => signIn({ email, password: wrong }, client);
  const waits = (seconds: number) => ({
    status: 429,
    body: {
      error: 'rate_limited',
      message: `Too many failed attempts to sign in; try again in ${seconds} s.`,
    },
    headers: { 'retry-after': String(seconds) },
  });

  test('a wrong password ten times from one network locks out no other: the right one gets in at once from elsewhere', async () => {
    const owner = await operators.givenOperator('admin');
    const attacker = from(newAddress());
    for (let at = 0; at < 10; at += 1) await guess(owner.email, attacker);
    expect((await guess(owner.email, attacker)).status).toBe(429);
    expect((await signIn(credentials(owner))).status).toBe(200);
    // Nor does a password that turns out right help guesses from elsewhere.
    expect((await guess(owner.email, attacker)).status).toBe(429);
  });

  test('a wrong password of two people at the same moment delays neither, whichever is counted first', async () => {
    const [one, other] = [await operators.givenOperator('viewer'), await operators.givenOperator('admin')];
    const office = from(newAddress());
    expect((await guess(one.email, office)).status).toBe(401);
    // The other read the clock before, and was counted after.
    h.clock.advance(-1);
    expect((await signIn(credentials(other), office)).status).toBe(200);
  });

  test.each(['an account', 'an email that nobody has'])(
    'a wrong password of %s from one network waits ever longer, up to 15 minutes, whatever case the email is in',
    async (whose) => {
      const owner = await operators.givenOperator('viewer');
      const email = whose === 'an account' ? owner.email : `not-${owner.email}`;
      const client = from(newAddress());
      const shapes = [email, email.toUpperCase(), email.replace('v', 'V')];
      for (const shape of shapes) expect((await guess(shape, client)).status).toBe(401);
      for (const delay of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
        expect((await guess(email, client)).status, `before a delay of ${delay} s`).toBe(401);
        expect(await guess(email, client)).toMatchObject(waits(delay));
        h.clock.advance(delay * 1_000 - 1);
        expect(await guess(email, client)).toMatchObject(waits(1));
        h.clock.advance(1);
      }
      if (whose !== 'an account') return;
      expect((await signIn({ email, password: owner.password }, client)).status).toBe(200);
      // The right one ends the delay.
      for (const shape of shapes) expect((await guess(shape, client)).status).toBe(401);
    },
  );

  test('wrong passwords are counted in the OpenAPI document as they are', async () => {
    const document = expectStatus(await from(newAddress()).get(`${operatorBase}/openapi.json`), 200).body;
    const { description } = document.paths['/operator/v1/session'].post;
    const [, first] = /After (\d+) wrong passwords for an account from one network/.exec(description) ?? [];
    const client = from(newAddress());
    const { email } = await operators.givenOperator('viewer');
    const before: number[] = [];
    while ((await guess(email, client)).status === 401) before.push(401);
    expect(first).toBe(String(before.length));
  });

  test('a wrong password is forgotten after an hour', async () => {
    const { email } = await operators.givenOperator('viewer');
    const client = from(newAddress());
    for (let at = 0; at < 4; at += 1) expect((await guess(email, client)).status).toBe(401);
    h.clock.advance(hour);
    for (let at = 0; at < 4; at += 1) expect((await guess(email, client)).status).toBe(401);
    expect(await guess(email, client)).toMatchObject(waits(1));
  });

  test.each(['an account', 'an email that nobody has'])(
    'a wrong password of %s from ever new networks is slowed to one a minute, except in a network it signed in from',
    async (whose) => {
      const owner = await operators.givenOperator('admin');
      const home = from(newAddress());
      expectStatus(await signIn(credentials(owner), home), 200);
      const email = whose === 'an account' ? owner.email : `not-${owner.email}`;
      for (let at = 0; at < 20; at += 1) expect((await guess(email)).status).toBe(401);
      for (const delay of [1, 2, 4, 8, 16, 32, 60, 60]) {
        expect((await guess(email)).status, `before a delay of ${delay} s`).toBe(401);
        expect(await guess(email)).toMatchObject(waits(delay));
        if (whose === 'an account') {
          expect(await signIn(credentials(owner))).toMatchObject(waits(delay));
          expect((await signIn(credentials(owner), home)).status).toBe(200);
        }
        h.clock.advance(delay * 1_000);
      }
      expect((await signIn(credentials(owner))).status).toBe(200);
    },
  );

  test('wrong passwords of many accounts from one network are slowed to one a minute there, and nowhere else', async () => {
    const address = newAddress();
    const client = from(address);
    const owner = await operators.givenOperator('viewer');
    for (let at = 0; at < 20; at += 1) {
      expect((await guess(`guess-${at}-${owner.email}`, client)).status).toBe(401);
    }
    expect((await guess(`guess-20-${owner.email}`, client)).status).toBe(401);
    expect(await signIn(credentials(owner), client)).toMatchObject(waits(1));
    expect((await signIn(credentials(owner))).status).toBe(200);
    h.clock.advance(1_000);
    expect((await signIn(credentials(owner), client)).status).toBe(200);
    // The one who got in took nothing back of what the others did.
    expect((await guess(`guess-21-${owner.email}`, client)).status).toBe(401);
    expect(await guess(`guess-22-${owner.email}`, client)).toMatchObject(waits(2));
  });

  test('wrong passwords from ever new networks of one /48 are slowed after 200, and nowhere else', async () => {
    const site = '2001:db8:77::/48';
    for (let at = 0; at < 200; at += 1) {
      const network = `2001:db8:77:${at.toString(16)}::/64`;
      const email = `guess-${at}@karat.test`;
      await admitSignIn(h.ctx, { kind: 'operator', address: '::1', network, site, email, step: 'password' });
    }
    const next = (net: string) => guess(`guess-${net}@karat.test`, from(`2001:db8:${net}::1`));
    expect((await next('77:fff0')).status).toBe(401);
    expect(await next('77:fff1')).toMatchObject(waits(1));
    expect((await next('78:fff1')).status).toBe(401);
  });

  test('wrong passwords may be as many as there are people, when the right one follows', async () => {
    const client = from(newAddress());
    for (let at = 0; at < 25; at += 1) {
      expect((await signIn(credentials(operators.by.viewer), client)).status).toBe(200);
    }
  });

  test('a wrong password meets the delay across processes, exactly, when attempts race', async () => {
    const other = await buildOperatorApp(h.ctx);
    try {
      const address = newAddress();
      const attempt = (at: number) => guess('race@karat.test', from(address, at % 2 ? other : operators.app));
      const responses = await Promise.all(Array.from({ length: 24 }, (_, at) => attempt(at)));
      expect(responses.map(({ status }) => status).sort()).toEqual([
        ...Array(4).fill(401),
        ...Array(20).fill(429),
      ]);
    } finally {
      await other.close();
    }
  });

  test('a wrong password is not guessed around by another address that the caller makes up', async () => {
    const client = from(newAddress());
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      const forwarded = { 'x-forwarded-for': `203.0.113.${at}`, forwarded: `for=203.0.113.${at}` };
      const response = await signIn({ email: 'forwarded@karat.test', password: wrong }, client, forwarded);
      statuses.push(response.status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
  });

  test('a wrong password locks no operator out for longer when the clock was set back', async () => {
    const { email } = await operators.givenOperator('viewer');
    const client = from(newAddress());
    h.clock.advance(24 * hour);
    for (let at = 0; at < 5; at += 1) await guess(email, client);
    h.clock.advance(-24 * hour);
    expect((await guess(email, client)).status).toBe(401);
  });

  test('a wrong password and the right one are in the audit log with their address; an unknown email is not', async () => {
    const owner = await operators.givenOperator('viewer');
    const [home, away] = [newAddress(), newAddress()];
    const before = (await findAuditHead(h.ctx.db))?.seq ?? 0;
    expectStatus(await signIn(credentials(owner), from(home)), 200);
    expect((await guess(owner.email, from(away))).status).toBe(401);
    expect((await guess('typed-the-password-here@karat.test', from(away))).status).toBe(401);
    const entries = await operators.by.viewer.client.get(`${operatorBase}/audit?limit=3`);
    const entry = { object_type: 'operator', before: null, reason: null, request_id: expect.any(String) };
    expect(entries.body.entries).toMatchObject([
      {
        ...entry,
        seq: before + 3,
        action: 'operator.sign_in_failed',
        object_id: 'unknown',
        operator_id: null,
        after: { address: away },
      },
      {
        ...entry,
        action: 'operator.sign_in_failed',
        object_id: owner.operatorId,
        operator_id: null,
        after: { address: away },
      },
      {
        ...entry,
        action: 'operator.sign_in',
        object_id: owner.operatorId,
        operator_id: owner.operatorId,
        operator_name: 'The viewer',
        after: { address: home },
      },
    ]);
    const kept = await h.ctx.db.execute(
      sql`select 1 from audit_log where audit_log::text like '%typed-the-password-here%'`,
    );
    expect(kept).toEqual([]);
  });

  test('a wrong password and the right one are never logged, nor is the email', async () => {
    const { email } = operators.by.compliance;
    await signIn({ email, password: 'hunter2hunter2' });
    await signIn(credentials(operators.by.compliance));
    const reported = h.logLines.filter((line) => line.includes(email) || line.includes('hunter2'));
    expect(reported).toEqual([]);
  });
});

describe('a request that another page makes the browser send', () => {
  const foreign: Record<string, Record<string, string>> = {
    'without header and origin': { host: 'karat.test' },
    'without the header': { host: 'karat.test', origin: 'https://karat.test' },
    'with another value of it': { ...ownPage, 'x-karat-console': 'true' },
    'without an origin': { host: 'karat.test', 'x-karat-console': '1' },
    'of another site': { ...ownPage, origin: 'https://evil.test' },
    'of a site that sounds alike': { ...ownPage, origin: 'https://karat.test.evil.test' },
    'of another port': { ...ownPage, origin: 'https://karat.test:8443' },
    'of a sandboxed frame': { ...ownPage, origin: 'null' },
    'of no site at all': { ...ownPage, origin: 'karat.test' },
    'of a user at the site': { ...ownPage, origin: 'https://karat.test@evil.test' },
  };
  const endsSession = ['DELETE /session', 'PUT /me/password'];
  const changes = contractRoutes.filter((route) => methodOf(route) !== 'GET');

  let session: Awaited<ReturnType<typeof givenSession>>;
  beforeAll(async () => {
    session = await givenSession();
  });
  const sendAs = (route: (typeof changes)[number], headers: Record<string, string>) =>
    operators.anonymous.send({
      method: methodOf(route),
      url: `${operatorBase}${pathOf(route)}`,
      headers: {
        cookie: session.cookie,
        ...headers,
        ...(route.good ? { 'content-type': 'application/json' } : {}),
      },
      ...(route.good ? { payload: JSON.stringify(route.good()) } : {}),
    });

  test.each(changes)('the request with $name is refused', async (route) => {
    const before = await findAuditHead(h.ctx.db);
    await Promise.all(
      Object.entries(foreign).map(async ([name, headers]) => {
        const response = await sendAs(route, headers);
        expect(response, name).toMatchObject({ status: 403, body: { error: 'forbidden' } });
      }),
    );
    expect(await findAuditHead(h.ctx.db)).toEqual(before);
  });

  test.each(changes.filter(({ name }) => !endsSession.includes(name)))(
    'the request with $name is taken from the console itself',
    async (route) => {
      const { status, body } = await sendAs(route, ownPage);
      expect([401, 403], JSON.stringify(body)).not.toContain(status);
    },
  );

  test('reads need neither, because they change nothing that a browser would give away', async () => {
    expect((await me({ cookie: session.cookie, origin: 'https://evil.test' })).status).toBe(200);
  });

  test('no page of another origin gets permission to read or send', async () => {
    const origin = 'https://evil.test';
    const read = await me({ cookie: session.cookie, origin });
    const requested = await operators.anonymous.send({
      method: 'OPTIONS',
      url: `${operatorBase}/partners`,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-karat-console',
      },
    });
    expect([404, 405]).toContain(requested.status);
    for (const { headers } of [read, requested]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test('a token needs no page: no browser sends it by itself', async () => {
    const response = await send(operators.by.admin.client, 'PUT', '/countries/NO', {
      name: 'Norway',
      active: true,
    });
    expect(response.status).toBe(200);
  });

  test('signing in from another site is refused before the password is looked at', async () => {
    for (const origin of ['https://evil.test', 'null', 'karat.test']) {
      const response = await signIn(credentials(operators.by.viewer), from(newAddress()), { origin });
      expect(response).toMatchObject({ status: 403, body: { error: 'forbidden' } });
      expect(response.headers['set-cookie']).toBeUndefined();
    }
    const headers = { host: 'karat.test', origin: 'https://karat.test' };
    expect((await signIn(credentials(operators.by.viewer), from(newAddress()), headers)).status).toBe(200);
  });
});

describe('an operator who is disabled or changes roles', () => {
  const account = (step: string, operatorId: string, body: object) =>
    send(operators.by.admin.client, step === '' ? 'PATCH' : 'POST', `/operators/${operatorId}${step}`, body);
  const may = async (client: Client, headers: Record<string, string> = {}) =>
    (
      await client.send({
        method: 'POST',
        url: `${operatorBase}/partners`,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: '{}',
      })
    ).status;

  test('an operator who is disabled loses session and token at once, and gets neither back with the account', async () => {
    const { operator, cookie } = await givenSession('admin');
    const browser = { cookie, ...ownPage };
    expect([await may(operator.client), await may(operators.anonymous, browser)]).toEqual([400, 400]);
    expectStatus(await account('/disable', operator.operatorId, { reason: 'Left the company' }), 200);
    expect([await may(operator.client), await may(operators.anonymous, browser)]).toEqual([401, 401]);
    expect((await signIn(credentials(operator))).status).toBe(401);

    expectStatus(await account('/enable', operator.operatorId, {}), 200);
    expect([await may(operator.client), await may(operators.anonymous, browser)]).toEqual([401, 401]);
    expect((await signIn(credentials(operator))).status).toBe(200);
    const changes = await changesOf(h, 'operator', operator.operatorId);
    expect(changes.map(({ action, reason }) => [action, reason])).toEqual([
      ['operator.disable', 'Left the company'],
      ['operator.enable', null],
    ]);
  });

  test('an operator whose role changes works by the new one from the next request on, in what is open too', async () => {
    const { operator, cookie } = await givenSession('admin');
    const browser = { cookie, ...ownPage };
    expectStatus(await account('', operator.operatorId, { role: 'viewer' }), 200);
    expect([await may(operator.client), await may(operators.anonymous, browser)]).toEqual([403, 403]);
    expect((await me({ cookie })).body.role).toBe('viewer');
    expectStatus(await account('', operator.operatorId, { role: 'admin' }), 200);
    expect([await may(operator.client), await may(operators.anonymous, browser)]).toEqual([400, 400]);
  });
});

describe('the own password', () => {
  const change = (client: Client, body: object, headers: Record<string, string> = {}) =>
    send(client, 'PUT', '/me/password', body, headers);
  const next = 'a password that only I know';

  test('the own password is changed by the operator who knows it, and ends all sessions', async () => {
    const { operator, cookie } = await givenSession('fulfilment');
    const elsewhere = cookieOf(expectStatus(await signIn(credentials(operator)), 200));
    const body = { current_password: operator.password, new_password: next };
    h.secrets.add(next);
    const changed = await change(operators.anonymous, body, { cookie, ...ownPage });
    expect(changed).toMatchObject({ status: 200, body: { status: 'signed_out' } });
    expect(changed.headers['set-cookie']).toMatch(/^karat_session=;/);
    for (const secret of [cookie, elsewhere]) expect((await me({ cookie: secret })).status).toBe(401);
    expect((await signIn(credentials(operator))).status).toBe(401);
    expect((await signIn({ email: operator.email, password: next })).status).toBe(200);
    // Scripts go on.
    expect((await operator.client.get(`${operatorBase}/me`)).status).toBe(200);
    expect(await changesOf(h, 'operator', operator.operatorId)).toEqual([
      {
        action: 'operator.password',
        before: null,
        after: null,
        reason: null,
        operatorId: operator.operatorId,
      },
    ]);
  });

  test('the own password is not changed through an open session or token alone, nor guessed', async () => {
    const { operator, cookie } = await givenSession('admin');
    const statuses: number[] = [];
    const client = clientOf(
      operators.app,
      { authorization: `Bearer ${operator.token}` },
      { remoteAddress: newAddress() },
    );
    for (let at = 0; at < 6; at += 1) {
      const response = await change(client, { current_password: `${wrong} ${at}`, new_password: next });
      statuses.push(response.status);
      if (response.status === 400) expect(response.body.field).toBe('current_password');
    }
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429]);
    const right = { current_password: operator.password, new_password: next };
    expect((await change(client, right)).status).toBe(429);
    expect((await me({ cookie })).status).toBe(200);
    expect((await signIn(credentials(operator))).status).toBe(200);
    const { operatorId } = operator;
    const failed = { action: 'operator.password_failed', before: null, reason: null, operatorId };
    expect(await changesOf(h, 'operator', operatorId)).toEqual(
      Array(4).fill({ ...failed, after: { address: expect.stringMatching(/^10\./) } }),
    );
  });

  test.each(['eleven chrs', 'x'.repeat(1_001), ''])('cannot become %j', async (new_password) => {
    const { client, password } = await operators.givenOperator('viewer');
    expect(await change(client, { current_password: password, new_password })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'new_password' },
    });
  });

  test('the own password is changed once by two concurrent requests that know it', async () => {
    const { client, password, email } = await operators.givenOperator('viewer');
    const bodies = [`${next} 1`, `${next} 2`].map((new_password) => ({
      current_password: password,
      new_password,
    }));
    const responses = await Promise.all(bodies.map((body) => change(client, body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    const [won] = bodies.filter((_, at) => responses[at]?.status === 200);
    expect((await signIn({ email, password: won?.new_password })).status).toBe(200);
  });
});

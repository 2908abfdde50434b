import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAuditHead } from '../../../src/db/operators/audit-log.js';
import { operatorRoles } from '../../../src/domain/operator.js';
import { type ApiResponse, type Client, clientOf, type Harness, harness } from '../../harness.js';
import { namesOf, type Operators, operatorBase, startOperators } from '../../operators.js';
import { type ContractRoute, contractRoutes, methodOf, pathOf } from './contract-routes.js';

let h: Harness;
let operators: Operators;
/** All credentials that are refused, by what is wrong with it. */
let strangers: Record<string, Client>;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  strangers = await givenStrangers();
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const as = (client: Client, route: ContractRoute, payload?: string): Promise<ApiResponse> =>
  client.send({
    method: methodOf(route),
    url: `${operatorBase}${pathOf(route)}`,
    ...(payload === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload }),
  });
const goodBody = (route: ContractRoute) => (route.good ? JSON.stringify(route.good()) : undefined);

test('every route of the application is in the contract, and the other way round', () => {
  const served = namesOf(operators.routes).filter((name) => !/^(GET|POST) \/session/.test(name));
  const listed = contractRoutes.map(({ name }) => name);
  expect({
    uncovered: served.filter((name) => !listed.includes(name)),
    missing: listed.filter((name) => !served.includes(name)),
    twice: listed.filter((name, at) => listed.indexOf(name) !== at),
  }).toEqual({ uncovered: [], missing: [], twice: [] });
});

test('every change takes an Idempotency-Key, but for what holds a secret or KYC data, or ends a session', () => {
  const without = operators.routes.filter(
    ({ url, method, config }) =>
      url.startsWith(operatorBase) && !['GET', 'HEAD'].includes(String(method)) && !config?.idempotent,
  );
  expect(namesOf(without)).toEqual([
    'DELETE /session',
    'PATCH /me/passkeys/:passkey_id',
    'POST /bars/check',
    'POST /me/passkeys',
    'POST /me/passkeys/:passkey_id/remove',
    'POST /me/passkeys/options',
    'POST /me/recovery-codes',
    'POST /me/second-factor/challenges',
    'POST /me/second-factor/confirm',
    'POST /me/sessions/:session_id/end',
    'POST /me/sessions/end-others',
    'POST /me/totp',
    'POST /me/totp/confirm',
    'POST /me/totp/remove',
    'POST /operators',
    'POST /partners/:partner_id/invitations',
    'POST /redemptions/:redemption_id/reveal-identity',
    'POST /session',
    'POST /session/second-factor',
    'POST /session/single-sign-on',
    'POST /session/single-sign-on/finish',
    'POST /users/search',
    'PUT /me/password',
  ]);
});

describe.each(contractRoutes)('$name', (route) => {
  const forbidden = operatorRoles.filter((role) => !route.may.includes(role));

  // A response without an end has tests of its own.
  if (route.session) {
    test('the route is for sessions', async () => {
      const response = await as(operators.by.admin.client, route, goodBody(route));
      expect(response).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    });
  } else if (!route.endless) {
    test(`the route is for ${route.may.join(', ')}`, async () => {
      for (const role of route.may) {
        const { client } = operators.by[role];
        const { status, body } = await as(client, route, goodBody(route));
        expect([401, 403, 500], `${role}: ${JSON.stringify(body)}`).not.toContain(status);
        expect(body.error ?? 'none').not.toBe('invalid_request');
      }
    });
  }

  if (forbidden.length > 0) {
    test(`the route is refused to ${forbidden.join(', ')}, before anything is read`, async () => {
      const before = await findAuditHead(h.ctx.db);
      for (const role of forbidden) {
        for (const payload of [goodBody(route), '{', '{"role":"admin"}']) {
          expect(await as(operators.by[role].client, route, payload)).toMatchObject({
            status: 403,
            body: { error: 'insufficient_scope', message: `The role ${role} may not do this.` },
          });
        }
      }
      expect(await findAuditHead(h.ctx.db)).toEqual(before);
    });
  }

  test('the route is closed to unknown callers, before anything is read', async () => {
    const before = await findAuditHead(h.ctx.db);
    await Promise.all(
      Object.entries(strangers).map(async ([name, client]) => {
        const response = await as(client, route, methodOf(route) === 'GET' ? undefined : '{');
        expect(response, name).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
      }),
    );
    expect(await findAuditHead(h.ctx.db)).toEqual(before);
  });
});

async function givenStrangers(): Promise<Record<string, Client>> {
  const { app, anonymous, by, givenOperator } = operators;
  const bearer = (token: string) => clientOf(app, { authorization: `Bearer ${token}` });
  const token = by.admin.token;
  const admin = await givenOperator('admin');
  const revoked = await givenOperator('admin');
  const signedIn = await anonymous.post(`${operatorBase}/session`, {
    email: admin.email,
    password: admin.password,
  });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  const tokens = await by.admin.client.get(`${operatorBase}/operators/${revoked.operatorId}/tokens`);
  const gone = [
    await by.admin.client.post(`${operatorBase}/operators/${admin.operatorId}/disable`, { reason: 'Left' }),
    await by.admin.client.post(`${operatorBase}/operator-tokens/${tokens.body.tokens[0].token_id}/revoke`),
  ];
  expect(gone.map(({ status }) => status)).toEqual([200, 200]);
  return {
    'no credentials': anonymous,
    'a token that nobody has': bearer(`karat_operator_${'0'.repeat(64)}`),
    'a token in capitals': bearer(token.toUpperCase()),
    'another scheme': clientOf(app, { authorization: `Basic ${token}` }),
    'a token as a key': clientOf(app, { 'x-api-key': token }),
    'a token as a cookie': clientOf(app, { cookie: `karat_session=${token}` }),
    'a key of a partner': bearer(h.main.apiKey),
    'a revoked token': revoked.client,
    'a token of somebody who was disabled': admin.client,
    'a session of somebody who was disabled': clientOf(app, {
      cookie,
      host: 'karat.test',
      origin: 'https://karat.test',
      'x-karat-console': '1',
    }),
    // What is sent is what counts, not what is there besides.
    'a bad token beside a good cookie': clientOf(app, {
      authorization: 'Bearer x',
      cookie: await cookieOf(await givenOperator('admin')),
    }),
  };
}

async function cookieOf({ email, password }: { email: string; password: string }): Promise<string> {
  const signedIn = await operators.anonymous.post(`${operatorBase}/session`, { email, password });
  return String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
}

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/domain/ids.js';
import type { OpenApiDocument } from '../../../src/http/openapi/conventions.js';
import { describeOperatorApi } from '../../../src/http/operator/app.js';
import { anyRequest, type Known } from '../../any-request.js';
import { expanded } from '../../expanded.js';
import { type Harness, harness, newWallet } from '../../harness.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { denominations, givenRedemption, seedDenominations } from '../../redeeming.js';

/** Requests per route, so many at a time. */
const requests = 40;
const usuallyAtOnce = 20;
/** Passwords are hashed slowly on purpose: 20 at once would take a busy machine longer than a request may. */
const hashesAtOnce = 5;
const hashes = /^post .*\/(session|operators)$|^put .*\/password$/;

const { paths } = expanded((await describeOperatorApi()) as OpenApiDocument);
const routes = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);
/** What asks a node that is not there. */
const needsChain = /onchain$|\/chain\/status$|\/authorities\/|\/(prepare|refund|burn)$|\/(treasury|price)$/;

let h: Harness;
let operators: Operators;
let known: Known;
beforeAll(async () => {
  h = await harness({ logLevel: 'error' });
  operators = await startOperators(h);
  await seedDenominations(h);
  known = await knownValues();
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

describe(`${requests} requests of every kind to each route: none is answered with 500, all in JSON`, () => {
  test.each(routes)('$method $path', async (route) => {
    const { token } = operators.by.admin;
    const atOnce = hashes.test(`${route.method} ${route.path}`) ? hashesAtOnce : usuallyAtOnce;
    let past = 0;
    const batch = fc.array(anyRequest(route, known, token), { minLength: atOnce, maxLength: atOnce });
    const property = fc.asyncProperty(batch, async (all) => {
      // Passwords may be tried ten times a minute.
      h.clock.advance(60_000);
      const sent = all.map((one) => {
        const { 'x-api-key': key, ...headers } = one.headers as Record<string, string>;
        const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
        return { ...one, headers: { ...headers, ...authorization } };
      });
      const answers = await Promise.all(sent.map((one) => operators.app.inject(one)));
      for (const [at, answer] of answers.entries()) {
        const shown = `${JSON.stringify(sent[at])} was answered ${answer.statusCode}: ${answer.body}`;
        const away = answer.statusCode === 503 && needsChain.test(route.path);
        if (answer.statusCode >= 500 && !away) throw new Error(shown);
        if (!/^application\/json/.test(String(answer.headers['content-type']))) throw new Error(shown);
        JSON.parse(answer.body);
        if (![401, 413, 415, 429].includes(answer.statusCode)) past += 1;
      }
    });
    await fc.assert(property, { numRuns: requests / atOnce, endOnFailure: true });
    // Requests that are all refused at the door would prove nothing.
    if (route.path !== `${operatorBase}/session`) expect(past).toBeGreaterThan(requests / 3);
  });
});

test('the log is whole after all of these', async () => {
  const verdict = await operators.by.viewer.client.get(`${operatorBase}/audit/verify`);
  expect(verdict.body.ok).toBe(true);
  expect(verdict.body.rows).toBeGreaterThan(5);
});

/** What there is, and what the admin who asks can do without. */
async function knownValues(): Promise<Known> {
  const partner = await h.givenPartner();
  const user = await h.givenUser(partner.partnerId);
  const [victim, other] = [
    await operators.givenOperator('fulfilment'),
    await operators.givenOperator('viewer'),
  ];
  const { tokens } = (
    await operators.by.viewer.client.get(`${operatorBase}/operators/${other.operatorId}/tokens`)
  ).body;
  const redemptions = await Promise.all(
    (
      [
        'submitted',
        'preparing',
        'ready',
        'cancellation_requested',
        'cancelled',
        'collected',
        'quoted',
      ] as const
    ).map((status) => givenRedemption(h, { partner, user }, { status })),
  );
  return {
    service_user_id: [user.id, (await h.givenUser(partner.partnerId, { kyc: false })).id],
    partner_id: [partner.partnerId, newUuid()],
    wallet_address: [partner.wallet.address, user.wallet.address, newWallet().address],
    key_id: [partner.keyId],
    operator_id: [victim.operatorId],
    token_id: tokens.map((one: { token_id: string }) => one.token_id),
    redemption_id: redemptions,
    id: denominations.map(({ id }) => id),
    code: ['PK', 'ae', 'FR'],
    id_type: ['cnic', 'passport'],
    pattern: ['[0-9]{5}', '(a+)+$', '(?=a)', '[', '(.*a){20}'],
    email: Array.from({ length: 40 }, (_, at) => `person-${at}@karat.test`),
    country: ['PK', 'ae'],
    city: ['Karachi', 'lahore'],
    role: ['viewer', 'admin'],
    kyc_level: ['full', 'lapsed'],
    limit: ['1', '100', '0'],
    fee_percentage: [0, 0.5, 0.015],
  };
}

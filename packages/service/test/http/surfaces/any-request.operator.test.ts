import { expect, test } from 'vitest';
import { newUuid } from '../../../src/domain/ids.js';
import { type Harness, harness, newWallet } from '../../harness.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { denominations, givenRedemption, seedDenominations } from '../../redeeming.js';
import { describeAnyRequest } from './any-request.js';
import type { Known } from './arbitrary-request.js';
import { operator } from './surfaces.js';

let operators: Operators;

describeAnyRequest(operator, {
  requests: [20, 40],
  // Passwords are hashed slowly on purpose: 20 at once would take a busy machine longer than a request may.
  atOnce: (operationId) => (/^(signIn|createOperator|changePassword)$/.test(operationId) ? 5 : 20),
  async start() {
    const h = await harness({ logLevel: 'error' });
    operators = await startOperators(h);
    await seedDenominations(h);
    return {
      app: operators.app,
      known: await knownValues(h, operators),
      secretFor: () => operators.by.admin.token,
      // Passwords may be tried ten times a minute.
      prepare: () => h.clock.advance(60_000),
      async stop() {
        await operators.close();
        await h.close();
      },
    };
  },
  mayBeUnavailable:
    /^(startSingleSignOn|putPartnerOnchain|(get|put)ChainStatus|(get|propose|apply|cancel)ChainSettings|prepareAttestation|cancelBurn|(propose|cancel|apply)Authority|(prepare|ready|collect|refund|burn)Redemption|getTreasury|getPrice)$/,
  // So few requests are too few for chance to find good ones.
  hardToPlease: /./,
  refusesMost: /^(sign(In|Out)|(start|finish)SingleSignOn)$/,
});

test('the audit log is whole after all of these requests', async () => {
  const verdict = await operators.by.viewer.client.get(`${operatorBase}/audit/verify`);
  expect(verdict.body.ok).toBe(true);
  expect(verdict.body.rows).toBeGreaterThan(5);
});

/** What there is, and what the admin who asks can do without. */
async function knownValues(h: Harness, operators: Operators): Promise<Known> {
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

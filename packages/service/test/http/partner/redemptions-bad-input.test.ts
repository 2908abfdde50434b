import { afterAll, beforeAll } from 'vitest';
import { describeBadInput } from '../../bad-input.js';
import { givenRedemption, type Redeeming, startRedeeming, tola } from '../../redeeming.js';

let r: Redeeming;
let paid: { id: string; signedTx: string };
let submitted: string;
beforeAll(async () => {
  r = await startRedeeming({ indexes: false });
  await quoteAnew();
  submitted = await givenRedemption(r.service, r);
});
afterAll(() => r.stop());

async function quoteAnew(): Promise<void> {
  const { id, transaction } = await r.quoted();
  paid = { id, signedTx: Buffer.from(r.signed(transaction)).toString('base64') };
}

describeBadInput('POST /v1/redemptions', {
  harness: () => r.service,
  send: (json) => r.partner.client.post('/v1/redemptions', json),
  good: () => ({ service_user_id: r.user.id, denomination_id: tola.id, city: tola.city }),
  fields: [
    { path: 'service_user_id', kind: 'reference', malformed: { status: 404, error: 'user_not_found' } },
    {
      path: 'denomination_id',
      kind: 'reference',
      malformed: { status: 400, error: 'invalid_denomination', field: 'denomination_id' },
    },
    { path: 'city', kind: 'reference', malformed: { status: 400, error: 'invalid_city', field: 'city' } },
  ],
});

describeBadInput('POST /v1/redemptions/{id}/submit', {
  harness: () => r.service,
  send: (json) => r.partner.client.post(`/v1/redemptions/${paid.id}/submit`, json),
  good: () => ({ signed_tx: paid.signedTx }),
  async goodAtLast() {
    await quoteAnew();
    return { signed_tx: paid.signedTx };
  },
  fields: [
    {
      path: 'signed_tx',
      kind: 'reference',
      // "nonsense" is 8 letters, hence good base64, of something that is no transaction.
      malformed: { status: 400, error: /^(invalid_request|broadcast_failed)$/ },
    },
  ],
});

describeBadInput('POST /v1/redemptions/{id}/cancel', {
  harness: () => r.service,
  send: (json) => r.partner.client.post(`/v1/redemptions/${submitted}/cancel`, json),
  good: () => ({ reason: 'none' }),
  fields: [],
});

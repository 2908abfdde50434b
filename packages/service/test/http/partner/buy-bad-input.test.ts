import { afterAll, beforeAll } from 'vitest';
import { describeBadInput } from '../../bad-input.js';
import { startTrading, type Trading } from '../../trading.js';

let t: Trading;
let tradeId: string;
let signed: string;
beforeAll(async () => {
  t = await startTrading();
  const quoted = await t.quoted();
  tradeId = quoted.tradeId;
  signed = Buffer.from(t.signed(quoted.transaction)).toString('base64');
});
afterAll(() => t.stop());

describeBadInput('POST /v1/buy', {
  harness: () => t.service,
  send: (json) => t.partner.client.post('/v1/buy', json),
  good: () => ({ service_user_id: t.user.id, usdc_amount: 100.25, slippage_bps: 50, min_gold_out: 0 }),
  fields: [
    { path: 'service_user_id', kind: 'reference', malformed: { status: 404, error: 'user_not_found' } },
    { path: 'usdc_amount', kind: 'amount' },
    { path: 'slippage_bps', kind: 'integer', min: 0, max: 10_000, optional: true },
    { path: 'min_gold_out', kind: 'amount', optional: true, zero: true },
  ],
});

describeBadInput('POST /v1/buy/{trade_id}/submit', {
  harness: () => t.service,
  send: (json) => t.partner.client.post(`/v1/buy/${tradeId}/submit`, json),
  good: () => ({ signed_tx: signed }),
  fields: [
    {
      path: 'signed_tx',
      kind: 'reference',
      // "nonsense" is 8 letters, hence good base64 of what is no transaction.
      malformed: { status: 400, error: /^(invalid_request|broadcast_failed)$/ },
    },
  ],
});

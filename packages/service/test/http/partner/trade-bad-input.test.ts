import { afterAll, beforeAll } from 'vitest';
import { describeBadInput } from '../../bad-input.js';
import { startTrading, type Trading } from '../../trading.js';

const sides = {
  buy: { amount: 'usdc_amount', floor: 'min_gold_out', good: 100.25 },
  sell: { amount: 'gold_amount', floor: 'min_usdc_out', good: 0.125 },
} as const;

let t: Trading;
const quotes = {} as Record<keyof typeof sides, { tradeId: string; signed: string }>;
beforeAll(async () => {
  t = await startTrading();
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 1_000_000n);
  await quoteAnew('buy');
  await quoteAnew('sell');
});
afterAll(() => t.stop());

async function quoteAnew(side: keyof typeof sides): Promise<void> {
  const { tradeId, transaction } = await t[side].quoted();
  quotes[side] = { tradeId, signed: Buffer.from(t.signed(transaction)).toString('base64') };
}

for (const side of ['buy', 'sell'] as const) {
  const { amount, floor, good } = sides[side];

  describeBadInput(`POST /v1/${side}`, {
    harness: () => t.service,
    send: (json) => t.partner.client.post(`/v1/${side}`, json),
    good: () => ({ service_user_id: t.user.id, [amount]: good, slippage_bps: 50, [floor]: 0 }),
    fields: [
      { path: 'service_user_id', kind: 'reference', malformed: { status: 404, error: 'user_not_found' } },
      { path: amount, kind: 'amount' },
      { path: 'slippage_bps', kind: 'integer', min: 0, max: 10_000, optional: true },
      { path: floor, kind: 'amount', optional: true, zero: true },
    ],
  });

  describeBadInput(`POST /v1/${side}/{trade_id}/submit`, {
    harness: () => t.service,
    send: (json) => t.partner.client.post(`/v1/${side}/${quotes[side].tradeId}/submit`, json),
    good: () => ({ signed_tx: quotes[side].signed }),
    async goodAtLast() {
      await quoteAnew(side);
      return { signed_tx: quotes[side].signed };
    },
    fields: [
      {
        path: 'signed_tx',
        kind: 'reference',
        // "nonsense" is 8 letters, hence good base64 of what is no transaction.
        malformed: { status: 400, error: /^(invalid_request|broadcast_failed)$/ },
      },
    ],
  });
}

import { about, field, gold, usdc } from './fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const address = '8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD';

/** What the fields of orders mean; null stands where a field does not apply to the kind. */
export const orderRecordField = {
  ...field,
  orderId: about('Id of the order, a UUID.', uuid),
  orderKind: about('`purchase`, `sale`, `withdrawal` or `executive_update`.', 'purchase'),
  orderStatus: about(
    '`pending_signature`; then `confirmed`, `failed` if the transaction reverted, or `expired` if it can no longer land: both are final. Only the chain changes it.',
    'confirmed',
  ),
  orderKeyId: about(
    'Key that requested it; null for an order that reached the chain without the service.',
    uuid,
  ),
  orderSigner: about('Wallet that signs, and pays the network fee.', address),
  orderDestination: about('Token account that receives a withdrawal.', null),
  orderToken: about('Token that a withdrawal moves, `gold` or `usdc`; null for the others.', 'usdc'),
  orderGold: gold('As requested.', 10),
  orderUsdc: usdc('As quoted, fee included; for a withdrawal, as requested.', 41_206),
  orderUsdcLimit: usdc('The most that a purchase may pay, or the least that a sale may bring.', 41_500),
  orderQuotedPrice: about('USD per troy ounce at the time of the quote.', 4100),
  orderMaxFeeBps: about('Highest fee that the transaction accepts, in basis points.', 50),
  orderAdded: about('Executive authority that is added.', address),
  orderRemoved: about('Executive authority that is removed.', address),
  orderMetadata: { description: 'Metadata of the partner, unchanged.' },
  orderTxHash: about('The transaction that landed; null until then.', null),
  orderSlot: about('Slot of that transaction; null until then.', null),
  executedGold: gold('Amount that moved on chain; null unless confirmed.', 10),
  executedUsdc: usdc('Amount that moved on chain; null unless confirmed.', 41_206),
  executedPrice: about('USD per troy ounce that the program executed at.', 4100),
  orderFee: usdc('Fee.', 205),
  orderExpiresAt: about('When the transaction can no longer land.', '2026-03-01T12:01:00.000Z'),
};

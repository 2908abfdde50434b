import { about, gold, usdc } from '../partner/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const address = '6srM8pMCEqoDFkWvzHcXh1UgHc8PtmyPi57EYMLCYSN2';

/** What the fields of orders mean; null stands where a field does not apply to the kind. */
export const orderField = {
  orderId: about('Id of the order, a UUID.', uuid),
  orderKind: about('`purchase`, `sale`, `withdrawal` or `executive_update`.', 'purchase'),
  orderStatus: about(
    '`pending_signature`; then `confirmed`, `failed` when the transaction reverted, or `expired` when it can no longer land. The chain alone moves it.',
    'confirmed',
  ),
  orderKeyId: about('Key that requested it; null for what reached the chain without the service.', uuid),
  orderSigner: about('Wallet that signs, and pays the fee of the network.', address),
  orderDestination: about('Where a withdrawal goes.', null),
  orderToken: about('What a withdrawal moves: `gold` or `usdc`.', null),
  orderGold: gold('As requested.', 10),
  orderUsdc: usdc('As quoted, the fee included; of a withdrawal as requested.', 41_206),
  orderUsdcLimit: usdc('The most that a purchase pays, the least that a sale brings.', 41_500),
  orderQuotedPrice: about('USD per troy ounce at the quote.', 4100),
  orderMaxFeeBps: about('Highest fee that the transaction accepts, in basis points.', 50),
  orderAdded: about('An executive authority that is added.', address),
  orderRemoved: about('An executive authority that is removed.', address),
  orderMetadata: { description: 'What the partner wrote into it, as it came.' },
  orderTxHash: about('The transaction that landed; null before that.', null),
  orderSlot: about('Slot of the chain that carries it; null before that.', null),
  executedGold: gold('What the chain moved; null unless confirmed.', 10),
  executedUsdc: usdc('What the chain moved; null unless confirmed.', 41_206),
  executedPrice: about('USD per troy ounce at which the program executed.', 4100),
  orderFee: usdc('Fee.', 205),
  orderExpiresAt: about('When the transaction can no longer land.', '2026-03-01T12:01:00.000Z'),
};

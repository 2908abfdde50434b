import { about, gold, usdc } from '../partner/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const at = '2026-03-01T12:00:00.000Z';
const signature = '5hKzYw3mJzG3X1dWm8dQvZx3yq6cJm7Yb2o1n4Vt9sRkPfLxUeHaBcDgEwFiGjHkLmNpQrStUvWxYz1234567891';

/** Descriptions of the fields that report the state of operation: price, indexer, dead letters, treasury. */
export const statusField = {
  createdAt: about('When it was written.', at),
  slot: about('Slot of the chain.', 371_204_731),

  deadLetterId: about('Id of the dead letter.', uuid),
  deadLetterSignature: about(
    'The transaction it is about; of a `reconciliation_difference` it may be the address of an account.',
    signature,
  ),
  deadLetterReason: about('What is wrong.', 'unknown_user'),
  deadLetterDetail: { description: 'Facts for the person who deals with it.', examples: [{ wallet: uuid }] },
  deadLetterResolvedAt: about('When it was resolved; null while it is open.', null),
  deadLetterResolution: about(
    'The reason of the operator who resolved it; null for one that resolved itself.',
    null,
  ),
  deadLetterRetryRequestedAt: about('When a retry was requested; null when it is done.', null),
  deadLetterRetriedAt: about('When it was last taken once more.', null),

  oraclePrice: about('US dollars per troy ounce; null when nothing is published.', 4100.12),
  confidence: about('Half the width of the interval that the oracle gives, in US dollars.', 0.8),
  publishTime: about('When the oracle published it.', at),
  ageSeconds: about('Since then.', 3),
  priceStatus: about(
    '`fresh`: trades execute at it. `stale`: it is published and not accepted now. `unavailable`: nothing is known.',
    'fresh',
  ),
  priceFault: about('Why it is not fresh; null when it is.', null),
  market: about('State of the market on chain; null while nothing is known of it.', 'open'),

  cursor: about('The newest transaction of the program up to which everything is recorded.', {
    signature,
    slot: 371_204_731,
  }),
  cursorSignature: about('Its signature.', signature),
  lagSeconds: about('Since everything that the node lists was recorded; null before the first time.', 0.4),
  lastSeenAt: about('When that was.', at),
  seenSlot: about(
    'Slot up to which everything that is final is recorded; null before that is known.',
    371_204_700,
  ),
  led: about('Whether some process indexes.', true),
  deadLetters: about('Dead letters that are open.', 0),

  treasuryGold: gold('What the treasury can pay out.', 100_000),
  treasuryUsdc: usdc('What the treasury can pay out.', 100_000_000),
  feeUsdc: usdc(
    'Fees that were collected and that `karat treasury withdraw` has not taken out yet.',
    1_250.5,
  ),
  escrowGold: gold('What escrow holds.', 12.380625),
  escrowNeeded: gold(
    'What open redemptions need of it, as the program counts it: those that were paid, and neither burned nor given back.',
    12.380625,
  ),
  escrowSurplus: gold(
    'What it holds beyond that: deposits without a redemption, which `karat treasury sweep-escrow` takes out.',
    0,
  ),
  outflowLimitUSDC: usdc(
    'Most that may leave the treasury and the fee account in 24 hours, by trades and withdrawals; 0: no limit.',
    10_000_000,
  ),
  outflowUsedUSDC: usdc(
    'What left them in the last 24 hours, by the hour, as the program counts it.',
    125_000,
  ),
  outflowLimitGOLD: gold(
    'Most that may leave the treasury in 24 hours, by trades and withdrawals; 0: no limit.',
    2_500,
  ),
  outflowUsedGOLD: gold('What left it in the last 24 hours, by the hour, as the program counts it.', 31.5),
  goldSupply: gold('All that exists, in any account.', 105_600),
  goldAttested: gold('What may exist, by the last attestation; 0 before the first.', 150_000),
  attestedAsOf: about('The moment that the attestation is about; null before the first.', at),
  goldDifference: gold('What the chain holds beyond what is accounted for; negative: less.', 0),
  usdcDifference: usdc('What the chain holds beyond what is accounted for; negative: less.', 0),
  difference: { description: 'As of the last comparison of chain and records: has to be 0. Null before it.' },
  comparedAt: about('When chain and records were last compared.', at),
  comparedSlot: about('The slot as of which they were.', 371_204_650),
  differences: about('Open dead letters `reconciliation_difference`.', 0),
};

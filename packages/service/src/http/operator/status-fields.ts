import { about, gold, usdc } from '../../views/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const at = '2026-03-01T12:00:00.000Z';
const signature = '5hKzYw3mJzG3X1dWm8dQvZx3yq6cJm7Yb2o1n4Vt9sRkPfLxUeHaBcDgEwFiGjHkLmNpQrStUvWxYz1234567891';

/** Descriptions of the fields that report the state of operation: price, indexer, dead letters, treasury. */
export const statusField = {
  createdAt: about('When it was written.', at),
  slot: about('Slot of the chain.', 371_204_731),

  deadLetterId: about('Id of the dead letter.', uuid),
  deadLetterSignature: about(
    'The transaction that the dead letter is about; for a `reconciliation_difference` this may be the address of an account.',
    signature,
  ),
  deadLetterReason: about('Description of the problem.', 'unknown_user'),
  deadLetterDetail: { description: 'Details for the person who handles it.', examples: [{ wallet: uuid }] },
  deadLetterResolvedAt: about('When it was resolved; null while it is open.', null),
  deadLetterResolution: about(
    'The reason given by the operator who resolved it; null if it resolved itself.',
    null,
  ),
  deadLetterRetryRequestedAt: about('When a retry was requested; null once the retry is done.', null),
  deadLetterRetriedAt: about('When it was last retried.', null),

  oraclePrice: about('US dollars per troy ounce; null if no price is published.', 4100.12),
  confidence: about("Half the width of the oracle's confidence interval, in US dollars.", 0.8),
  publishTime: about('When the oracle published it.', at),
  ageSeconds: about('Since then.', 3),
  priceStatus: about(
    '`fresh`: trades execute at this price. `stale`: the price is published, but not accepted now. `unavailable`: no price is known.',
    'fresh',
  ),
  priceFault: about('Reason why the price is not fresh; null if it is fresh.', null),
  market: about('State of the market on chain; null while it is unknown.', 'open'),

  recordedSlot: about(
    'Slot up to which everything that the nodes list is recorded; null before the first.',
    371_204_731,
  ),
  completeSlot: about(
    'Slot of the finalized chain up to which every event is recorded, by the numbers of the program; null until that is known.',
    371_204_700,
  ),
  missing: about(
    'Which event of the program is missing, in a sentence; null while none is.',
    "Event 12 of the program's configuration is not recorded; the program has counted 14.",
  ),
  missingSeconds: about('For how long; null while none is.', 41.2),
  lagSeconds: about(
    'Time since everything that the node lists was last recorded; null before the first time.',
    0.4,
  ),
  lastSeenAt: about('When that was.', at),
  led: about('Whether a process is indexing.', true),
  deadLetters: about('Number of open dead letters.', 0),

  treasuryGold: gold('Amount that the treasury can pay out.', 100_000),
  treasuryUsdc: usdc('Amount that the treasury can pay out.', 100_000_000),
  feeUsdc: usdc('Collected fees that `karat treasury withdraw` has not withdrawn yet.', 1_250.5),
  escrowGold: gold('Balance of escrow.', 12.380625),
  escrowNeeded: gold(
    'The part of escrow that belongs to open redemptions, as the program counts it: those that were paid, and neither burned nor refunded.',
    12.380625,
  ),
  escrowSurplus: gold(
    'The surplus of escrow beyond that: deposits without a redemption, which `karat treasury sweep-escrow` takes out.',
    0,
  ),
  outflowLimitUSDC: usdc(
    'Most that may leave the treasury and the fee account in 24 hours, by trades and withdrawals, less what comes in; `none` for no limit.',
    10_000_000,
  ),
  outflowUsedUSDC: usdc(
    'Amount that left them in the last 24 hours, less what came in, as the program counts it, hour by hour.',
    125_000,
  ),
  outflowLimitGOLD: gold(
    'Most that may leave the treasury in 24 hours, by trades and withdrawals, less what comes in; `none` for no limit.',
    2_500,
  ),
  outflowUsedGOLD: gold(
    'Amount that left it in the last 24 hours, less what came in, as the program counts it, hour by hour.',
    31.5,
  ),
  mintLimit: gold('Most that may be minted in 24 hours; `none` for no limit.', 1_000),
  minted: gold('Amount that was minted in the last 24 hours, as the program counts it, hour by hour.', 0),
  goldDifference: gold('Amount on chain minus the recorded amount; negative if the chain holds less.', 0),
  usdcDifference: usdc('Amount on chain minus the recorded amount; negative if the chain holds less.', 0),
  difference: {
    description:
      'Result of the last comparison of the chain with the records, which must be 0; null before the first comparison.',
  },
  comparedAt: about('When the chain and the records were last compared.', at),
  comparedSlot: about('Slot of that comparison.', 371_204_650),
  differences: about('Number of open `reconciliation_difference` dead letters.', 0),
};

import { Type } from '@fastify/type-provider-typebox';
import { type Operation, operationStatuses } from '../db/trades/operation.js';
import { operationKinds } from '../db/trades/submissions.js';
import { failureNamesOf, failureShape } from './failure-view.js';
import { about, field } from './fields.js';
import { RedemptionView, toRedemptionView } from './redemption-view.js';
import { choice, Nullable, titled } from './schemas.js';
import { TradeView, toTradeView } from './trade-view.js';

const refused = 'Of one that failed, or that the node refused when it was sent last:';
const { reason, message } = failureShape;

/** Where a transaction is. */
export const OperationView = titled('Operation', {
  id: Type.String(about('Id of the trade or redemption.', field.tradeId.examples[0])),
  kind: Nullable(
    choice(operationKinds),
    about('What it is; null for a trade that was never submitted here and is not on chain.', 'buy'),
  ),
  status: choice(
    operationStatuses,
    about(
      '`submitted`: sent, and neither seen to succeed nor certain to have come to nothing. `confirmed`: on chain; `finalized`: for good. `failed`: on chain for good, and moved nothing. `expired`: it can no longer land. `unknown`: never submitted here, and not on chain.',
      'confirmed',
    ),
  ),
  tx_hash: Nullable(Type.String(), field.txHash),
  reason: Type.Optional({ ...reason, description: `${refused} why, for programs to act on.` }),
  message: Type.Optional({
    ...message,
    description: `${refused} what happened and what to do next, for people.`,
  }),
  expires_at: Nullable(
    Type.String(),
    about(
      'When it can no longer land, by estimate; null if it was not submitted here.',
      '2026-03-01T12:01:00.000Z',
    ),
  ),
  record: Type.Union([TradeView, RedemptionView, Type.Null()], {
    description: 'What GET of the trade or of the redemption returns; null while that is 404.',
  }),
});

/** Returns an operation as it is shown to its partner. */
export function toOperationView({
  id,
  kind,
  status,
  txSignature,
  failure,
  expiresAt,
  trade,
  redemption,
}: Operation) {
  const { reason } = failure ? failureNamesOf(failure) : {};
  return {
    id,
    kind,
    status,
    tx_hash: txSignature,
    ...(reason && { reason, message: failure?.failureReason ?? '' }),
    expires_at: expiresAt?.toISOString() ?? null,
    record: trade ? toTradeView(trade) : redemption ? toRedemptionView(redemption) : null,
  };
}

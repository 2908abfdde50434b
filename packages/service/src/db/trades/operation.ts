import type { RedemptionId, TradeId } from '../../domain/ids.js';
import type { TxSignature } from '../../domain/solana.js';
import type { Failure } from '../failure.js';
import type { VisibleRedemption } from '../redemptions/redemptions.js';
import { type OperationKind, operationIdOf, type Submission } from './submissions.js';
import type { Trade } from './trades.js';

export const operationStatuses = [
  'submitted',
  'confirmed',
  'finalized',
  'failed',
  'expired',
  'unknown',
] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** What is known of the transaction of a quote. */
export interface Operation {
  id: TradeId | RedemptionId;
  kind: OperationKind | null;
  status: OperationStatus;
  txSignature: TxSignature | null;
  /** Why it failed, or why the node refused it when it was sent last. */
  failure: Failure | undefined;
  expiresAt: Date | null;
  trade?: Trade | undefined;
  redemption?: VisibleRedemption | undefined;
}

/** Returns the operation of what was sent and has no record. */
export function submittedOperation(submission: Submission): Operation {
  const { kind, status, txSignature, expiresAt } = submission;
  return {
    id: operationIdOf(submission),
    kind,
    // Without a record, it is on its way until it is certain that it can no longer land.
    status: status === 'expired' ? 'expired' : 'submitted',
    txSignature,
    failure: submission,
    expiresAt,
  };
}

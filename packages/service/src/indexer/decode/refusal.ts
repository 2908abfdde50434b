import type { DeadLetterReason } from '../../db/indexing/dead-letters.js';

/** Why a transaction, or a part of it, cannot be taken. */
export class Refusal extends Error {
  readonly reason: DeadLetterReason;
  readonly detail: Record<string, unknown>;

  constructor(reason: DeadLetterReason, detail: Record<string, unknown> = {}) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
  }
}

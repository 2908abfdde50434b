import type { NewEvent } from '../db/events/events.js';
import type { FeeSpent } from '../db/limits/fee-spending.js';
import type { MovedAmounts } from '../db/limits/velocity.js';

/**
 * The time of a database transaction, and its events so far: the code that opened the transaction appends them to the
 * partners' logs at its end.
 */
export interface Recording {
  at: Date;
  events: NewEvent[];
  /** What users moved, as it is to count against limits; nothing for what failed. */
  moved: MovedAmounts[];
  /** What it cost the service, failures included. */
  spent: FeeSpent[];
}

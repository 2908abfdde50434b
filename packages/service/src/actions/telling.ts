import type { NewEvent } from '../db/events/events.js';

/**
 * The time of a database transaction, and its events so far: the code that opened the transaction appends them to the
 * partners' logs at its end.
 */
export interface Telling {
  at: Date;
  events: NewEvent[];
}

import type { NewEvent } from '../db/events/events.js';

/**
 * The time of a database transaction, and what it tells partners so far: whoever opened the transaction appends that to their
 * logs at its end.
 */
export interface Telling {
  at: Date;
  events: NewEvent[];
}

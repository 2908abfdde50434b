import type { Context } from '../../context.js';
import {
  countRequests,
  type DayCount,
  insertRequests,
  type LoggedRequest,
} from '../../db/requests/request-log.js';
import type { Uuid } from '../../domain/ids.js';
import { dayOf, hasRoom } from '../../domain/request-log.js';

/** A request to be logged, and whether it is a quote, which leaves room to others. */
export interface NewRequest extends LoggedRequest {
  isQuote: boolean;
}

/** Names a day (UTC) of a partner, which began then, in Unix milliseconds. */
export const nameOfDay = (partnerId: Uuid, startMs: number) => `${partnerId} ${startMs}`;

/**
 * Counts requests and writes those for which their day has room, of which there are `maxPerDay` for each partner, whichever
 * process writes them. Returns how many requests the days have in the log now, by `nameOfDay`.
 */
export async function recordRequests(
  ctx: Pick<Context, 'db'>,
  { requests, counts, maxPerDay }: { requests: NewRequest[]; counts: DayCount[]; maxPerDay: number },
): Promise<Map<string, number>> {
  return ctx.db.transaction(async (tx) => {
    const days = (await countRequests(tx, counts)).map((day) => ({ ...day, added: 0 }));
    const byName = new Map(days.map((day) => [nameOfDay(day.partnerId, day.day.getTime()), day]));
    let day: (typeof days)[number] | undefined;
    const rows = requests.filter(({ partnerId, createdAt, isQuote }) => {
      const startMs = dayOf(createdAt.getTime());
      // Often that of the request before.
      if (day?.partnerId !== partnerId || day.day.getTime() !== startMs)
        day = byName.get(nameOfDay(partnerId, startMs));
      if (!day || !hasRoom(day.logged + day.added, isQuote, maxPerDay)) return false;
      day.added += 1;
      return true;
    });
    const grown = days.filter(({ added }) => added > 0);
    const more = grown.map(({ partnerId, day, added }) => ({ partnerId, day, logged: added }));
    await insertRequests(tx, rows, more);
    return new Map([...byName].map(([name, { logged, added }]) => [name, logged + added]));
  });
}

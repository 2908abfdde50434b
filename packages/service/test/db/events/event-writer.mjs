/** A process that writes events, for the test of many at once. Arguments: database, events to write, ids of partners. Prints how many each partner got. */
import { openDatabase } from '../../../dist/db/client.js';
import { appendEvents } from '../../../dist/db/events/events.js';

const [url = '', wanted = '0', ...partners] = process.argv.slice(2);
const { db, close } = openDatabase(url, { poolSize: 2 });
const counts = new Map(partners.map((id) => [id, 0]));
const below = (limit) => Math.floor(Math.random() * limit);

const anyEvents = () =>
  Array.from({ length: 1 + below(4) }, () => ({
    partnerId: partners[below(partners.length)],
    type: 'user.created',
    requestId: null,
    objectType: 'user',
    objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    object: { writer: process.pid },
  }));

class GivenUp extends Error {}

for (let written = 0; written < Number(wanted); ) {
  const given = anyEvents();
  const givesUp = below(10) === 0;
  try {
    await db.transaction(async (tx) => {
      await appendEvents(tx, given, new Date());
      if (givesUp) throw new GivenUp();
    });
    for (const { partnerId } of given) counts.set(partnerId, (counts.get(partnerId) ?? 0) + 1);
    written += given.length;
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
  }
}
await close();
console.log(JSON.stringify(Object.fromEntries(counts)));

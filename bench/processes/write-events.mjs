/**
 * Writes events as a process of the service does, one database transaction after the other. Argument: the URL of the built
 * service. Connects for each job that it is sent, `{url, ms, size, partners}`: the address of a database, for how long, events
 * in each transaction, and ids of the partners that take turns. Says that it is ready, begins when it is sent anything else,
 * and sends how many it wrote.
 */
import { once } from 'node:events';

const [service = ''] = process.argv.slice(2);
const built = (path) => import(new URL(path, service).href);
const { openDatabase } = await built('db/client.js');
const { appendEvents } = await built('db/events/events.js');

const object = {
  trade_id: 'trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
  side: 'buy',
  status: 'confirmed',
  usdc_amount: 100,
  gold_amount: 0.024267,
  price_per_troy_oz: 4100.12,
  fee_bps: 50,
  fee_usd: 0.5,
  submitted_tx_hash:
    '4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8',
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
};
const eventOf = (partnerId) => ({
  partnerId,
  type: 'trade.confirmed',
  requestId: null,
  objectType: 'trade',
  objectId: object.trade_id,
  object,
});

for (;;) {
  const [job] = await once(process, 'message');
  const { db, close } = openDatabase(job.url, { poolSize: 2 });
  // Connects.
  await db.transaction(async () => {});
  process.send('ready');
  await once(process, 'message');
  const endMs = performance.now() + job.ms;
  let written = 0;
  for (let turn = process.pid; performance.now() < endMs; turn += 1) {
    const partner = job.partners[turn % job.partners.length];
    const given = Array.from({ length: job.size }, () => eventOf(partner));
    await db.transaction((tx) => appendEvents(tx, given, new Date()));
    written += given.length;
  }
  await close();
  process.send(written);
}

// Logs quotes in batches, as `karat serve` does behind its responses, and reports what each batch took of processor time: in a
// process of its own, which does nothing else.
import { randomUUID } from 'node:crypto';

const { service, databaseUrl, batches, size } = JSON.parse(process.env.JOB);
const load = (path) => import(new URL(path, service));
const { openDatabase } = await load('db/client.js');
const { newId, newUuid } = await load('domain/index.js');
const { ServerLog } = await load('http/server/request-log.js');
const { RequestRecorder } = await load('http/server/request-recorder.js');
const { createLogger } = await load('log.js');

const { db, close } = openDatabase(databaseUrl, { poolSize: 2 });
const log = createLogger('silent', { write() {} });
const recorder = new RequestRecorder({ db, log, clock: { now: () => Date.now() } }, Number.MAX_SAFE_INTEGER);
const hooks = {};
recorder.attach({
  decorateRequest() {},
  addHook(name, hook) {
    hooks[name] = hook;
  },
});
const partners = Array.from({ length: 4 }, () => newUuid());
const reply = { statusCode: 200, elapsedTime: 2.5 };

/** A request that got a quote, as far as the log looks at it. */
function quoted(place) {
  const own = new ServerLog(log);
  own.note({ partner_id: partners[place % partners.length], key_id: newUuid() });
  return {
    method: 'POST',
    id: randomUUID(),
    log: own,
    routeOptions: { url: '/v1/buy', config: { auth: 'partner', quotesTrades: true } },
    body: { service_user_id: newId('gu'), usdc_amount: 1 },
    quoted: { tradeId: newId('trd'), usdc: 1_000_000n, gold: 242n },
  };
}

for (let batch = 0; batch < batches; batch += 1) {
  const requests = Array.from({ length: size }, (_, place) => quoted(place));
  const begun = process.cpuUsage();
  for (const request of requests) hooks.onResponse(request, reply, () => {});
  await recorder.flush();
  const { user, system } = process.cpuUsage(begun);
  process.send((user + system) / size);
}
await hooks.onClose();
await close();
process.disconnect();

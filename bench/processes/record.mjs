// @ts-check
/**
 * Records transactions that it has fetched before, as the indexer does. Arguments: how many, and the URL of the built
 * service. Sends its parent `ready`, then for each job: `ready` once it is connected, what it measured after `go`, and
 * `closed` after `close`.
 * @typedef {object} Job
 * @property {string} databaseUrl
 * @property {number} [perSecond] As many as arrive in a second, in batches; default: all at once.
 * @property {boolean} [decoded] Only writes what was decoded before.
 * @property {number} [half] Only the transactions of one half of the partners: 0 or 1.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const [wanted = '0', service = ''] = process.argv.slice(2);
/** @param {string} path */
const built = (path) => import(new URL(path, service).href);
/** @type {typeof import('../../packages/service/src/config.js')} */
const { readConfig } = await built('config.js');
/** @type {typeof import('../../packages/service/src/create-context.js')} */
const { createContext } = await built('create-context.js');
/** @type {typeof import('../../packages/service/src/indexer/record.js')} */
const { Recorder } = await built('indexer/record.js');
/** @type {typeof import('../../packages/service/src/indexer/source.js')} */
const { Source } = await built('indexer/source.js');
/** @type {typeof import('../../packages/service/src/indexer/tuning.js')} */
const { defaultTuning } = await built('indexer/tuning.js');
/** @type {typeof import('../../packages/service/src/runtime/chunks.js')} */
const { chunksOf } = await built('runtime/chunks.js');

const { batchSize, fetchSize } = defaultTuning;
const { signal } = new AbortController();
/** What the node returned for each transaction: the first request for one is passed on to it. */
const responses = new Map();

/** @param {string} databaseUrl */
async function open(databaseUrl) {
  const ctx = await createContext(readConfig({ ...process.env, DATABASE_URL: databaseUrl }));
  await ctx.chain.start();
  /** @type {typeof ctx.chain.transport} */
  const fromMemory = async (request) => {
    const calls = /** @type {{ id: number; params: [string] }[]} */ (request.payload);
    if (calls.some(({ params: [signature] }) => !responses.has(signature))) {
      const fetched = /** @type {{ id: number }[]} */ (await ctx.chain.transport(request));
      for (const item of fetched) responses.set(calls[item.id]?.params[0], item);
    }
    return /** @type {any} */ (
      calls.map(({ id, params: [signature] }) => ({ ...responses.get(signature), id }))
    );
  };
  const { rpc, witnesses, notifications, programAddress } = ctx.chain;
  const source = new Source({ rpc, witnesses, notifications, programAddress, transport: fromMemory });
  return { ctx, source, recorder: new Recorder(ctx, source, defaultTuning) };
}

/** @typedef {Awaited<ReturnType<InstanceType<typeof Source>['list']>>} Lines */
/** @typedef {NonNullable<Awaited<ReturnType<InstanceType<typeof Recorder>['decode']>>>} Decoded */

/** Reads transactions in requests as large as the indexer's. @param {Awaited<ReturnType<typeof open>>} opened @param {Lines} lines */
async function decode({ source, recorder }, lines) {
  /** @type {Decoded[]} */
  const records = [];
  for (const some of chunksOf(lines, fetchSize)) {
    const fetched = await source.fetch(
      some.map(({ signature }) => signature),
      signal,
    );
    for (const [index, line] of some.entries()) {
      const found = fetched[index];
      const record = found && (await recorder.decode(line, found));
      if (!record) throw new Error(`nothing was decoded of ${line.signature}`);
      records.push(record);
    }
  }
  return records;
}

/** Processor time of the thread that decodes and writes, ms. */
function mainThreadMs() {
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  return (Number(stat?.[11]) + Number(stat?.[12])) * 10;
}

/**
 * Records and returns for how long each batch waited for its commit, ms.
 * @param {Awaited<ReturnType<typeof open>>} opened @param {Lines} lines @param {Decoded[]} records @param {Job} job
 */
async function record({ recorder }, lines, records, { perSecond, decoded }) {
  if (decoded) {
    for (const some of chunksOf(records, batchSize)) await recorder.write(some);
    return [];
  }
  /** @param {Lines} some */
  const take = async (some) => {
    const waiting = await recorder.take(some, signal);
    if (waiting.size > 0) throw new Error(`${waiting.size} transactions were not recorded`);
  };
  if (perSecond === undefined) {
    await take(lines);
    return [];
  }
  const waits = [];
  const begunMs = performance.now();
  for (const [place, some] of chunksOf(lines, batchSize).entries()) {
    // Then the last one of the batch has arrived.
    const dueMs = begunMs + (((place + 1) * batchSize) / perSecond) * 1_000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    await take(some);
    waits.push(performance.now() - dueMs);
  }
  return waits;
}

/** @param {unknown} message */
const send = (message) => process.send?.(message);

const first = await open(process.env.DATABASE_URL ?? '');
/** @type {Lines} */
const listed = [];
while (listed.length < Number(wanted)) {
  const lines = await first.source.list({ limit: 1_000, before: listed.at(-1)?.signature }, signal);
  if (lines.length === 0) break;
  listed.push(...lines);
}
// The oldest first, as the indexer does.
const all = listed.slice(0, Number(wanted)).reverse();
// Twice: the first time fetches them, and V8 compiles.
await decode(first, all);
const beganMs = performance.now();
const decodedAll = await decode(first, all);
const decodedPerSecond = (all.length / (performance.now() - beganMs)) * 1_000;
await first.ctx.close();
const partners = [...new Set(decodedAll.map(({ trade }) => trade?.partnerId))].sort();

send('ready');
for (;;) {
  const [job] = /** @type {[Job]} */ (await once(process, 'message'));
  const { databaseUrl, half } = job;
  const places = [...all.keys()].filter(
    (place) => half === undefined || partners.indexOf(decodedAll[place]?.trade?.partnerId) % 2 === half,
  );
  /** @template T @param {readonly T[]} from */
  const own = (from) => places.map((place) => /** @type {T} */ (from[place]));
  const [lines, records] = [own(all), own(decodedAll)];
  const opened = await open(databaseUrl);
  send('ready');
  await once(process, 'message');
  const [begunMs, cpu, main] = [performance.now(), process.cpuUsage(), mainThreadMs()];
  const waits = await record(opened, lines, records, job);
  const seconds = (performance.now() - begunMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const mainSeconds = (mainThreadMs() - main) / 1_000;
  send({
    trades: lines.length,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    mainSeconds,
    waits,
    decodedPerSecond,
  });
  await once(process, 'message');
  await opened.ctx.close();
  send('closed');
}

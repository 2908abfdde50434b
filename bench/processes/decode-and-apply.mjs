// @ts-check
/**
 * Decodes transactions that it has fetched before, and records them in batches as the indexer does: one batch is read
 * while the one before it is written. Arguments: how many, and the URL of the built service. Sends its parent how many it
 * decoded in a second, first without writing, and how many it decoded and wrote.
 */
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

const ctx = await createContext(readConfig(process.env));
await ctx.chain.start();
const { signal } = new AbortController();

/** What the node returned for each transaction: the first request for one is passed on to it. */
const responses = new Map();
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
const recorder = new Recorder(ctx, source, defaultTuning);

/** @type {Awaited<ReturnType<typeof source.list>>} */
const listed = [];
while (listed.length < Number(wanted)) {
  const lines = await source.list({ limit: 1_000, before: listed.at(-1)?.signature }, signal);
  if (lines.length === 0) break;
  listed.push(...lines);
}
// The oldest first, as the indexer does.
const lines = listed.slice(0, Number(wanted)).reverse();
const requests = chunksOf(lines, defaultTuning.fetchSize);

/** Reads transactions in requests as large as the indexer's. @param {typeof lines} some */
async function read(some) {
  const fetched = await source.fetch(
    some.map(({ signature }) => signature),
    signal,
  );
  for (const [index, line] of some.entries()) {
    const found = fetched[index];
    if (!found || !(await recorder.decode(line, found)))
      throw new Error(`nothing was decoded of ${line.signature}`);
  }
}

/** @param {() => Promise<unknown>} work */
async function perSecond(work) {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  /** @param {number} ms */
  const rate = (ms) => (lines.length / ms) * 1_000;
  return { rate: rate(performance.now() - begun), perCpuSecond: rate((user + system) / 1_000) };
}

for (const some of requests) await read(some);
const decoding = await perSecond(async () => {
  for (const some of requests) await read(some);
});
const both = await perSecond(async () => {
  const waiting = await recorder.take(lines, signal);
  if (waiting.size > 0) throw new Error(`${waiting.size} transactions were not recorded`);
});
process.send?.({ ...both, decode: decoding.rate }, () => process.exit());

// @ts-check
/**
 * Decodes transactions that it has fetched before, and records them in batches as the indexer does: one batch is read
 * while the one before it is written. Arguments: how many, and the URL of the built service. Sends its parent how many it
 * decoded in a second, first without writing, and how many it decoded and wrote.
 */
const [wanted = '0', service = ''] = process.argv.slice(2);
/** @param {string} path */
const built = (path) => import(new URL(path, service).href);
/** @type {typeof import('../../packages/service/src/actions/trades/record-trade.js')} */
const { recordTrades } = await built('actions/trades/record-trade.js');
/** @type {typeof import('../../packages/service/src/chain/node/batch.js')} */
const { callBatch } = await built('chain/node/batch.js');
/** @type {typeof import('../../packages/service/src/chain/node/signed-transactions.js')} */
const { listTransactionsOf } = await built('chain/node/signed-transactions.js');
/** @type {typeof import('../../packages/service/src/config.js')} */
const { readConfig } = await built('config.js');
/** @type {typeof import('../../packages/service/src/create-context.js')} */
const { createContext } = await built('create-context.js');
/** @type {typeof import('../../packages/service/src/indexer/decode/decode.js')} */
const { decodeFetched } = await built('indexer/decode/decode.js');
/** @type {typeof import('../../packages/service/src/indexer/decode/signature-pool.js')} */
const { SignaturePool } = await built('indexer/decode/signature-pool.js');
/** @type {typeof import('../../packages/service/src/indexer/fetching.js')} */
const { allFetched, fetchConfig } = await built('indexer/fetching.js');
/** @type {typeof import('../../packages/service/src/indexer/record/read-ahead.js')} */
const { readAhead } = await built('indexer/record/read-ahead.js');
/** @type {typeof import('../../packages/service/src/indexer/tuning.js')} */
const { defaultTuning } = await built('indexer/tuning.js');
/** @type {typeof import('../../packages/service/src/runtime/chunks.js')} */
const { chunksOf } = await built('runtime/chunks.js');

const ctx = await createContext(readConfig(process.env));
await ctx.chain.start();
const { rpc, transport, programAddress, program } = ctx.chain;
const { signal } = new AbortController();

/** @type {Awaited<ReturnType<typeof listTransactionsOf>>} */
const listed = [];
while (listed.length < Number(wanted)) {
  const page = { limit: 1_000, before: listed.at(-1)?.signature, minContextSlot: undefined };
  const lines = await listTransactionsOf(rpc, programAddress, page, signal);
  if (lines.length === 0) break;
  listed.push(...lines);
}
// The oldest first, as the indexer does; the history behind them is missing, so each partner's first event shows a gap.
const lines = listed.slice(0, Number(wanted)).reverse();
/** @type {{ batch: typeof lines; responses: Parameters<typeof allFetched>[0] }[]} */
const batches = [];
for (const batch of chunksOf(lines, defaultTuning.batchSize)) {
  /** @type {{ signature: (typeof lines)[number]['signature']; response: any }[]} */
  const responses = [];
  for (const some of chunksOf(batch, 100)) {
    const calls = some.map(({ signature }) => [signature, fetchConfig]);
    for (const [index, item] of (await callBatch(transport, 'getTransaction', calls, signal)).entries()) {
      if (!('result' in item) || !item.result)
        throw new Error('the node does not know a transaction that it listed');
      const line = some[index];
      if (line) responses.push({ signature: line.signature, response: item.result });
    }
  }
  batches.push({ batch, responses });
}

const { serviceSigners, ...treasury } = program.config();
const trusted = new Set(serviceSigners);
/** @type {import('../../packages/service/src/indexer/decode/decode-view.js').DecodeView} */
const view = {
  programAddress,
  trustedSigners: () => trusted,
  treasury,
  roleKeys: new Set(),
  claimedSigners: new Set(),
  isAgreed: async () => true,
  integratorOf: (partnerId) => program.integratorAddress(partnerId),
};
const signatures = new SignaturePool();

/**
 * Reads a batch in requests as large as the indexer's, several at a time as they come from a node.
 * @param {(typeof batches)[number]} fetchedBatch
 */
async function read({ batch, responses }) {
  const { fetchSize } = defaultTuning;
  const fetched = await Promise.all(
    chunksOf(responses, fetchSize).map((some) => allFetched(some, signatures.verify)),
  );
  const all = fetched.flat();
  return Promise.all(
    batch.map(async (line, index) => {
      const found = all[index];
      const record = found && (await decodeFetched(line, found, view));
      if (!record) throw new Error(`nothing was decoded of ${line.signature}`);
      return record;
    }),
  );
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

const decoding = await perSecond(async () => {
  for (const batch of batches) await read(batch);
});
const both = await perSecond(() =>
  readAhead(batches, read, (records) => recordTrades(ctx, { records, cursors: [] })),
);
process.send?.({ ...both, decode: decoding.rate }, () => process.exit());

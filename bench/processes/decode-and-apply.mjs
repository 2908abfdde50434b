/**
 * Decodes transactions that it has fetched before, and records them in batches as the indexer does: one batch is read
 * while the one before it is written. Arguments: how many, and the URL of the built service. Sends its parent how many it
 * decoded in a second, first without writing, and how many it decoded and wrote.
 */
const [wanted = '0', service = ''] = process.argv.slice(2);
const built = (path) => import(new URL(path, service).href);
const { recordTrades } = await built('actions/trades/record-trade.js');
const { callBatch } = await built('chain/node/batch.js');
const { listTransactionsOf } = await built('chain/node/signed-transactions.js');
const { readConfig } = await built('config.js');
const { createContext } = await built('create-context.js');
const { decodeFetched } = await built('indexer/decode/decode.js');
const { SignaturePool } = await built('indexer/decode/signature-pool.js');
const { allFetched, fetchConfig } = await built('indexer/fetching.js');
const { readAhead } = await built('indexer/record/read-ahead.js');
const { defaultTuning } = await built('indexer/tuning.js');
const { chunksOf } = await built('runtime/chunks.js');

const ctx = await createContext(readConfig(process.env));
await ctx.chain.start();
const { rpc, transport, programAddress, program } = ctx.chain;
const { signal } = new AbortController();

const listed = [];
while (listed.length < Number(wanted)) {
  const page = { limit: 1_000, before: listed.at(-1)?.signature, minContextSlot: undefined };
  const lines = await listTransactionsOf(rpc, programAddress, page, signal);
  if (lines.length === 0) break;
  listed.push(...lines);
}
// The oldest first, as the indexer does; the history behind them is missing, so each partner's first event shows a gap.
const lines = listed.slice(0, Number(wanted)).reverse();
const batches = [];
for (const batch of chunksOf(lines, defaultTuning.batchSize)) {
  const responses = [];
  for (const some of chunksOf(batch, 100)) {
    const calls = some.map(({ signature }) => [signature, fetchConfig]);
    for (const [index, item] of (await callBatch(transport, 'getTransaction', calls, signal)).entries()) {
      if (!('result' in item) || !item.result)
        throw new Error('the node does not know a transaction that it listed');
      responses.push({ signature: some[index].signature, response: item.result });
    }
  }
  batches.push({ batch, responses });
}

const { serviceSigners, ...treasury } = program.config();
const trusted = new Set(serviceSigners);
const view = {
  programAddress,
  trustedSigners: () => trusted,
  treasury,
  isAgreed: async () => true,
  integratorOf: (partnerId) => program.integratorAddress(partnerId),
};
const signatures = new SignaturePool();

/** Reads a batch in requests as large as the indexer's, several at a time as they come from a node. */
async function read({ batch, responses }) {
  const { fetchSize } = defaultTuning;
  const fetched = await Promise.all(
    chunksOf(responses, fetchSize).map((some) => allFetched(some, signatures.verify)),
  );
  const all = fetched.flat();
  return Promise.all(batch.map((line, index) => decodeFetched(line, all[index], view)));
}

async function perSecond(work) {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
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

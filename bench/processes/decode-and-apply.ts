/**
 * Decodes transactions that it has fetched before, and records them in batches, as the one writer that there is. Arguments:
 * how many, and the address of the service signer. Sends its parent how many of each it did in a second.
 */

import { address } from '@solana/kit';
import { fetchConfig, findConfigPda } from '../../packages/program-client/src/index.js';
import { recordTrades } from '../../packages/service/src/actions/trades/record-trade.js';
import { callBatch } from '../../packages/service/src/chain/node/batch.js';
import { listTransactionsOf } from '../../packages/service/src/chain/node/signed-transactions.js';
import { readConfig } from '../../packages/service/src/config.js';
import { createContext } from '../../packages/service/src/create-context.js';
import { decodeResponse } from '../../packages/service/src/indexer/decode/decode.js';
import type { DecodeView } from '../../packages/service/src/indexer/decode/decode-view.js';
import type { TransactionResponse } from '../../packages/service/src/indexer/decode/transaction.js';
import type { Listed } from '../../packages/service/src/indexer/listing.js';
import { defaultTuning } from '../../packages/service/src/indexer/tuning.js';
import { chunksOf } from '../../packages/service/src/runtime/chunks.js';

const [wanted = '0', signer = ''] = process.argv.slice(2);
const ctx = await createContext(readConfig(process.env));
await ctx.chain.start();
const { rpc, transport, programAddress, program } = ctx.chain;
const { signal } = new AbortController();

const listed: Listed[] = [];
while (listed.length < Number(wanted)) {
  const before = listed.at(-1)?.signature;
  const page = await listTransactionsOf(
    rpc,
    programAddress,
    { limit: 1_000, before, minContextSlot: undefined },
    signal,
  );
  if (page.length === 0) break;
  listed.push(...page);
}
// The oldest first, as the indexer does; the history behind them is missing, so each partner's first event shows a gap.
const lines = listed.slice(0, Number(wanted)).reverse();
const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 };
const responses: TransactionResponse[] = [];
for (const some of chunksOf(lines, 100)) {
  const calls = some.map(({ signature }) => [signature, config]);
  for (const item of await callBatch(transport, 'getTransaction', calls, signal)) {
    if (!('result' in item) || !item.result)
      throw new Error('the node does not know a transaction that it listed');
    responses.push(item.result as TransactionResponse);
  }
}

const [configAddress] = await findConfigPda({ programAddress });
const { data: treasury } = await fetchConfig(rpc, configAddress);
const trusted = new Set([address(signer)]);
const view: DecodeView = {
  programAddress,
  trustedSigners: () => trusted,
  treasury,
  isAgreed: async () => true,
  integratorOf: (partnerId) => program.integratorAddress(partnerId),
};

let [decodeMs, applyMs] = [0, 0];
const cpu = process.cpuUsage();
const { batchSize } = defaultTuning;
for (let from = 0; from < lines.length; from += batchSize) {
  const begun = performance.now();
  const records = await Promise.all(
    responses.slice(from, from + batchSize).map((response, index) => {
      const line = lines[from + index];
      if (!line) throw new Error('a response without its line');
      return decodeResponse(line, response, view);
    }),
  );
  const decoded = performance.now();
  await recordTrades(ctx, { records, cursors: [] });
  decodeMs += decoded - begun;
  applyMs += performance.now() - decoded;
}
const { user, system } = process.cpuUsage(cpu);
const perSecond = (ms: number) => (lines.length / ms) * 1_000;
const result = {
  rate: perSecond(decodeMs + applyMs),
  decode: perSecond(decodeMs),
  apply: perSecond(applyMs),
  perCpuSecond: perSecond((user + system) / 1_000),
};
process.send?.(result, () => process.exit());

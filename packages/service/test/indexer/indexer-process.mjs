/** An indexer alone in a process, for tests that kill it. Prints `leads` once it does. */
import { readConfig } from '../../dist/config.js';
import { createContext } from '../../dist/create-context.js';
import { startIndexer } from '../../dist/indexer/index.js';

const ctx = await createContext(readConfig(process.env));
await ctx.chain.start();
const indexer = startIndexer(ctx);
const watch = setInterval(() => {
  if (indexer.status().role !== 'leader') return;
  clearInterval(watch);
  console.log('leads');
}, 20);

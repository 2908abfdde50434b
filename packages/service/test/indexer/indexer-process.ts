/** An indexer alone in a process, for tests that kill it. Prints `leads` once it does. */
import { readConfig } from '../../src/config.js';
import { createContext } from '../../src/create-context.js';
import { startIndexer } from '../../src/indexer/index.js';

const ctx = await createContext(readConfig(process.env));
await ctx.chain.start();
const indexer = startIndexer(ctx);
const watch = setInterval(() => {
  if (indexer.status().role !== 'leader') return;
  clearInterval(watch);
  console.log('leads');
}, 20);

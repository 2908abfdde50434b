import { MarketState } from '@karat/program-client';
import { callOutcomes } from '../chain/node/node.js';
import type { Context } from '../context.js';
import { toInteger } from '../domain/integer.js';
import { pauseBits } from '../domain/program-status.js';
import { priceNumber } from '../domain/quote.js';

/** Measures what this process sees of the chain, and how its connections to the database are used. */
export function watchProcess(ctx: Context): void {
  watchChain(ctx);
  watchNodes(ctx);
  watchPrice(ctx);
  watchMarket(ctx);
  watchPool(ctx);
}

function watchChain({ metrics, chain }: Context): void {
  const usable = metrics.gauge(
    'karat_chain_usable',
    'Whether quotes have what they need: program, blockhash, price, a key that is a service signer, and its signatures',
    ['part'],
  );
  metrics.addReader(() => {
    for (const part of chain.readers()) usable.set({ part }, chain[part].fault() === undefined ? 1 : 0);
    usable.set({ part: 'signer' }, chain.signerFault() === undefined ? 1 : 0);
    usable.set({ part: 'signatures' }, chain.signingFault() === undefined ? 1 : 0);
  });
}

/** Nodes are named by their place in the configuration: addresses often contain a key. */
function watchNodes({ metrics, chain }: Context): void {
  const usable = metrics.gauge('karat_rpc_node_usable', 'Whether calls go to this Solana node', ['node']);
  const rest = metrics.gauge(
    'karat_rpc_node_rest_seconds',
    'Seconds until calls go to this node again, after it refused calls with 429',
    ['node'],
  );
  const slot = metrics.gauge(
    'karat_rpc_node_slot',
    'Newest slot that this node reported; absent before the first',
    ['node'],
  );
  const calls = metrics.counter('karat_rpc_node_calls_total', 'Calls to this node, by outcome', [
    'node',
    'result',
  ]);
  metrics.addReader(() => {
    calls.reset();
    for (const [index, health] of chain.nodeHealth().entries()) {
      const node = String(index + 1);
      usable.set({ node }, health.usable ? 1 : 0);
      rest.set({ node }, health.restSeconds);
      if (health.slot !== undefined) slot.set({ node }, toInteger(health.slot));
      for (const result of callOutcomes) calls.inc({ node, result }, health.calls[result]);
    }
  });
}

function watchPrice({ metrics, chain, clock }: Context): void {
  const age = metrics.gauge(
    'karat_price_age_seconds',
    'Seconds since the oracle published the price that was last read',
  );
  const price = metrics.gauge(
    'karat_price_usd_per_troy_ounce',
    'The price of gold last read, whether or not quotes take it',
  );
  metrics.addReader(() => {
    const published = chain.price.published();
    if (!published) return;
    age.set(clock.now() / 1_000 - toInteger(published.publishTimeSeconds));
    price.set(priceNumber(published));
  });
}

function watchMarket({ metrics, chain: { program } }: Context): void {
  const open = metrics.gauge('karat_market_open', 'Whether the market is open on chain');
  const paused = metrics.gauge('karat_paused', 'Whether the program refuses a kind of instruction', ['kind']);
  metrics.addReader(() => {
    if (program.fault() !== undefined) return;
    const config = program.config();
    open.set(config.marketState === MarketState.Open ? 1 : 0);
    for (const [kind, bit] of Object.entries(pauseBits)) paused.set({ kind }, config.paused & bit ? 1 : 0);
  });
}

function watchPool({ metrics, pool, config }: Context): void {
  const connections = metrics.gauge(
    'karat_database_pool_connections',
    'Open connections to the database in the pool of this process',
    ['state'],
  );
  const size = metrics.gauge('karat_database_pool_size', 'Maximum number of connections in the pool');
  const waiting = metrics.gauge('karat_database_pool_waiting', 'Queries that wait for a connection');
  metrics.addReader(() => {
    const state = pool.state();
    size.set(config.databasePoolSize);
    connections.set({ state: 'idle' }, state.idle);
    connections.set({ state: 'used' }, state.open - state.idle);
    waiting.set(state.waiting);
  });
}

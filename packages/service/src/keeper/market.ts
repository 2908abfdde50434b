import { MarketState as ChainMarket, type Config, getSetMarketInstructionAsync } from '@karat/program-client';
import { createNoopSigner } from '@solana/kit';
import { type SignedTransaction, signTransaction } from '../chain/build/prepare-transaction.js';
import type { Chain } from '../chain/chain.js';
import { sendAndWait } from '../chain/node/landing.js';
import { readConfig } from '../chain/program/program-snapshot.js';
import type { Signer } from '../chain/sign/signer.js';
import type { Context } from '../context.js';
import type { WatchStatus } from '../domain/keeper-report.js';
import type { MarketState } from '../domain/market-calendar.js';
import type { TxSignature } from '../domain/solana.js';
import { withDeadline } from '../runtime/time.js';

/** Reads the configuration as it is at `slot` or later. */
export type LookAtConfig = (signal: AbortSignal, slot: bigint) => Promise<Config>;

export interface MarketOutcome {
  status: WatchStatus;
  detail: string;
}

/** How long a round waits for its change to be confirmed; later rounds look after it. */
const usualConfirmMs = 10_000;
/** A market in the wrong state for longer is no passing matter. */
const criticalAfterMs = 30_000;

/** Only another keeper, which knows nothing of this database, closes at once what this one opened. */
const rivalWithinMs = 60_000;
/** How long a keeper that would open the market leaves it alone after another one has closed it. */
const yieldForMs = 10 * 60_000;
const rivalMet =
  'this process has stopped setting it, because another keeper with other market hours sets the market of this program';

/** Brings the market on chain into the wanted state, by the market key; pauses are none of its business. */
export class MarketKeeper {
  readonly #ctx: Context;
  readonly #confirmMs: number;
  readonly #look: LookAtConfig;
  #wrongSinceMs: number | undefined;
  /** The last change of this lead that was confirmed. */
  #lastSet: { txHash: TxSignature; market: MarketState; slot: bigint; atMs: number } | undefined;
  #yieldedAtMs: number | undefined;

  constructor(ctx: Context, confirmMs = usualConfirmMs, look?: LookAtConfig) {
    this.#ctx = ctx;
    this.#confirmMs = confirmMs;
    this.#look = look ?? ((signal, slot) => readConfig(ctx.chain, 'confirmed', signal, slot));
  }

  /** Looks once, and sets the market where it is wrong. Rejects when the node fails. */
  async round(wanted: MarketState, signal: AbortSignal): Promise<MarketOutcome> {
    const config = await this.#look(signal, 0n);
    if (marketOf(config) === wanted) return this.#right(wanted);
    this.#wrongSinceMs ??= performance.now();
    if (wanted === 'open' && (await this.#hasRival(signal))) return this.#wrong(wanted, rivalMet);
    const obstacle = await this.#set(config, wanted, signal);
    if (obstacle !== undefined) return this.#wrong(wanted, obstacle);
    const after = await this.#look(signal, this.#lastSet?.slot ?? 0n);
    return marketOf(after) === wanted ? this.#right(wanted) : this.#wrong(wanted, 'the change does not last');
  }

  /**
   * Returns whether another keeper closes the market by other hours: what this one opened a moment ago is closed, and not
   * by an operator, whose setting this one would follow. Only the keeper that would open yields, whichever began first:
   * a market that is closed by mistake costs trades, one that is open by mistake costs the treasury.
   */
  async #hasRival(signal: AbortSignal): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#yieldedAtMs !== undefined && nowMs - this.#yieldedAtMs < yieldForMs) return true;
    this.#yieldedAtMs = undefined;
    const last = this.#lastSet;
    if (last?.market !== 'open' || nowMs - last.atMs > rivalWithinMs) return false;
    const { chain, log } = this.#ctx;
    const config = await readConfig(chain, 'confirmed', signal, last.slot);
    if (marketOf(config) === 'open') return false;
    this.#yieldedAtMs = nowMs;
    log.error({ tx_hash: last.txHash, wanted: 'open' }, `the market: ${rivalMet}`);
    return true;
  }

  #right(wanted: MarketState): MarketOutcome {
    this.#wrongSinceMs = undefined;
    return { status: 'ok', detail: `The market is ${wanted}.` };
  }

  #wrong(wanted: MarketState, obstacle: string): MarketOutcome {
    const late = performance.now() - (this.#wrongSinceMs ?? 0) > criticalAfterMs;
    const lasting = obstacle.startsWith('this process');
    return {
      status: late || lasting ? 'critical' : 'warning',
      detail: `The market should be ${wanted} and is not: ${obstacle}.`,
    };
  }

  /** Sends a change and waits for it; why there is none, where there is none. */
  async #set(config: Config, wanted: MarketState, signal: AbortSignal): Promise<string | undefined> {
    const { chain, log } = this.#ctx;
    const { market } = chain;
    if (!market) return 'this process does not hold a market key';
    if (market.address !== config.hotKeys.market)
      return "this process's market key is not the program's market key";
    const state = wanted === 'open' ? ChainMarket.Open : ChainMarket.Closed;
    const signed = await signSetMarket(chain, market, config, state);
    signal.throwIfAborted();
    const landing = await withDeadline(this.#confirmMs, signal, (end) => sendAndWait(chain, signed, end));
    const { txHash } = signed;
    log.info({ tx_hash: txHash, market: wanted, landing: landing.kind }, 'set the market on chain');
    if (landing.kind === 'refused' || landing.kind === 'failed') return landing.cause.message;
    if (landing.kind !== 'confirmed') return 'a change is on its way';
    this.#lastSet = { txHash, market: wanted, slot: landing.slot, atMs: performance.now() };
    return undefined;
  }
}

/** Signs a `set_market` as the market key, which pays for it too. Nothing is sent. */
export async function signSetMarket(
  chain: Chain,
  market: Signer,
  config: Config,
  marketState: ChainMarket,
): Promise<SignedTransaction> {
  const instruction = await getSetMarketInstructionAsync(
    { authority: createNoopSigner(market.address), marketState },
    { programAddress: chain.programAddress },
  );
  const draft = { instructions: [instruction], payer: market.address, keys: [market] };
  return signTransaction(chain, config, draft);
}

export function marketOf(config: Config): MarketState {
  return config.marketState === ChainMarket.Open ? 'open' : 'closed';
}

import type { Config } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { judgePrice, type PriceAccount } from '../chain/program/price.js';
import type { Context } from '../context.js';
import { deleteCandlesBefore, saveCandles } from '../db/market/price-candles.js';
import { candleStart, candlesOf, type PublishedPrice } from '../domain/candle.js';
import { formatDecimal } from '../domain/money.js';
import { momentOf } from '../domain/timestamp.js';
import { type Subscription, startSubscription } from '../runtime/loop.js';

const retrySubscriptionMs = 2_000;
/** How long minutes are kept; hours and days are kept for ever. */
const minutesKeptMs = 90 * 86_400_000;
/** More are not kept while the database is down. */
const maxPending = 10_000;

/**
 * Records the price of gold in candles: every price that the program would take, as the node notifies of it, and what the
 * keeper's rounds see in case it does not.
 */
export class PriceRecorder {
  readonly #ctx: Context;
  #config: Config | undefined;
  #followed: Address | undefined;
  #subscription: Subscription | undefined;
  /** Prices that are not written yet, oldest first. */
  #pending: PublishedPrice[] = [];
  #last: PublishedPrice | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;
  #sweptHourMs = 0;

  /** @param ctx with the database of the lead. */
  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Takes what a round of the keeper saw, and follows the price account that the configuration names. */
  see(config: Config, account: PriceAccount | undefined): void {
    this.#config = config;
    const { priceAccount } = config.settings;
    if (priceAccount !== this.#followed) this.#follow(priceAccount);
    if (account) this.#take(account);
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
    await this.#writing;
  }

  #follow(address: Address): void {
    this.#followed = address;
    void this.#subscription?.stop();
    this.#subscription = startSubscription({
      name: 'price candles',
      log: this.#ctx.log,
      retryMs: retrySubscriptionMs,
      open: (signal) => this.#ctx.chain.notifications.account(address, signal),
      take: ({ value }) => {
        if (address !== this.#followed) return;
        this.#take({ owner: value.owner, data: Buffer.from(value.data[0], 'base64') });
      },
    });
  }

  #take(account: PriceAccount): void {
    if (!this.#config) return;
    const nowSeconds = BigInt(Math.floor(this.#ctx.clock.now() / 1_000));
    const judged = judgePrice(account, this.#config, nowSeconds);
    if ('fault' in judged) return;
    const seen = {
      price: formatDecimal(judged.price, -judged.exponent),
      at: momentOf(judged.publishTimeSeconds),
    };
    if (this.#last && !changesCandles(this.#last, seen)) return;
    this.#last = seen;
    this.#pending.push(seen);
    if (this.#pending.length > maxPending) this.#pending.shift();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, 100);
      try {
        await this.#ctx.db.transaction(async (tx) => {
          for (const price of batch) await saveCandles(tx, candlesOf(price));
          const newest = batch.at(-1);
          if (newest) await this.#sweep(tx, newest.at);
        });
        this.#pending = this.#pending.filter((price) => !batch.includes(price));
        this.#failing = false;
      } catch (error) {
        // The next price tries again.
        if (!this.#failing) this.#ctx.log.warn({ err: error }, 'the price is not recorded');
        this.#failing = true;
        return;
      }
    }
  }

  /** Deletes the minutes that are too old, once an hour. */
  async #sweep(tx: Parameters<typeof deleteCandlesBefore>[0], at: Date): Promise<void> {
    const hourMs = candleStart('1h', at).getTime();
    if (hourMs === this.#sweptHourMs) return;
    await deleteCandlesBefore(tx, '1m', new Date(at.getTime() - minutesKeptMs));
    this.#sweptHourMs = hourMs;
  }
}

/** Whether a price makes any candle another one, or a new one. */
function changesCandles(before: PublishedPrice, now: PublishedPrice): boolean {
  const [last, next] = [candleStart('1m', before.at), candleStart('1m', now.at)];
  return before.price !== now.price || last.getTime() !== next.getTime();
}

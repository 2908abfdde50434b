import { type Config, MarketState } from '@karat/program-client';
import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import type { OraclePrice } from '../../domain/quote.js';
import { AppError, unavailable } from '../../errors.js';
import type { PriceReason } from '../../reasons.js';
import type { Demand } from '../../runtime/demand.js';
import { Freshness, isOutdated, nodeFault } from '../../runtime/freshness.js';
import { type Loop, type Subscription, startLoop, startSubscription } from '../../runtime/loop.js';
import type { NotificationsOf } from '../node/notifications.js';
import type { ChainClock, NodeAccount } from './chain-clock.js';
import type { CachedProgramReader } from './program.js';

/** The oracle's price as last read. */
export interface PriceReading extends OraclePrice {
  /** Same exponent as the price. */
  confidence: bigint;
  publishTimeSeconds: bigint;
}

/** What stands in a Pyth `PriceUpdateV2` account, as far as a price is judged by it. */
export interface PriceUpdate extends PriceReading {
  fullyVerified: boolean;
  feedId: Uint8Array;
}

/** Why there is no price to quote at. */
export interface PriceFault {
  fault: string;
  reason: PriceReason;
}

/** An account as the node gave it. */
export interface PriceAccount {
  owner: Address;
  data: Uint8Array;
}

/** Seconds by which a publisher's clock may be ahead of ours. */
const maxFutureSeconds = 10n;
const priceDiscriminator = Buffer.from('22f123639d7ef4cd', 'hex');
const priceUpdateLength = 133;
/** Tag of the verification level `Full`; a partial level carries a further byte, which shifts everything behind it. */
const fullVerification = 1;

/**
 * Reads a Pyth `PriceUpdateV2` account (pyth-solana-receiver): 8 discriminator, 32 write authority, 1 verification
 * level, 32 feed id, i64 price, u64 confidence, i32 exponent, i64 publish time. Undefined for anything else.
 */
export function decodePriceUpdate(data: Uint8Array): PriceUpdate | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < priceUpdateLength) return undefined;
  if (!bytes.subarray(0, 8).equals(priceDiscriminator)) return undefined;
  return {
    fullyVerified: bytes[40] === fullVerification,
    feedId: Uint8Array.from(bytes.subarray(41, 73)),
    price: bytes.readBigInt64LE(73),
    confidence: bytes.readBigUInt64LE(81),
    exponent: bytes.readInt32LE(89),
    publishTimeSeconds: bytes.readBigInt64LE(93),
  };
}

/**
 * Returns the price in `account`, or why the program would refuse it now: the same checks with the same limits.
 * `nowSeconds` is Unix time.
 */
export function judgePrice(
  account: PriceAccount,
  config: Config,
  nowSeconds: bigint,
): PriceReading | PriceFault {
  if (account.owner !== config.priceOwner) {
    return unreachable('The price account does not belong to the oracle.');
  }
  const update = decodePriceUpdate(account.data);
  if (!update) return unreachable('The price account does not contain a price.');
  const fault =
    faultOfUpdate(update, config) ??
    faultOfTime(update.publishTimeSeconds, config, nowSeconds) ??
    faultOfValue(update, config);
  return fault ?? update;
}

const unreachable = (fault: string): PriceFault => ({ fault, reason: 'price_unreachable' });
const stale = (fault: string): PriceFault => ({ fault, reason: 'price_stale' });
const outOfBand = (fault: string): PriceFault => ({ fault, reason: 'price_out_of_band' });

function faultOfUpdate(update: PriceUpdate, config: Config): PriceFault | undefined {
  if (!update.fullyVerified) return unreachable('The oracle price is not fully verified.');
  if (!Buffer.from(update.feedId).equals(Buffer.from(config.feedId))) {
    return unreachable('The price account contains the price of another feed.');
  }
  if (update.price <= 0n) return outOfBand('The oracle price is not positive.');
  if (update.exponent < -12 || update.exponent > 0) {
    return outOfBand('The oracle price has an exponent that is not accepted.');
  }
  return undefined;
}

function faultOfTime(publishTimeSeconds: bigint, config: Config, nowSeconds: bigint): PriceFault | undefined {
  const closed = config.marketState !== MarketState.Open;
  if (closed && config.maxAgeClosed === 0) {
    return { fault: 'The market is closed, and so is trading.', reason: 'market_closed' };
  }
  if (publishTimeSeconds > nowSeconds + maxFutureSeconds) {
    return stale('The oracle price is from the future.');
  }
  const ageSeconds = nowSeconds - publishTimeSeconds;
  const limitSeconds = closed ? config.maxAgeClosed : config.maxAgeOpen;
  if (ageSeconds > BigInt(limitSeconds)) {
    return stale(`The oracle price is stale: ${ageSeconds} s old, at most ${limitSeconds} s are accepted.`);
  }
  return undefined;
}

function faultOfValue(update: PriceUpdate, config: Config): PriceFault | undefined {
  if (update.confidence * 10_000n > update.price * BigInt(config.maxConfBps)) {
    return outOfBand('The confidence interval of the oracle price is too wide.');
  }
  // price x 10^exponent between min and max x 10^-8, without a division.
  const scaled = update.price * 10n ** 8n;
  const scale = 10n ** BigInt(-update.exponent);
  if (scaled < config.minPriceE8 * scale || scaled > config.maxPriceE8 * scale) {
    return outOfBand('The oracle price is outside the accepted band.');
  }
  return undefined;
}

const pollMs = 1_000;
/**
 * While no quotes are requested, the program's reader reads the price with its accounts: then this one only makes up
 * for it.
 */
const idleReadMs = 6_000;
const retrySubscriptionMs = 2_000;
/** Without a read for this long the price may have moved unseen, however long it would be accepted. */
const maxReadAgeMs = 10_000;

/** Follows the price account that the program's configuration names. */
export class CachedPriceReader {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #notifications: NotificationsOf;
  readonly #source: Pick<CachedProgramReader, 'lastConfig'>;
  readonly #clock: Clock;
  readonly #chainClock: ChainClock;
  readonly #node: Freshness;
  readonly #demand: Demand;
  #log: Logger | undefined;
  #read = new Freshness();
  #address: Address | undefined;
  #account: (PriceAccount & { slot: bigint }) | undefined;
  #judged:
    | {
        account: PriceAccount;
        config: Config;
        nowSeconds: number;
        judgement: PriceReading | PriceFault;
      }
    | undefined;
  #loop: Loop | undefined;
  #subscription: Subscription | undefined;

  constructor(input: {
    rpc: Rpc<SolanaRpcApi>;
    notifications: NotificationsOf;
    source: Pick<CachedProgramReader, 'lastConfig'>;
    clock: Clock;
    chainClock: ChainClock;
    node: Freshness;
    demand: Demand;
  }) {
    this.#rpc = input.rpc;
    this.#notifications = input.notifications;
    this.#source = input.source;
    this.#clock = input.clock;
    this.#chainClock = input.chainClock;
    this.#node = input.node;
    this.#demand = input.demand;
  }

  start(log: Logger): Promise<void> {
    this.#log = log;
    this.#loop ??= startLoop({
      name: 'price',
      intervalMs: pollMs,
      log,
      round: (signal) => this.#refresh(signal),
    });
    return this.#loop.first;
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
    await this.#subscription?.stop();
  }

  /**
   * Returns the price to quote at. Throws `pricing_unavailable` when it is unknown, stale or unfit, saying which, and
   * `service_unavailable` when the chain's clock is another one than that by which it is judged.
   */
  current(): PriceReading {
    this.#demand.use();
    const clockFault = this.#chainClock.fault();
    if (clockFault !== undefined) throw unavailable(clockFault);
    const judged = this.#judge();
    if ('fault' in judged) {
      throw new AppError('pricing_unavailable', judged.fault, { reason: judged.reason });
    }
    return judged;
  }

  /** For readiness: returns undefined if `current` would return a price, else the reason why not. */
  fault(): string | undefined {
    const judged = this.#judge();
    return 'fault' in judged ? judged.fault : undefined;
  }

  /**
   * Returns what the oracle published last, as far as it was read and however old it is; undefined when that is no
   * price.
   */
  published(): PriceReading | undefined {
    const config = this.#source.lastConfig();
    if (!config || this.#account?.owner !== config.priceOwner) return undefined;
    const update = decodePriceUpdate(this.#account.data);
    return update && faultOfUpdate(update, config) === undefined ? update : undefined;
  }

  #judge(): PriceReading | PriceFault {
    const down = nodeFault(this.#node);
    if (down !== undefined) return unreachable(down);
    const config = this.#source.lastConfig();
    const ageMs = this.#read.ageMs();
    if (!config || ageMs === undefined || this.#address !== config.priceAccount) {
      return unreachable('The oracle price has not been read yet.');
    }
    if (ageMs > maxReadAgeMs) {
      return unreachable(`The oracle price was last read ${Math.floor(ageMs / 1000)} s ago.`);
    }
    if (!this.#account) return unreachable('The price account does not exist.');
    return this.#judgeAccount(this.#account, config, Math.floor(this.#clock.now() / 1000));
  }

  /** The same account by the same configuration in the same second is the same price. */
  #judgeAccount(account: PriceAccount, config: Config, nowSeconds: number): PriceReading | PriceFault {
    const last = this.#judged;
    if (last?.account === account && last.config === config && last.nowSeconds === nowSeconds) {
      return last.judgement;
    }
    const judgement = judgePrice(account, config, BigInt(nowSeconds));
    this.#judged = { account, config, nowSeconds, judgement };
    return judgement;
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const address = this.#source.lastConfig()?.priceAccount;
    if (address === undefined) return;
    if (address !== this.#address) this.#follow(address);
    const ageMs = this.#read.ageMs();
    if (ageMs !== undefined && ageMs < idleReadMs && !this.#demand.active()) return;
    const { context, value } = await this.#rpc
      .getAccountInfo(address, { commitment: 'confirmed', encoding: 'base64' })
      .send({ abortSignal: signal });
    this.#node.confirm();
    this.accept(address, value, context.slot);
  }

  /** Takes what another reader read of an account at `slot`; null: it does not exist. */
  accept(address: Address, account: NodeAccount | null, slot: bigint): void {
    if (address !== this.#address) return;
    this.#store(account, slot);
    this.#read.confirm();
  }

  /** Changes to another price account, when the configuration has. */
  #follow(address: Address): void {
    this.#address = address;
    this.#account = undefined;
    this.#read = new Freshness();
    void this.#subscription?.stop();
    if (!this.#log) return;
    this.#subscription = startSubscription({
      name: 'price account',
      log: this.#log,
      retryMs: retrySubscriptionMs,
      open: (signal) => this.#notifications.account(address, signal),
      take: ({ context, value }) => {
        if (address === this.#address) this.#store(value, context.slot);
      },
    });
  }

  #store(account: NodeAccount | null, slot: bigint): void {
    if (account && this.#account && isOutdated(slot, this.#account.slot)) return;
    this.#account = account
      ? { owner: account.owner, data: Buffer.from(account.data[0], 'base64'), slot }
      : undefined;
  }
}

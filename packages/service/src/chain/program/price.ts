import { type Config, MarketState, type Settings } from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import type { Clock } from '../../clock.js';
import type { OraclePrice } from '../../domain/quote.js';
import { AppError, unavailable } from '../../errors.js';
import type { PriceReason } from '../../reasons.js';
import type { Demand } from '../../runtime/demand.js';
import { type Freshness, nodeFault } from '../../runtime/freshness.js';
import type { ChainClock } from './chain-clock.js';

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

/** The prices that the configuration names. */
export type PriceName = 'gold' | 'usdc';

/** A price account that the configuration names, as it was last read. */
export interface ReadPrice {
  config: Config;
  /** Undefined: it does not exist. */
  account: PriceAccount | undefined;
  ageMs: number;
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
  const { settings } = config;
  if (account.owner !== settings.priceOwner) {
    return unreachable('The price account does not belong to the oracle.');
  }
  const update = decodePriceUpdate(account.data);
  if (!update) return unreachable('The price account does not contain a price.');
  const fault =
    faultOfUpdate(update, settings.feedId) ??
    faultOfTime(update.publishTimeSeconds, config, nowSeconds) ??
    faultOfValue(update, settings);
  return fault ?? update;
}

/**
 * Returns why the program would refuse to sell gold for USDC now, by the price of USDC in `account`; undefined when it would
 * not. `nowSeconds` is Unix time.
 */
export function pegFaultOf(
  account: PriceAccount,
  { settings }: Pick<Config, 'settings'>,
  nowSeconds: bigint,
): PriceFault | undefined {
  const update = account.owner === settings.priceOwner ? decodePriceUpdate(account.data) : undefined;
  if (!update) return offPeg('The account of its price does not contain a price.');
  const fault =
    faultOfUpdate(update, settings.usdcFeedId) ??
    faultOfAge(update.publishTimeSeconds, settings.maxAgeOpen, nowSeconds) ??
    faultOfConfidence(update, settings);
  if (fault) return offPeg(fault.fault);
  if (isBelow(update, settings.minUsdcPriceE8)) return offPeg('It is worth less than is accepted.');
  return undefined;
}

const offPeg = (why: string): PriceFault => ({
  fault: `Gold cannot be bought with USDC at present. ${why}`,
  reason: 'usdc_off_peg',
});

const unreachable = (fault: string): PriceFault => ({ fault, reason: 'price_unreachable' });
const stale = (fault: string): PriceFault => ({ fault, reason: 'price_stale' });
const outOfBand = (fault: string): PriceFault => ({ fault, reason: 'price_out_of_band' });

function faultOfUpdate(update: PriceUpdate, feedId: ReadonlyUint8Array): PriceFault | undefined {
  if (!update.fullyVerified) return unreachable('The oracle price is not fully verified.');
  if (!Buffer.from(update.feedId).equals(Buffer.from(feedId))) {
    return unreachable('The price account contains the price of another feed.');
  }
  if (update.price <= 0n) return outOfBand('The oracle price is not positive.');
  if (update.exponent < -12 || update.exponent > 0) {
    return outOfBand('The oracle price has an exponent that is not accepted.');
  }
  return undefined;
}

function faultOfTime(
  publishTimeSeconds: bigint,
  { marketState, settings }: Config,
  nowSeconds: bigint,
): PriceFault | undefined {
  const closed = marketState !== MarketState.Open;
  if (closed && settings.maxAgeClosed === 0) {
    return { fault: 'The market is closed, and so is trading.', reason: 'market_closed' };
  }
  return faultOfAge(publishTimeSeconds, closed ? settings.maxAgeClosed : settings.maxAgeOpen, nowSeconds);
}

function faultOfAge(
  publishTimeSeconds: bigint,
  limitSeconds: number,
  nowSeconds: bigint,
): PriceFault | undefined {
  if (publishTimeSeconds > nowSeconds + maxFutureSeconds) {
    return stale('The oracle price is from the future.');
  }
  const ageSeconds = nowSeconds - publishTimeSeconds;
  if (ageSeconds > BigInt(limitSeconds)) {
    return stale(`The oracle price is stale: ${ageSeconds} s old, at most ${limitSeconds} s are accepted.`);
  }
  return undefined;
}

function faultOfConfidence(update: PriceUpdate, settings: Settings): PriceFault | undefined {
  if (update.confidence * 10_000n <= update.price * BigInt(settings.maxConfBps)) return undefined;
  return outOfBand('The confidence interval of the oracle price is too wide.');
}

function faultOfValue(update: PriceUpdate, settings: Settings): PriceFault | undefined {
  const fault = faultOfConfidence(update, settings);
  if (fault) return fault;
  if (isBelow(update, settings.minPriceE8) || isAbove(update, settings.maxPriceE8)) {
    return outOfBand('The oracle price is outside the accepted band.');
  }
  return undefined;
}

// price x 10^exponent compared with a limit x 10^-8, without a division.
const scaled = ({ price }: PriceUpdate) => price * 10n ** 8n;
const scale = ({ exponent }: PriceUpdate) => 10n ** BigInt(-exponent);

function isBelow(update: PriceUpdate, limitE8: bigint): boolean {
  return scaled(update) < limitE8 * scale(update);
}

function isAbove(update: PriceUpdate, limitE8: bigint): boolean {
  return scaled(update) > limitE8 * scale(update);
}

/** Without a read for this long the price may have moved unseen, however long it would be accepted. */
const maxReadAgeMs = 10_000;

/** Judges the price that was last read, each time that it is used. */
export class PriceGate {
  readonly #source: { readPrice(name: PriceName): ReadPrice | undefined };
  readonly #clock: Clock;
  readonly #chainClock: ChainClock;
  readonly #node: Freshness;
  readonly #demand: Demand;
  #judged:
    | {
        account: PriceAccount;
        config: Config;
        nowSeconds: number;
        judgement: PriceReading | PriceFault;
      }
    | undefined;

  constructor(input: {
    source: { readPrice(name: PriceName): ReadPrice | undefined };
    clock: Clock;
    chainClock: ChainClock;
    node: Freshness;
    demand: Demand;
  }) {
    this.#source = input.source;
    this.#clock = input.clock;
    this.#chainClock = input.chainClock;
    this.#node = input.node;
    this.#demand = input.demand;
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

  /**
   * Throws `pricing_unavailable` when the program would refuse a buy or a purchase, because USDC is worth too little or its
   * price is unknown, stale or unfit.
   */
  requirePeg(): void {
    const fault = this.pegFault();
    if (fault !== undefined) throw new AppError('pricing_unavailable', fault, { reason: 'usdc_off_peg' });
  }

  /** Returns why gold cannot be bought with USDC now; undefined when it can. */
  pegFault(): string | undefined {
    const read = this.#source.readPrice('usdc');
    if (!read || read.ageMs > maxReadAgeMs) return offPeg('Its price has not been read lately.').fault;
    if (!read.account) return offPeg('The account of its price does not exist.').fault;
    const nowSeconds = BigInt(Math.floor(this.#clock.now() / 1000));
    return pegFaultOf(read.account, read.config, nowSeconds)?.fault;
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
    const { config, account } = this.#source.readPrice('gold') ?? {};
    if (!config || account?.owner !== config.settings.priceOwner) return undefined;
    const update = decodePriceUpdate(account.data);
    return update && faultOfUpdate(update, config.settings.feedId) === undefined ? update : undefined;
  }

  #judge(): PriceReading | PriceFault {
    const down = nodeFault(this.#node);
    if (down !== undefined) return unreachable(down);
    const read = this.#source.readPrice('gold');
    if (!read) return unreachable('The oracle price has not been read yet.');
    const { config, account, ageMs } = read;
    if (ageMs > maxReadAgeMs) {
      return unreachable(`The oracle price was last read ${Math.floor(ageMs / 1000)} s ago.`);
    }
    if (!account) return unreachable('The price account does not exist.');
    return this.#judgeAccount(account, config, Math.floor(this.#clock.now() / 1000));
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
}

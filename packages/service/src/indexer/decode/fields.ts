import { type KaratEvent, MarketState, TradeSide } from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { encodeBase58 } from '../../domain/base58.js';

/**
 * What every trade has, read field by field: the generated decoders take many times as long, most of it for the text
 * of addresses. A test holds each function equal to the decoder that it stands for.
 */
class Fields {
  readonly #bytes: ReadonlyUint8Array;
  readonly #view: DataView;
  #at: number;

  constructor(bytes: ReadonlyUint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  /** Returns the place of a field of so many bytes, and goes on behind it. */
  #pass(size: number): number {
    const at = this.#at;
    this.#at += size;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#pass(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#pass(2), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#pass(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#pass(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#pass(8), true);
  }

  bytes(size: number): Uint8Array {
    const at = this.#pass(size);
    if (at + size > this.#bytes.length) throw new RangeError('the data ends within a field');
    return new Uint8Array(this.#bytes.buffer as ArrayBuffer, this.#bytes.byteOffset + at, size);
  }

  address(): Address {
    return encodeBase58(this.bytes(32)) as Address;
  }

  /** Throws for a number that the enumeration does not have. */
  oneOf<Value extends number>(enumeration: Record<string, string | Value>): Value {
    const value = this.u8();
    if (enumeration[value] === undefined) throw new RangeError(`${value} is not a value of its field`);
    return value as Value;
  }
}

/** Reads the event at the beginning of `bytes`; a body may follow. Throws when it is cut off or names unknown values. */
export function readEvent(bytes: ReadonlyUint8Array): KaratEvent {
  const fields = new Fields(bytes);
  return {
    version: fields.u8(),
    kind: fields.u8(),
    partnerId: fields.bytes(16),
    seq: fields.u64(),
    id: fields.bytes(16),
    side: fields.oneOf<TradeSide>(TradeSide),
    amountIn: fields.u64(),
    amountOut: fields.u64(),
    fee: fields.u64(),
    feeBps: fields.u16(),
    price: fields.u64(),
    exponent: fields.i32(),
    confidence: fields.u64(),
    publishTime: fields.i64(),
    marketState: fields.oneOf<MarketState>(MarketState),
    actor: fields.address(),
    counterparty: fields.address(),
  };
}

/** The arguments of `buy` and `sell`, whose instructions have the same layout. */
export interface TradeArguments {
  amountIn: bigint;
  minAmountOut: bigint;
  maxAmountOut: bigint;
  maxFeeBps: number;
  expireAt: bigint;
  id: Uint8Array;
}

/** Reads the arguments behind the discriminator of a `buy` or `sell`. */
export function readTradeArguments(data: ReadonlyUint8Array): TradeArguments {
  const fields = new Fields(data, 1);
  return {
    amountIn: fields.u64(),
    minAmountOut: fields.u64(),
    maxAmountOut: fields.u64(),
    maxFeeBps: fields.u16(),
    expireAt: fields.i64(),
    id: fields.bytes(16),
  };
}

/** Reads the amount behind the discriminator of a transfer, burn or mint of the token program, base units. */
export function readTokenAmount(data: ReadonlyUint8Array): bigint {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
}

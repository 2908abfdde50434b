import { unitPriceOf } from './fees.js';
import type { UiTokenAmount } from './token.js';
import type { TransactionError } from './transaction-error.js';
import type { Execution } from './vm.js';
import { allKeys, decodeTransaction, type LoadedAddresses } from './wire.js';

export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: UiTokenAmount;
}

/** Returned by getTransaction in addition to the message; lamports as decimal strings, since it is kept as JSON. */
export interface StoredMeta extends Pick<Execution, 'unitsConsumed' | 'returnData'> {
  /** Null, as the inner instructions, when nothing ran and only the fee was paid. */
  logs: Execution['logs'] | null;
  innerInstructions: Execution['innerInstructions'] | null;
  fee: string;
  /** What the transaction took of its block, in compute units. */
  costUnits: number;
  preBalances: string[];
  postBalances: string[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
}

/** The large parts of a transaction: packed or on disk until they are read. `meta` is kept as JSON text. */
export interface TransactionBody {
  wire: Buffer;
  metaJson: Buffer;
}

/** What lists and searches need of a transaction of the chain, failed ones included. */
export interface HistoryEntry {
  signature: string;
  slot: number;
  /** Place within the slot, from 0. */
  index: number;
  blockTime: number;
  err: TransactionError | null;
  memo: string | null;
  loaded: LoadedAddresses;
  /** Every account key, loaded ones included. */
  keys: readonly string[];
  /** Micro-lamports per compute unit. */
  unitPrice: number;
  /** By which the store of bodies knows it. */
  number: number;
}

/** An entry that no store has taken yet. */
export type NewEntry = Omit<HistoryEntry, 'number'>;

/** Place of an entry in the order of the chain. */
function isBefore(one: HistoryEntry, other: HistoryEntry): boolean {
  return one.slot < other.slot || (one.slot === other.slot && one.index < other.index);
}

/** First place in a list in chain order whose entry is not before `entry`. */
function lowerBound(list: readonly HistoryEntry[], entry: HistoryEntry): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = list[middle];
    if (candidate && isBefore(candidate, entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NEVER = Number.MAX_SAFE_INTEGER;

/** The transactions of the window: by signature, by slot, and by every account key. */
export class History {
  readonly #entriesMax: number;
  #all: HistoryEntry[] = [];
  readonly #bySignature = new Map<string, HistoryEntry>();
  readonly #bySlot = new Map<number, HistoryEntry[]>();
  readonly #byKey = new Map<string, HistoryEntry[]>();
  #count = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** Transactions ever recorded, those out of the window included. */
  get count(): number {
    return this.#count;
  }

  /** Sets the number of transactions that came before the entries to be added. */
  startCountAt(count: number): void {
    this.#count = count;
  }

  get size(): number {
    return this.#all.length;
  }

  get oldest(): HistoryEntry | undefined {
    return this.#all[0];
  }

  /** Appends the newest transaction; the oldest leave when the window is full. */
  add(entry: HistoryEntry): void {
    this.#count += 1;
    this.#all.push(entry);
    this.#bySignature.set(entry.signature, entry);
    const slot = this.#bySlot.get(entry.slot);
    if (slot) slot.push(entry);
    else this.#bySlot.set(entry.slot, [entry]);
    for (const key of entry.keys) {
      const list = this.#byKey.get(key);
      if (list) list.push(entry);
      else this.#byKey.set(key, [entry]);
    }
    // A tenth at a time: dropping one by one would copy the lists again and again.
    if (this.#all.length > this.#entriesMax * 1.1) this.#dropOldest(this.#all.length - this.#entriesMax);
  }

  /** Forgets all but the oldest `size` transactions. */
  goBackTo(size: number): void {
    for (const entry of this.#all.splice(size).reverse()) {
      this.#count -= 1;
      this.#bySignature.delete(entry.signature);
      this.#bySlot.get(entry.slot)?.pop();
      for (const key of entry.keys) this.#byKey.get(key)?.pop();
    }
  }

  find(signature: string): HistoryEntry | undefined {
    return this.#bySignature.get(signature);
  }

  inSlot(slot: number): readonly HistoryEntry[] {
    return this.#bySlot.get(slot) ?? [];
  }

  /**
   * Transactions that name `key`, newest first: those before `before` and after `until` (both excluded), not newer
   * than `maxSlot`. As on a node an unknown `before` gives nothing and an unknown `until` bounds nothing.
   */
  of(
    key: string,
    options: { before?: string | undefined; until?: string | undefined; limit: number; maxSlot: number },
  ): HistoryEntry[] {
    const list = this.#byKey.get(key) ?? [];
    const before = options.before === undefined ? undefined : this.find(options.before);
    if (options.before !== undefined && !before) return [];
    const until = options.until === undefined ? undefined : this.find(options.until);
    const found: HistoryEntry[] = [];
    for (
      let at = (before ? lowerBound(list, before) : list.length) - 1;
      at >= 0 && found.length < options.limit;
      at -= 1
    ) {
      const entry = list[at];
      if (!entry || (until && !isBefore(until, entry))) break;
      if (entry.slot <= options.maxSlot) found.push(entry);
    }
    return found;
  }

  #dropOldest(count: number): void {
    const dropped = this.#all.slice(0, count);
    this.#all = this.#all.slice(count);
    const firstKept = this.#all[0];
    const keys = new Set<string>();
    for (const entry of dropped) {
      this.#bySignature.delete(entry.signature);
      if (entry.slot < (firstKept?.slot ?? NEVER)) this.#bySlot.delete(entry.slot);
      for (const key of entry.keys) keys.add(key);
    }
    if (firstKept) {
      this.#bySlot.set(
        firstKept.slot,
        this.inSlot(firstKept.slot).filter((entry) => !isBefore(entry, firstKept)),
      );
    }
    for (const key of keys) {
      const list = this.#byKey.get(key) ?? [];
      const kept = firstKept ? list.slice(lowerBound(list, firstKept)) : [];
      if (kept.length > 0) this.#byKey.set(key, kept);
      else this.#byKey.delete(key);
    }
  }
}

/** Returned by getTransaction in addition to the message. */
export function metaOf(body: TransactionBody): StoredMeta {
  return JSON.parse(body.metaJson.toString('utf8')) as StoredMeta;
}

type Head = [err: TransactionError | null, memo: string | null, loaded: LoadedAddresses];

const FIXED_BYTES = 20;
/** Shared by all transactions that load nothing from tables. */
const NOTHING_LOADED: LoadedAddresses = { writable: [], readonly: [] };

/** Layout: slot f64, index u32, block time f64, then head JSON, wire bytes and meta JSON, each with its u32 length. */
export function encodeEntry(entry: NewEntry, body: TransactionBody): Buffer {
  const head: Head = [entry.err, entry.memo, entry.loaded];
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeDoubleLE(entry.slot, 0);
  fixed.writeUInt32LE(entry.index, 8);
  fixed.writeDoubleLE(entry.blockTime, 12);
  const parts: Buffer[] = [fixed];
  for (const part of [Buffer.from(JSON.stringify(head)), body.wire, body.metaJson]) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    parts.push(length, part);
  }
  return Buffer.concat(parts);
}

/** Returns the three parts of an encoded entry. */
function partsOf(bytes: Buffer): { head: Buffer; wire: Buffer; metaJson: Buffer } {
  let at = FIXED_BYTES;
  const next = (): Buffer => {
    const start = at + 4;
    at = start + bytes.readUInt32LE(at);
    return bytes.subarray(start, at);
  };
  return { head: next(), wire: next(), metaJson: next() };
}

/** Returns the body in what `encodeEntry` wrote. */
export function decodeBody(bytes: Buffer): TransactionBody {
  const { wire, metaJson } = partsOf(bytes);
  return { wire, metaJson };
}

/** Reads what `encodeEntry` wrote, without holding on to the bytes. */
export function decodeEntry(bytes: Buffer): NewEntry {
  const { head, wire } = partsOf(bytes);
  const [err, memo, loaded] = JSON.parse(head.toString('utf8')) as Head;
  const { signature, message } = decodeTransaction(wire);
  return {
    slot: bytes.readDoubleLE(0),
    index: bytes.readUInt32LE(8),
    blockTime: bytes.readDoubleLE(12),
    signature,
    err,
    memo,
    loaded: message.lookups.length === 0 ? NOTHING_LOADED : loaded,
    keys: allKeys(message, loaded),
    unitPrice: Number(unitPriceOf(message)),
  };
}

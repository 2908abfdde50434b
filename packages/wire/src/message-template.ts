import { decodeBase58 } from './base58.js';
import { keyBytes } from './layout.js';

/** The order of addresses inside a message, as the Solana library has it: that of their texts in English. */
const compareAddresses = new Intl.Collator('en', {
  caseFirst: 'lower',
  ignorePunctuation: false,
  localeMatcher: 'best fit',
  numeric: false,
  sensitivity: 'variant',
  usage: 'sort',
}).compare;

/** An instruction, as the Solana library has it: bit 1 of a role is for signers, bit 0 for accounts that are written to. */
interface Instruction {
  programAddress: string;
  accounts?: readonly { address: string; role: number }[];
  data?: ArrayLike<number>;
}

/** An address with its 32 bytes, so that these are worked out once. */
export interface Key<Text extends string = string> {
  address: Text;
  bytes: Uint8Array;
}

/** Throws a TypeError for text that is no address. */
export function keyOf<Text extends string>(address: Text): Key<Text> {
  const bytes = decodeBase58(address, keyBytes);
  if (!bytes) throw new TypeError(`${JSON.stringify(address)} is no address`);
  return { address, bytes };
}

interface Group {
  /** In order, when `slots` is empty; else filled and sorted for every message. */
  keys: Key[];
  slots: number[];
}

interface TemplateInstruction {
  program: Ref;
  accounts: Ref[];
  /** Undefined where it is given for every message. */
  data: Uint8Array | undefined;
}

/** An account as instructions name it: a fixed address, or the number of a slot. */
type Ref = string | number;

/** What stands in for something in a template. */
export interface TemplateHoles {
  /** Stand-ins for the addresses that `fill` puts in, in that order. */
  slots: readonly string[];
  /** Positions of the instructions whose data is given for every message, in their order. */
  open: readonly number[];
}

/**
 * A legacy message of which everything is worked out but a few account addresses, the data of some instructions and the
 * blockhash. It gives the very bytes that @solana/kit compiles for the same instructions: accounts ordered by fee payer,
 * writable signers, other signers, writable accounts, others, and by address inside each group.
 */
export class MessageTemplate {
  readonly #feePayer: Key;
  readonly #groups: Group[];
  readonly #instructions: TemplateInstruction[];
  readonly #header: Uint8Array;
  readonly #fixed: Set<string>;

  constructor(feePayer: string, instructions: readonly Instruction[], { slots, open }: TemplateHoles) {
    const refOf = (address: string): Ref => {
      const slot = slots.indexOf(address);
      return slot === -1 ? address : slot;
    };
    this.#feePayer = keyOf(feePayer);
    this.#instructions = instructions.map(({ programAddress, accounts = [], data = [] }, position) => ({
      program: refOf(programAddress),
      accounts: accounts.map(({ address }) => refOf(address)),
      data: open.includes(position) ? undefined : Uint8Array.from(data),
    }));
    const ranks = ranksOf(feePayer, instructions);
    this.#fixed = new Set([feePayer, ...ranks.keys()].filter((address) => !slots.includes(address)));
    this.#groups = [0, 1, 2, 3].map((rank) => groupOf(rank, ranks, refOf));
    const [writableSigners, readonlySigners, , readonlyOthers] = this.#groups.map(sizeOf);
    this.#header = Uint8Array.of(
      1 + (writableSigners ?? 0) + (readonlySigners ?? 0),
      readonlySigners ?? 0,
      readonlyOthers ?? 0,
    );
  }

  /**
   * Returns the message with these accounts in its slots. Undefined when a slot is filled with an address that stands
   * elsewhere in the message too: accounts then merge, which this cannot do.
   */
  fill(slots: readonly Key[]): FilledMessage | undefined {
    const distinct = new Set(slots.map(({ address }) => address));
    if (distinct.size !== slots.length || slots.some(({ address }) => this.#fixed.has(address)))
      return undefined;
    const keys = [this.#feePayer, ...this.#groups.flatMap((group) => ordered(group, slots))];
    const indexes = new Map(keys.map(({ address }, index) => [address, index]));
    const indexOf = (ref: Ref): number => {
      const index = indexes.get(
        typeof ref === 'number' ? (slots[ref]?.address ?? this.#feePayer.address) : ref,
      );
      if (index === undefined) throw new Error('An account of the template is missing');
      return index;
    };
    const head = Buffer.concat([this.#header, compact(keys.length), ...keys.map(({ bytes }) => bytes)]);
    const parts: Buffer[] = [];
    let part: Uint8Array[] = [compact(this.#instructions.length)];
    for (const { program, accounts, data } of this.#instructions) {
      part.push(
        Uint8Array.of(indexOf(program)),
        compact(accounts.length),
        Uint8Array.from(accounts, indexOf),
      );
      if (data) {
        part.push(compact(data.length), data);
      } else {
        parts.push(Buffer.concat(part));
        part = [];
      }
    }
    return new FilledMessage(head, [...parts, Buffer.concat(part)]);
  }
}

/** A message that lacks only its blockhash and the data of its open instructions. */
export class FilledMessage {
  readonly #head: Uint8Array;
  /** What comes before the data of each open instruction, and what comes after the last. */
  readonly #parts: readonly Uint8Array[];
  /** Bytes without the data and its lengths. */
  readonly #length: number;

  constructor(head: Uint8Array, parts: readonly Uint8Array[]) {
    this.#head = head;
    this.#parts = parts;
    this.#length = parts.reduce((sum, part) => sum + part.length, head.length + keyBytes);
  }

  /** Returns the message for a blockhash of 32 bytes and the data of each open instruction. */
  write(blockhash: Uint8Array, data: readonly Uint8Array[]): Uint8Array {
    let length = this.#length;
    for (const each of data) length += each.length + (each.length < 0x80 ? 1 : 2);
    // Of a pool: each byte is written below.
    const message = Buffer.allocUnsafe(length);
    message.set(this.#head);
    message.set(blockhash, this.#head.length);
    let offset = this.#head.length + keyBytes;
    for (let index = 0; index < this.#parts.length; index += 1) {
      const part = this.#parts[index] as Uint8Array;
      message.set(part, offset);
      offset += part.length;
      const each = data[index];
      if (!each) continue;
      offset = writeCompact(message, each.length, offset);
      message.set(each, offset);
      offset += each.length;
    }
    return message;
  }
}

/** Group of every account but the fee payer: 0 writable signers, 1 signers, 2 writable, 3 others. */
function ranksOf(feePayer: string, instructions: readonly Instruction[]): Map<string, number> {
  const ranks = new Map<string, { signer: boolean; writable: boolean }>();
  const merge = (address: string, signer: boolean, writable: boolean) => {
    const before = ranks.get(address);
    ranks.set(address, {
      signer: signer || before?.signer === true,
      writable: writable || before?.writable === true,
    });
  };
  for (const { programAddress, accounts = [] } of instructions) {
    merge(programAddress, false, false);
    for (const { address, role } of accounts) merge(address, (role & 2) !== 0, (role & 1) !== 0);
  }
  ranks.delete(feePayer);
  return new Map(
    [...ranks].map(([address, role]) => [address, (role.signer ? 0 : 2) + (role.writable ? 0 : 1)]),
  );
}

function groupOf(rank: number, ranks: Map<string, number>, refOf: (address: string) => Ref): Group {
  const refs = [...ranks].filter(([, found]) => found === rank).map(([address]) => refOf(address));
  const keys = refs.filter((ref) => typeof ref === 'string').map(keyOf);
  return {
    keys: keys.sort((left, right) => compareAddresses(left.address, right.address)),
    slots: refs.filter((ref) => typeof ref === 'number'),
  };
}

function sizeOf(group: Group): number {
  return group.keys.length + group.slots.length;
}

function ordered(group: Group, slots: readonly Key[]): Key[] {
  if (group.slots.length === 0) return group.keys;
  const filled = group.slots.flatMap((slot) => slots[slot] ?? []);
  return [...group.keys, ...filled].sort((left, right) => compareAddresses(left.address, right.address));
}

/** A count below 16,384 as compact-u16. */
function compact(count: number): Uint8Array {
  const bytes = new Uint8Array(2);
  return bytes.subarray(0, writeCompact(bytes, count, 0));
}

/** Writes a count below 16,384 as compact-u16; returns the offset behind it. */
function writeCompact(bytes: Uint8Array, count: number, offset: number): number {
  if (count < 0x80) {
    bytes[offset] = count;
    return offset + 1;
  }
  bytes[offset] = (count & 0x7f) | 0x80;
  bytes[offset + 1] = count >> 7;
  return offset + 2;
}

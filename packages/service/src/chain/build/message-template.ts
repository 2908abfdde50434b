import {
  type Address,
  getAddressComparator,
  getAddressEncoder,
  type Instruction,
  isSignerRole,
  isWritableRole,
} from '@solana/kit';

const compareAddresses = getAddressComparator();
const addressEncoder = getAddressEncoder();

/** An address with its 32 bytes, so that these are worked out once. */
export interface Key {
  address: Address;
  bytes: Uint8Array;
}

export function keyOf(address: Address): Key {
  return { address, bytes: Uint8Array.from(addressEncoder.encode(address)) };
}

interface Group {
  /** In order, when `slots` is empty; else filled and sorted for every message. */
  keys: Key[];
  slots: number[];
}

interface TemplateInstruction {
  program: Ref;
  accounts: Ref[];
}

/** An account as instructions name it: a fixed address, or the number of a slot. */
type Ref = Address | number;

/**
 * A legacy message of which everything is worked out but a few account addresses, the instructions' data and the
 * blockhash. `fill` gives the very bytes that @solana/kit compiles for the same instructions: accounts ordered by fee
 * payer, writable signers, other signers, writable accounts, others, and by address inside each group.
 */
export class MessageTemplate {
  readonly #feePayer: Key;
  readonly #groups: Group[];
  readonly #instructions: TemplateInstruction[];
  readonly #header: Uint8Array;
  readonly #fixed: Set<Address>;

  /** `slots` are stand-ins in `instructions` for the addresses that `fill` puts in, in that order. */
  constructor(feePayer: Address, instructions: readonly Instruction[], slots: readonly Address[]) {
    const refOf = (address: Address): Ref => {
      const slot = slots.indexOf(address);
      return slot === -1 ? address : slot;
    };
    this.#feePayer = keyOf(feePayer);
    this.#instructions = instructions.map(({ programAddress, accounts = [] }) => ({
      program: refOf(programAddress),
      accounts: accounts.map(({ address }) => refOf(address)),
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
   * Returns the message for these slots, blockhash and instruction data (one for each instruction). Undefined when a
   * slot is filled with an address that stands elsewhere in the message too: accounts then merge, which this cannot do.
   */
  fill(slots: readonly Key[], blockhash: Uint8Array, data: readonly Uint8Array[]): Uint8Array | undefined {
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
    const parts: Uint8Array[] = [
      this.#header,
      compact(keys.length),
      ...keys.map(({ bytes }) => bytes),
      blockhash,
    ];
    parts.push(compact(this.#instructions.length));
    this.#instructions.forEach(({ program, accounts }, position) => {
      const bytes = data[position] ?? new Uint8Array();
      parts.push(Uint8Array.of(indexOf(program)), compact(accounts.length));
      parts.push(Uint8Array.from(accounts, indexOf), compact(bytes.length), bytes);
    });
    return Uint8Array.from(Buffer.concat(parts));
  }
}

/** Group of every account but the fee payer: 0 writable signers, 1 signers, 2 writable, 3 others. */
function ranksOf(feePayer: Address, instructions: readonly Instruction[]): Map<Address, number> {
  const ranks = new Map<Address, { signer: boolean; writable: boolean }>();
  const merge = (address: Address, signer: boolean, writable: boolean) => {
    const before = ranks.get(address);
    ranks.set(address, {
      signer: signer || before?.signer === true,
      writable: writable || before?.writable === true,
    });
  };
  for (const { programAddress, accounts = [] } of instructions) {
    merge(programAddress, false, false);
    for (const { address, role } of accounts) merge(address, isSignerRole(role), isWritableRole(role));
  }
  ranks.delete(feePayer);
  return new Map(
    [...ranks].map(([address, role]) => [address, (role.signer ? 0 : 2) + (role.writable ? 0 : 1)]),
  );
}

function groupOf(rank: number, ranks: Map<Address, number>, refOf: (address: Address) => Ref): Group {
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
  return count < 0x80 ? Uint8Array.of(count) : Uint8Array.of((count & 0x7f) | 0x80, count >> 7);
}

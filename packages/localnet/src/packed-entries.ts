import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** So many bytes are packed together: the more, the smaller it gets, and the longer it takes to read one. */
const BLOCK_BYTES = 64 * 1024;
/** The quickest level: a transaction costs 10 µs. */
const LEVEL = 1;

/** Readers go through a chain from one end to the other, with several requests under way. */
const UNPACKED_BLOCKS = 4;

interface Block {
  /** Number of its first entry. */
  first: number;
  packed: Uint8Array;
}

/** Layout of a block before it is packed: each entry behind its length u32. */
function pack(entries: readonly Buffer[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(entry.length);
    return [length, entry];
  });
  // What zlib returns is the beginning of a larger buffer, of 64 KiB in newer versions of Node: the copy keeps its bytes alone.
  return new Uint8Array(deflateRawSync(Buffer.concat(parts), { level: LEVEL }));
}

function unpack(packed: Uint8Array): Buffer[] {
  const bytes = inflateRawSync(packed);
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at);
    entries.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return entries;
}

/** The entries of a history that lives in memory alone, packed. Numbers count up from 0 in the order of adding. */
export class PackedEntries {
  readonly #blocks: Block[] = [];
  #open: Buffer[] = [];
  #openFirst = 0;
  #openBytes = 0;
  /** The blocks that were read last, the newest of them first. */
  #unpacked: { first: number; entries: Buffer[] }[] = [];

  /** Keeps an entry; gives its number. */
  add(entry: Buffer): number {
    const number = this.#openFirst + this.#open.length;
    this.#open.push(entry);
    this.#openBytes += entry.length;
    if (this.#openBytes >= BLOCK_BYTES) {
      this.#blocks.push({ first: this.#openFirst, packed: pack(this.#open) });
      this.#openFirst = number + 1;
      this.#open = [];
      this.#openBytes = 0;
    }
    return number;
  }

  /** Returns the entry with this number; undefined when it was dropped. */
  read(number: number): Buffer | undefined {
    if (number >= this.#openFirst) return this.#open[number - this.#openFirst];
    const block = this.#blocks.findLast(({ first }) => first <= number);
    if (!block) return undefined;
    let unpacked = this.#unpacked.find(({ first }) => first === block.first);
    if (!unpacked) {
      unpacked = { first: block.first, entries: unpack(block.packed) };
      this.#unpacked = [unpacked, ...this.#unpacked].slice(0, UNPACKED_BLOCKS);
    }
    return unpacked.entries[number - block.first];
  }

  /** Returns what forgets all entries that are added from now on. */
  mark(): () => void {
    const [blocks, open, first, bytes] = [
      this.#blocks.length,
      [...this.#open],
      this.#openFirst,
      this.#openBytes,
    ];
    return () => {
      this.#blocks.length = blocks;
      this.#open = [...open];
      this.#openFirst = first;
      this.#openBytes = bytes;
      this.#unpacked = [];
    };
  }

  /** Lets go of the blocks whose entries all have a smaller number. */
  dropBefore(number: number): void {
    let gone = 0;
    while ((this.#blocks[gone + 1]?.first ?? this.#openFirst) <= number && gone < this.#blocks.length)
      gone += 1;
    if (gone > 0) this.#blocks.splice(0, gone);
  }
}

import { hash } from 'node:crypto';

const hashBytes = 32;
const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** At once: an object for each hash leaves memory outside of the heap, which V8 gives back late. */
const sha256 = (...parts: Uint8Array[]): Uint8Array => hash('sha256', Buffer.concat(parts), 'buffer');

/** Proof that a leaf is in a tree: its place, how many leaves there are, and the hashes next to its way to the root. */
export interface InclusionProof {
  index: number;
  leaves: number;
  /** From the leaf up, 32 bytes each. */
  path: Uint8Array[];
}

/**
 * A Merkle tree as RFC 6962, section 2.1, hashes it: SHA-256 of 0x00 and the leaf, or of 0x01 and two nodes. A node without
 * a neighbour goes up as it is, which gives the same tree as the RFC's split at a power of two.
 */
export class MerkleTree {
  /** The hashes of each level, one behind the other; the leaves' first. */
  readonly #levels: Uint8Array[];
  readonly leaves: number;

  constructor(leaves: Iterable<Uint8Array>) {
    // In one piece: as an object each, the hashes of many leaves would take ten times the memory.
    let hashes = new Uint8Array(1_024 * hashBytes);
    let end = 0;
    for (const leaf of leaves) {
      if (end === hashes.length) {
        const larger = new Uint8Array(2 * end);
        larger.set(hashes);
        hashes = larger;
      }
      hashes.set(sha256(leafPrefix, leaf), end);
      end += hashBytes;
    }
    this.leaves = end / hashBytes;
    let level = hashes.subarray(0, end);
    this.#levels = [level];
    while (level.length > hashBytes) {
      level = levelAbove(level);
      this.#levels.push(level);
    }
  }

  /** 32 bytes; the hash of nothing for a tree without leaves. */
  get root(): Uint8Array {
    const top = this.#levels.at(-1);
    return top && top.length > 0 ? top : sha256();
  }

  /** Returns the proof of the leaf at a place. Throws when there is none. */
  prove(index: number): InclusionProof {
    if (!(index >= 0 && index < this.leaves)) throw new Error(`there is no leaf ${index}`);
    let place = index;
    const path: Uint8Array[] = [];
    for (const level of this.#levels) {
      const sibling = hashAt(level, place ^ 1);
      if (sibling) path.push(sibling);
      place >>= 1;
    }
    return { index, leaves: this.leaves, path };
  }
}

function levelAbove(level: Uint8Array): Uint8Array<ArrayBuffer> {
  const above = new Uint8Array(Math.ceil(level.length / hashBytes / 2) * hashBytes);
  for (let place = 0; place * hashBytes < level.length; place += 2) {
    const [left, right] = [hashAt(level, place), hashAt(level, place + 1)];
    if (left) above.set(right ? sha256(nodePrefix, left, right) : left, (place / 2) * hashBytes);
  }
  return above;
}

function hashAt(level: Uint8Array, place: number): Uint8Array | undefined {
  const hash = level.subarray(place * hashBytes, (place + 1) * hashBytes);
  return hash.length === hashBytes ? hash : undefined;
}

/** Returns the root that a proof leads to from its leaf, as RFC 9162, section 2.1.3.2, computes it; undefined for a malformed one. */
export function rootOf(leaf: Uint8Array, { index, leaves, path }: InclusionProof): Uint8Array | undefined {
  if (!(index >= 0 && index < leaves)) return undefined;
  let [place, last] = [index, leaves - 1];
  let node = sha256(leafPrefix, leaf);
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      node = sha256(nodePrefix, sibling, node);
      while (place % 2 === 0 && place !== 0) [place, last] = [place >> 1, last >> 1];
    } else {
      node = sha256(nodePrefix, node, sibling);
    }
    [place, last] = [place >> 1, last >> 1];
  }
  return last === 0 ? node : undefined;
}

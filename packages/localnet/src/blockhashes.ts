import { createHash } from 'node:crypto';
import { encodeBase58 } from '@karat/wire';

/** How many blocks a blockhash can be used for: valid while height <= its block's height + 150. */
export const BLOCKHASH_AGE_MAX = 150;
/**
 * How old a blockhash may be for a preflight or a simulation, which leave 6 blocks for the way to a leader (Agave
 * `runtime/src/bank.rs`, `simulate_transaction`: MAX_TRANSACTION_FORWARDING_DELAY).
 */
export const SIMULATED_BLOCKHASH_AGE_MAX = BLOCKHASH_AGE_MAX - 6;
/** How many blockhashes are remembered: those a finalized bank still accepts, with room to spare. */
const REMEMBERED = 600;

/** Returns the hash of a block: sha256 over the ledger's nonce and the slot, so that it survives restarts unstored. */
export function blockhashBytes(nonce: Uint8Array, slot: number): Buffer {
  const slotBytes = Buffer.alloc(8);
  slotBytes.writeBigUInt64LE(BigInt(slot));
  return createHash('sha256').update(nonce).update(slotBytes).digest();
}

/** The recent blockhashes by slot. A block's height equals its slot: no slot is ever skipped. */
export class Blockhashes {
  readonly #nonce: Uint8Array;
  readonly #slotByHash = new Map<string, number>();
  readonly #bytesBySlot = new Map<number, Buffer>();
  #newest = -1;

  constructor(nonce: Uint8Array) {
    this.#nonce = nonce;
  }

  /** Moves on to `slot`; in a jump only the blockhashes that can still matter are made. */
  advanceTo(slot: number): void {
    for (let next = Math.max(this.#newest + 1, slot - REMEMBERED + 1, 0); next <= slot; next += 1) {
      const bytes = blockhashBytes(this.#nonce, next);
      this.#slotByHash.set(encodeBase58(bytes), next);
      this.#bytesBySlot.set(next, bytes);
    }
    this.#newest = slot;
    for (const [hash, old] of this.#slotByHash) {
      if (old > slot - REMEMBERED) break;
      this.#slotByHash.delete(hash);
      this.#bytesBySlot.delete(old);
    }
  }

  /** Blockhash of any slot, remembered or not. */
  bytesAt(slot: number): Buffer {
    return this.#bytesBySlot.get(slot) ?? blockhashBytes(this.#nonce, slot);
  }

  /** Base58 blockhash of any slot, remembered or not. */
  at(slot: number): string {
    return encodeBase58(this.bytesAt(slot));
  }

  /** Returns whether the bank of `slot` takes transactions with this blockhash, which may be `ageMax` blocks old. */
  isValidAt(blockhash: string, slot: number, ageMax = BLOCKHASH_AGE_MAX): boolean {
    const made = this.#slotByHash.get(blockhash);
    return made !== undefined && made <= slot && slot - made <= ageMax;
  }

  /** Returns the newest blocks up to and without `slot`, newest first, for the SlotHashes sysvar. */
  before(slot: number, count: number): { slot: number; hash: Buffer }[] {
    const found: { slot: number; hash: Buffer }[] = [];
    for (let at = slot - 1; at >= 0 && found.length < count; at -= 1) {
      const hash = this.#bytesBySlot.get(at);
      if (!hash) break;
      found.push({ slot: at, hash });
    }
    return found;
  }

  /** Returns the newest blockhashes up to and with that of `slot`, newest first, for the RecentBlockhashes sysvar. */
  upTo(slot: number, count: number): Buffer[] {
    return this.before(slot + 1, count).map(({ hash }) => hash);
  }
}

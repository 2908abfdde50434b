import type { Address, SignatureBytes } from '@solana/kit';
import { inTime } from './in-time.js';
import type { Signer } from './signer.js';

/** A place outside this process that keeps a key, and signs one message in each call. */
export interface SingleBackend {
  address: Address;
  /** Returns the signature of a message. `lane` counts from 0; no two calls at the same time have the same one. */
  sign(message: Uint8Array, lane: number): Promise<SignatureBytes>;
  close(): Promise<void>;
}

interface Waiting {
  message: Uint8Array;
  resolve(signature: SignatureBytes): void;
  reject(error: unknown): void;
}

/**
 * Makes a signer of a backend that signs message by message, `lanes` of them at a time; the others wait. A message that is
 * not signed within `withinMs`, fails, or is given up by its signal, throws, and delays no other.
 */
export function signEach(backend: SingleBackend, lanes: number, withinMs: number): Signer {
  /** In their order; without those whose callers have given up. */
  const waiting = new Set<Waiting>();
  const free = Array.from({ length: lanes }, (_, lane) => lane);
  const work = async (lane: number) => {
    for (const next of waiting) {
      waiting.delete(next);
      await backend.sign(next.message, lane).then(next.resolve, next.reject);
    }
    free.push(lane);
  };
  return {
    address: backend.address,
    sign: async (message, signal) => {
      signal?.throwIfAborted();
      const given: Waiting = { message, resolve() {}, reject() {} };
      const signed = new Promise<SignatureBytes>((resolve, reject) =>
        Object.assign(given, { resolve, reject }),
      );
      waiting.add(given);
      const giveUp = () => {
        waiting.delete(given);
        given.reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const lane = free.pop();
      if (lane !== undefined) void work(lane);
      try {
        return await inTime(signed, withinMs);
      } catch (error) {
        waiting.delete(given);
        throw error;
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
    },
    close: () => backend.close(),
  };
}

import { PolicyRefusal } from '@karat/signer';
import type { SignatureBytes } from '@solana/kit';
import { unavailable } from '../../errors.js';
import { Batcher } from '../../runtime/batcher.js';
import { withDeadline } from '../../runtime/time.js';
import type { Signer, SigningBackend } from './signer.js';

const maxInBatch = 256;
/** While one batch is signed, the next one is on its way. */
const batchesAtOnce = 2;

/**
 * Makes a signer of a backend that is a call away: messages that come at the same time go out together. A backend that
 * fails gives `service_unavailable`, as does one that takes longer than `withinMs`, which is aborted then; a `PolicyRefusal` that a backend returns for one message
 * reaches that caller as it is.
 */
export function coalesce(backend: SigningBackend, withinMs: number): Signer {
  const batcher = new Batcher<Uint8Array, SignatureBytes>({
    maxItems: maxInBatch,
    maxRunning: batchesAtOnce,
    run: async (messages) => {
      try {
        const signed = await withDeadline(withinMs, undefined, (signal) =>
          backend.signBatch(messages, signal),
        );
        return messages.map((_, index) => {
          const result = signed[index];
          return result instanceof Uint8Array ? result : unusable(result);
        });
      } catch (error) {
        throw unusable(error);
      }
    },
  });
  return {
    address: backend.address,
    sign: (message) => batcher.add(message),
    close: () => backend.close(),
  };
}

/** Returns the error of a signature that a key elsewhere does not give. */
function unusable(cause: unknown): Error {
  if (cause instanceof PolicyRefusal) return cause;
  return unavailable('The key that signs cannot be used at the moment; try again shortly.', { cause });
}

import type { SignatureBytes } from '@solana/kit';
import { AppError, unavailable } from '../../errors.js';
import { inTime } from '../../runtime/time.js';
import type { Signer, SigningBackend } from './signer.js';

/** A batch that takes longer is given up: quotes that wait for it need a response. */
const usuallyWithinMs = 3_000;
const mostInBatch = 256;
/** While one batch is signed, the next one is on its way. */
const batchesAtOnce = 2;

interface Waiting {
  message: Uint8Array;
  resolve(signature: SignatureBytes): void;
  reject(error: unknown): void;
}

/**
 * Makes a signer of a backend that is a call away: messages that come in the same turn of the event loop, or while
 * earlier ones are signed, go out together. A backend that fails or takes longer than `withinMs` gives
 * `service_unavailable`; an `AppError` that a backend returns for one message reaches that caller as it is.
 */
export function coalesce(backend: SigningBackend, withinMs = usuallyWithinMs): Signer {
  let waiting: Waiting[] = [];
  let running = 0;
  let scheduled = false;
  const schedule = () => {
    if (scheduled || waiting.length === 0 || running >= batchesAtOnce) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const batch = waiting.slice(0, mostInBatch);
      waiting = waiting.slice(mostInBatch);
      running += 1;
      void settle(backend, batch, withinMs).finally(() => {
        running -= 1;
        schedule();
      });
      schedule();
    });
  };
  return {
    address: backend.address,
    sign: (message) =>
      new Promise((resolve, reject) => {
        waiting.push({ message, resolve, reject });
        schedule();
      }),
    close: () => backend.close(),
  };
}

async function settle(backend: SigningBackend, batch: readonly Waiting[], withinMs: number): Promise<void> {
  try {
    const messages = batch.map(({ message }) => message);
    const signed = await inTime(backend.signBatch(messages), withinMs);
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = signed[index];
      if (result instanceof Uint8Array) resolve(result);
      else reject(unusable(result));
    }
  } catch (error) {
    for (const { reject } of batch) reject(unusable(error));
  }
}

/** Returns the error of a signature that a key elsewhere does not give. */
export function unusable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return unavailable('The key that signs cannot be used at the moment; try again shortly.', { cause });
}

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { findInvalidSignature, packJob, type SignedMessage } from './signatures.mjs';

export { findInvalidSignature, type SignedMessage };

/** Finds in each transaction what `findInvalidSignature` does. Never rejects. */
export type VerifySignatures = (signed: readonly SignedMessage[]) => Promise<(number | undefined)[]>;

/** Transactions that are verified in the thread of the caller before anything else gets its turn. */
const verifiedInARow = 16;
/** Fewer are done sooner than a worker is reached. */
const worthwhile = 8;
/** Jobs that a worker has at a time: as many as there are requests under way. Decoding and writing are work enough here. */
const jobsOfEach = 16;
/** Decoding and writing keep one core busy, and need no more than that many others for their signatures. */
const mostWorkers = 3;

/** Verifies signatures in the thread of the caller. */
export const verifyHere: VerifySignatures = async (signed) => {
  const invalid: (number | undefined)[] = [];
  for (const [index, each] of signed.entries()) {
    if (index > 0 && index % verifiedInARow === 0) await new Promise(setImmediate);
    invalid.push(findInvalidSignature(each));
  }
  return invalid;
};

interface Pooled {
  worker: Worker;
  /** What waits for the worker, by the number of its job: undefined once the worker is gone. */
  waiting: Map<number, (invalid: Int16Array | undefined) => void>;
}

/**
 * Verifies signatures on the cores that this process may use next to its own, in as many threads, which begin with the
 * first history that is read. What they have no room for is verified in the thread of the caller, as is everything where
 * there is no other core, and what a worker that failed has left behind.
 */
export class SignaturePool {
  readonly #workers = new Set<Pooled>();
  /** Threads that are still to be started. */
  #left: number;
  #jobs = 0;

  constructor(size = Math.min(mostWorkers, availableParallelism() - 1)) {
    this.#left = size;
  }

  readonly verify: VerifySignatures = async (signed) => {
    if (signed.length < worthwhile) return verifyHere(signed);
    for (; this.#left > 0; this.#left -= 1) this.#start();
    const [pooled] = [...this.#workers].sort((a, b) => a.waiting.size - b.waiting.size);
    if (!pooled || pooled.waiting.size >= jobsOfEach) return verifyHere(signed);
    const invalid = await this.#send(pooled, signed);
    return invalid ? [...invalid].map((place) => (place < 0 ? undefined : place)) : verifyHere(signed);
  };

  #send({ worker, waiting }: Pooled, signed: readonly SignedMessage[]): Promise<Int16Array | undefined> {
    this.#jobs += 1;
    const job = packJob(this.#jobs, signed);
    return new Promise((resolve) => {
      waiting.set(job.id, resolve);
      worker.postMessage(job, [job.bytes.buffer, job.table.buffer]);
    });
  }

  #start(): void {
    const worker = new Worker(new URL('./signature-worker.mjs', import.meta.url), { execArgv: [] });
    const pooled: Pooled = { worker, waiting: new Map() };
    this.#workers.add(pooled);
    worker.on('message', ({ id, invalid }: { id: number; invalid: Int16Array }) => {
      pooled.waiting.get(id)?.(invalid);
      pooled.waiting.delete(id);
    });
    // It exits after that.
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#workers.delete(pooled);
      for (const settle of pooled.waiting.values()) settle(undefined);
    });
    // Nothing that is left to do is left to a worker alone.
    worker.unref();
  }

  /** Ends the threads. What is verified from then on, and what they had in hand, is verified in the thread of the caller. */
  async close(): Promise<void> {
    this.#left = 0;
    await Promise.all([...this.#workers].map(({ worker }) => worker.terminate()));
  }
}

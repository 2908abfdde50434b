import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.js';
import { Batcher } from '../../runtime/batcher.js';

/** Writes what requests leave behind some time after them, never twice at once, so that no request waits for it. */
export class WriteBehind {
  readonly #writes: Batcher<void, void>;

  /** `write` writes what was gathered; what of it is tried again after a failure is its own affair. */
  constructor(write: () => Promise<void>) {
    this.#writes = new Batcher({ run: () => write().then(() => []) });
  }

  /** Writes what was gathered, after what is being written already, so that a later reader finds all of it. */
  flush(): Promise<void> {
    return this.#writes.add();
  }

  /**
   * Flushes again and again while the app runs, and once more when it closes. `failure` is logged with what fails. Returns what
   * flushes before its time.
   */
  attach(app: FastifyInstance, { log }: Pick<Context, 'log'>, everyMs: number, failure: string): () => void {
    const flushLoggingErrors = () => this.flush().catch((err: unknown) => log.warn({ err }, failure));
    const flushUnlessRunning = () => {
      // A database that hangs is not waited for once more every time.
      if (!this.#writes.isRunning) void flushLoggingErrors();
    };
    const timer = setInterval(flushUnlessRunning, everyMs).unref();
    app.addHook('onClose', async () => {
      clearInterval(timer);
      await flushLoggingErrors();
    });
    return flushUnlessRunning;
  }
}

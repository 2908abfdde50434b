import type { FastifyInstance } from 'fastify';
import { recordKeyUse } from '../actions/record-key-use.js';
import type { Context } from '../context.js';
import type { Uuid } from '../domain/index.js';

const flushEveryMs = 1_000;

/** When keys were last used, gathered here and written once a second, so that no request waits for it. */
export class KeyUse {
  readonly #ctx: Context;
  readonly #record: typeof recordKeyUse;
  #uses = new Map<Uuid, Date>();

  /** `record` writes what was gathered: of keys of partners, or of another kind. */
  constructor(ctx: Context, record = recordKeyUse) {
    this.#ctx = ctx;
    this.#record = record;
  }

  note(keyId: Uuid): void {
    this.#uses.set(keyId, new Date(this.#ctx.clock.now()));
  }

  /** Writes what was gathered. What cannot be written stays for the next time. */
  async flush(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#record(this.#ctx, uses);
    } catch (error) {
      this.#uses = new Map([...uses, ...this.#uses]);
      throw error;
    }
  }

  /** Flushes every second while the app runs, and once more when it closes. */
  attach(app: FastifyInstance): void {
    const flushQuietly = () =>
      this.flush().catch((err: unknown) =>
        this.#ctx.log.warn({ err }, 'the last use of keys was not written'),
      );
    const timer = setInterval(flushQuietly, flushEveryMs).unref();
    app.addHook('onClose', async () => {
      clearInterval(timer);
      await flushQuietly();
    });
  }
}

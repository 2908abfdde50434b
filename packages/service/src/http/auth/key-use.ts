import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.js';
import { updateLastUsed } from '../../db/keys/api-keys.js';
import type { Uuid } from '../../domain/index.js';
import { WriteBehind } from '../server/write-behind.js';

const flushEveryMs = 1_000;

type RecordUse = (ctx: Context, uses: ReadonlyMap<Uuid, Date>) => Promise<void>;

const recordKeyUse: RecordUse = (ctx, uses) => ctx.db.transaction((tx) => updateLastUsed(tx, uses));

/** When keys were last used, gathered here and written once a second, so that no request waits for it. */
export class KeyUse {
  readonly #ctx: Context;
  readonly #record: RecordUse;
  #uses = new Map<Uuid, Date>();
  readonly #behind = new WriteBehind(() => this.#write());

  /** `record` writes what was gathered: of keys of partners, or of another kind. */
  constructor(ctx: Context, record = recordKeyUse) {
    this.#ctx = ctx;
    this.#record = record;
  }

  note(keyId: Uuid): void {
    this.#uses.set(keyId, new Date(this.#ctx.clock.now()));
  }

  /**
   * Writes what was gathered, after what is being written already, so that a later reader finds all of it. What cannot
   * be written stays for the next time.
   */
  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async #write(): Promise<void> {
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
    this.#behind.attach(app, this.#ctx, flushEveryMs, 'the last use of keys was not written');
  }
}

import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import type { Db } from '../db/client.js';
import { hasAuditRowSince, lockAuditHead } from '../db/operators/audit-log.js';
import { commandLine, objectTypeOf } from '../domain/audit.js';
import { type Change, recordChange } from './audit.js';

/** A decision, and by which fields of what it says it differs from others about the same object: a row for each. */
export interface Decision extends Omit<Change, 'before' | 'after'> {
  after: Record<string, unknown>;
  distinctBy: Record<string, string | null>;
}

/** Forgetting more than that costs a query each, no more. */
const maxRemembered = 10_000;

/**
 * Writes what the service decides about callers by itself into the audit log: once for each action, object and what
 * distinguishes it in a day of UTC, over all processes, so that a caller who tries again and again does not fill it.
 */
export class DecisionLog {
  readonly #parts: { db: Db; clock: Clock; log: Logger };
  #day = '';
  readonly #written = new Set<string>();
  readonly #writing = new Set<Promise<void>>();

  constructor(parts: { db: Db; clock: Clock; log: Logger }) {
    this.#parts = parts;
  }

  /** Notes a decision. Its request does not wait; what could not be written is written at the next such decision. */
  note({ distinctBy, ...decision }: Decision): void {
    const { clock, log } = this.#parts;
    const at = new Date(clock.now());
    const day = at.toISOString().slice(0, 10);
    const { action, objectType = objectTypeOf(action), objectId } = decision;
    const key = JSON.stringify([action, objectType, objectId, distinctBy]);
    if (day !== this.#day || this.#written.size >= maxRemembered) this.#written.clear();
    this.#day = day;
    if (this.#written.has(key)) return;
    this.#written.add(key);
    const writing = this.#write({ ...decision, objectType }, distinctBy, at, new Date(day))
      .catch((err: unknown) => {
        this.#written.delete(key);
        log.error({ err, action }, 'a decision was not written into the audit log');
      })
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Waits for what is being written. */
  async written(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write(
    change: Change & { objectType: string },
    distinctBy: Decision['distinctBy'],
    at: Date,
    since: Date,
  ): Promise<void> {
    const { db } = this.#parts;
    if (await hasAuditRowSince(db, change, distinctBy, since)) return;
    await db.transaction(async (tx) => {
      // Two processes that decide the same come here one after the other.
      await lockAuditHead(tx);
      if (await hasAuditRowSince(tx, change, distinctBy, since)) return;
      await recordChange(tx, commandLine, change, at);
    });
  }
}

import type { Executor } from './executor.js';

/** Those of one process that come closer together are sent as one. */
const apartMs = 20;

/**
 * Notifications of PostgreSQL, each sent on its own and not by the transaction that it is about: a server lets only one
 * transaction with a notification commit at a time, each of which waits for the disk. So a process that dies in between
 * sends none, as may one that cannot reach the server: listeners must poll as well.
 */
export class Notices {
  readonly #query: Executor['query'];
  readonly #waiting = new Map<string, Set<string>>();
  /** One is planned or under way. */
  #flushing = false;
  #sentMs = 0;

  /** @param query sends on a connection that is no caller's: what is sent together is of several. */
  constructor(query: Executor['query']) {
    this.#query = query;
  }

  /** Sends payloads on a channel: at once, or with those of the next milliseconds. */
  send(channel: string, payloads: Iterable<string>): void {
    const waiting = this.#waiting.get(channel) ?? new Set();
    this.#waiting.set(channel, waiting);
    for (const payload of payloads) waiting.add(payload);
    this.#plan();
  }

  #plan(): void {
    if (this.#flushing || this.#waiting.size === 0) return;
    this.#flushing = true;
    setTimeout(() => void this.#flush(), Math.max(0, this.#sentMs + apartMs - performance.now()));
  }

  async #flush(): Promise<void> {
    const sent = [...this.#waiting].flatMap(([channel, payloads]) =>
      [...payloads].map((payload) => ({ channel, payload })),
    );
    this.#waiting.clear();
    this.#sentMs = performance.now();
    const text =
      'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as sent (channel, payload)';
    const values = [sent.map(({ channel }) => channel), sent.map(({ payload }) => payload)];
    await this.#query({ name: 'notify', text }, values).catch(() => {});
    this.#flushing = false;
    this.#plan();
  }
}

import cluster from 'node:cluster';
import type { CallGrant, CallRequest } from '../chain/node/caller-budget.js';
import type { NewsSource, Publish } from '../chain/program/chain-news.js';
import type { Context } from '../context.js';
import type { FromPrimary, FromWorker, Served } from './messages.js';

/** The primary of this worker, which reads the chain for it. A worker that loses its primary ends at once. */
export class Primary implements NewsSource {
  /** Number of this worker: those that were replaced had lower ones. */
  readonly workerId = cluster.worker?.id;
  readonly #wanted = new Map<number, (grant: CallGrant) => void>();
  readonly #asked = new Map<number, (text: string) => void>();
  #take: Publish | undefined;
  #isKnown = () => {};
  #metrics: Context['metrics'] | undefined;
  #lastNumber = 0;

  /** `stop` is called when the primary wants this worker to stop. */
  constructor(stop: () => void) {
    process.on('message', (message: FromPrimary) => {
      if (message.about === 'chain') this.#take?.(message.news);
      else if (message.about === 'known') this.#isKnown();
      else if (message.about === 'calls') this.#grant(message);
      else if (message.about === 'metrics') void this.#sendMetrics(message.number);
      else if (message.about === 'all metrics') this.#asked.get(message.number)?.(message.text);
      else stop();
    });
  }

  async follow(take: Publish): Promise<void> {
    this.#take = take;
    const known = new Promise<void>((resolve) => {
      this.#isKnown = resolve;
    });
    await this.#send({ about: 'follow' });
    await known;
  }

  use(): void {
    void this.#send({ about: 'demand' });
  }

  takeCalls(request: CallRequest): Promise<CallGrant> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    return new Promise((resolve) => {
      this.#wanted.set(number, resolve);
      void this.#send({ about: 'calls', number, request });
    });
  }

  giveBackCalls(granted: CallRequest & { atMs: number }): void {
    void this.#send({ about: 'spare calls', granted });
  }

  #grant({ number, grant }: { number: number; grant: CallGrant }): void {
    this.#wanted.get(number)?.(grant);
    this.#wanted.delete(number);
  }

  /** Has the metrics of this worker shown with those of the others, wherever they are looked at. */
  joinMetrics({ metrics }: Context): void {
    this.#metrics = metrics;
    metrics.showInstead(() => this.#allMetrics());
  }

  async isServing(served: Served): Promise<void> {
    await this.#send({ about: 'serving', served });
  }

  /** Reports why this worker cannot start. */
  async refuse(message: string): Promise<void> {
    await this.#send({ about: 'refusal', message });
  }

  async #sendMetrics(number: number): Promise<void> {
    // What cannot be measured is left out: the primary goes by what it knew before.
    const values = await this.#metrics?.values().catch(() => undefined);
    if (values) await this.#send({ about: 'metrics', number, values });
  }

  #allMetrics(): Promise<string> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    return new Promise((resolve) => {
      this.#asked.set(number, (text) => {
        this.#asked.delete(number);
        resolve(text);
      });
      void this.#send({ about: 'all metrics', number });
    });
  }

  /** Resolves when the message is on its way, or cannot be sent any more. */
  #send(message: FromWorker): Promise<void> {
    return new Promise((resolve) => {
      if (process.connected && process.send) process.send(message, () => resolve());
      else resolve();
    });
  }
}

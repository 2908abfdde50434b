import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import type { CallRequest } from '../chain/node/caller-budget.js';
import { ConfigError } from '../config.js';
import type { Context } from '../context.js';
import { addCounts, type MetricValues } from '../metrics/metrics.js';
import { type FromPrimary, type FromWorker, primaryVariable, type Served } from './messages.js';

/** A worker that died is replaced after so long; each one that dies young doubles it. */
const replaceAfterMs = 500;
const longestReplaceMs = 30_000;
/** A worker that served for so long did not die of its start. */
const youngMs = 10_000;
/** A worker that is too busy to report what it measured is shown with what it reported before. */
const metricsWithinMs = 2_000;

/** The garbage of a request is small and young: with more room for it, less of it is copied before it is dropped. */
const workerOptions = ['--max-semi-space-size=32'];

interface RunningWorker {
  worker: Worker;
  startedMs: number;
  exited: Promise<void>;
  /** What it reported last. */
  measured: MetricValues | undefined;
}

interface CallsWanted {
  number: number;
  request: CallRequest;
}

/**
 * Worker processes that serve the APIs on the same ports, each on a core of its own. What they read of the chain is read
 * once, here. One that dies is replaced.
 */
export class WorkerPool {
  readonly #ctx: Context;
  readonly #running = new Set<RunningWorker>();
  readonly #measured = new Map<number, (values: MetricValues | undefined) => void>();
  /** Counts of workers that are gone. */
  #retired: Promise<MetricValues> = Promise.resolve([]);
  #lastNumber = 0;
  #young = 0;
  #stopping = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /**
   * Starts so many workers; returns where they serve. Throws a `ConfigError` with the reason of one that cannot start.
   */
  async start(count: number): Promise<Served> {
    // Base units and slots are bigint, which JSON does not have.
    cluster.setupPrimary({ serialization: 'advanced', execArgv: [...process.execArgv, ...workerOptions] });
    this.#ctx.metrics.addOthers(() => this.#measure());
    const served = await Promise.all(Array.from({ length: count }, () => this.#fork()));
    return served[0] ?? { url: undefined, operatorUrl: undefined };
  }

  /** Lets every worker complete what is under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { worker } of this.#running) this.#send(worker, { about: 'stop' });
    await Promise.all([...this.#running].map(({ exited }) => exited));
  }

  /** Starts a worker; resolves when it serves. */
  #fork(): Promise<Served> {
    const worker = cluster.fork({ [primaryVariable]: process.pid });
    const { publisher, callBudget } = this.#ctx.chain;
    let unfollow = () => {};
    return new Promise<Served>((resolve, reject) => {
      let refusal: string | undefined;
      let serves = false;
      let gone = () => {};
      const exited = new Promise<void>((settle) => {
        gone = settle;
      });
      const running: RunningWorker = { worker, startedMs: performance.now(), exited, measured: undefined };
      const ended = (end: string) => {
        if (!this.#running.delete(running)) return;
        unfollow();
        this.#retire(running);
        gone();
        if (!serves) reject(new ConfigError(refusal ?? `A worker ended at its start: ${end}`));
        else if (!this.#stopping) void this.#replace(running, end);
      };
      worker.on('message', (message: FromWorker) => {
        if (message.about === 'demand') publisher.use();
        else if (message.about === 'calls') void this.#takeCalls(worker, message);
        else if (message.about === 'spare calls') callBudget.giveBackCalls(message.granted);
        else if (message.about === 'follow') {
          unfollow = publisher.follow((news) => this.#send(worker, { about: 'chain', news }));
          this.#send(worker, { about: 'known' });
        } else if (message.about === 'metrics') this.#measured.get(message.number)?.(message.values);
        else if (message.about === 'all metrics') void this.#showAll(worker, message.number);
        else if (message.about === 'refusal') refusal = message.message;
        else {
          serves = true;
          resolve(message.served);
        }
      });
      worker.on('error', (err) => {
        this.#ctx.log.error({ err }, 'a worker cannot be reached');
        // One that was never started has no exit.
        if (worker.process.pid === undefined) ended(err.message);
      });
      worker.once('exit', (code, signal) => ended(signal ?? String(code)));
      this.#running.add(running);
    });
  }

  async #replace({ startedMs }: RunningWorker, end: string): Promise<void> {
    this.#young = performance.now() - startedMs < youngMs ? this.#young + 1 : 0;
    this.#ctx.log.error({ end }, 'a worker died and is replaced');
    for (;;) {
      await wait(Math.min(replaceAfterMs * 2 ** this.#young, longestReplaceMs), undefined, { ref: false });
      if (this.#stopping) return;
      try {
        await this.#fork();
        return;
      } catch (err) {
        this.#young += 1;
        this.#ctx.log.error({ err }, 'a worker did not start');
      }
    }
  }

  /**
   * Returns what the workers measured. A count that falls is taken for one that began again, so what is late or gone counts
   * as before.
   */
  async #measure(): Promise<MetricValues[]> {
    const asked = [...this.#running].map(async (running) => {
      this.#lastNumber += 1;
      const number = this.#lastNumber;
      const measured = new Promise<MetricValues | undefined>((resolve) => {
        this.#measured.set(number, resolve);
      });
      this.#send(running.worker, { about: 'metrics', number });
      const late = wait(metricsWithinMs, undefined, { ref: false });
      const values = await Promise.race([measured, running.exited.then(() => undefined), late]);
      this.#measured.delete(number);
      if (values) running.measured = values;
    });
    await Promise.all(asked);
    const retired = await this.#retired;
    return [retired, ...[...this.#running].flatMap(({ measured }) => (measured ? [measured] : []))];
  }

  /** Keeps what a worker that is gone had counted. */
  #retire({ measured }: RunningWorker): void {
    if (measured) this.#retired = this.#retired.then((counts) => addCounts(counts, measured));
  }

  async #takeCalls(worker: Worker, { number, request }: CallsWanted): Promise<void> {
    const grant = await this.#ctx.chain.callBudget.takeCalls(request);
    this.#send(worker, { about: 'calls', number, grant });
  }

  async #showAll(worker: Worker, number: number): Promise<void> {
    try {
      this.#send(worker, { about: 'all metrics', number, text: await this.#ctx.metrics.text() });
    } catch (err) {
      this.#ctx.log.warn({ err }, 'the metrics of all workers were not read');
    }
  }

  #send(worker: Worker, message: FromPrimary): void {
    // A worker that is about to end takes no message, which its exit reports.
    if (worker.isConnected()) worker.send(message, () => {});
  }
}

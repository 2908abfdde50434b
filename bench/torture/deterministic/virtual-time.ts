/**
 * Time, randomness and waiting of the code under test, in a process of its own: timers run when the scheduler says so, the clock
 * stands still in between, and random bytes come from a seed. What runs outside of an actor has real timers.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import sodium from 'sodium-native';
import { Random } from '../random.js';

/** A process of the service that is simulated within this one. */
export interface Process {
  name: string;
  /** Whether it has crashed: whatever it still waits for never comes. */
  isDead: boolean;
}

/** One thread of work of a process: a request, a round, or its background. */
export interface Actor {
  name: string;
  process: Process;
  /** What its turns depend on: see `Scheduler`. */
  number: number;
  /** Counts its steps, and those of the other actors of the same operation. */
  steps: { next: number };
}

/** The actor whose code runs; none in the code of the simulation itself. */
export const actors = new AsyncLocalStorage<Actor>();

interface Timer {
  atMs: number;
  order: number;
  process: Process;
  fire(): void;
}

/** Every run begins at this moment. */
export const beginningMs = Date.UTC(2026, 2, 2, 12);

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  sleep: timersPromises.setTimeout,
  now: performance.now.bind(performance),
  abortAfter: AbortSignal.timeout.bind(AbortSignal),
};

/** A timer as callers hold it. */
class Handle {
  readonly timer: Timer;
  constructor(timer: Timer) {
    this.timer = timer;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    return this;
  }
}

/** The timers of all actors, and the monotonic time that they run by. */
export class VirtualTime {
  nowMs = 0;
  #timers = new Set<Timer>();
  #order = 0;
  #random = new Random(0, 'bytes');
  /** Work of the thread pool that actors wait for. */
  busy = 0;

  /** Replaces what the code under test has time and randomness from. Once in a process. */
  install(): void {
    this.#installTimers();
    this.#installRandomness();
    this.#countCrypto();
    syncBuiltinESMExports();
  }

  /** Forgets every timer, and begins the random numbers of another seed. */
  reset(seed: number): void {
    this.#timers.clear();
    this.#random = new Random(seed, 'bytes');
  }

  /** Milliseconds until the next timer of a process that lives; undefined when there is none. */
  get untilNextMs(): number | undefined {
    const next = this.#next();
    return next && Math.max(0, next.atMs - this.nowMs);
  }

  /** Moves the time on to the next timer and fires it. */
  fireNext(): void {
    const next = this.#next();
    if (!next) return;
    this.#timers.delete(next);
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.fire();
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.process.isDead) this.#timers.delete(timer);
      else if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order))
        next = timer;
    }
    return next;
  }

  #add(process: Process, ms: number, fire: () => void): Timer {
    const atMs = this.nowMs + Math.max(1, Math.round(Number.isFinite(ms) ? ms : 0));
    const timer = { atMs, order: this.#order++, process, fire: AsyncResource.bind(fire) };
    this.#timers.add(timer);
    return timer;
  }

  #installTimers(): void {
    const setVirtual = (actor: Actor, fire: () => void, ms: number) =>
      new Handle(this.#add(actor.process, ms, fire));
    const clear = (handle: unknown): boolean => handle instanceof Handle && this.#timers.delete(handle.timer);
    const set = (fire: (...args: unknown[]) => void, ms = 1, ...args: unknown[]): unknown => {
      const actor = actors.getStore();
      return actor ? setVirtual(actor, () => fire(...args), ms) : real.setTimeout(fire, ms, ...args);
    };
    const every = (fire: (...args: unknown[]) => void, ms = 1, ...args: unknown[]): unknown => {
      const actor = actors.getStore();
      if (!actor) return real.setInterval(fire, ms, ...args);
      const again = () => {
        const { timer } = setVirtual(actor, again, ms);
        Object.assign(handle, { timer });
        fire(...args);
      };
      const handle = setVirtual(actor, again, ms);
      return handle;
    };
    const sleep = (ms = 1, value?: unknown, options: { signal?: AbortSignal; ref?: boolean } = {}) => {
      const actor = actors.getStore();
      if (!actor) return real.sleep(ms, value, options);
      const { signal } = options;
      return new Promise((resolve, reject) => {
        const abort = () => {
          this.#timers.delete(timer);
          reject(new DOMException('The operation was aborted', 'AbortError'));
        };
        const timer = this.#add(actor.process, ms, () => {
          signal?.removeEventListener('abort', abort);
          resolve(value);
        });
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      });
    };
    const clearReal = (handle: unknown) => {
      if (!(handle instanceof Handle)) real.clearTimeout(handle as NodeJS.Timeout);
      else clear(handle);
    };
    Object.assign(globalThis, {
      setTimeout: set,
      clearTimeout: clearReal,
      setInterval: every,
      clearInterval: clearReal,
    });
    Object.assign(timersPromises, { setTimeout: sleep });
    Object.assign(AbortSignal, {
      timeout: (ms: number) => {
        const actor = actors.getStore();
        if (!actor) return real.abortAfter(ms);
        const end = new AbortController();
        this.#add(actor.process, ms, () => end.abort(new DOMException('The time is up', 'TimeoutError')));
        return end.signal;
      },
    });
    performance.now = () => (actors.getStore() ? this.nowMs : real.now());
    Date.now = () => beginningMs;
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, made) => Reflect.construct(target, args.length ? args : [beginningMs], made),
    });
  }

  #installRandomness(): void {
    const fill = <T extends Uint8Array>(bytes: T): T => {
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(this.#random.next() * 256);
      return bytes;
    };
    const uuid = () => {
      const hex = fill(Buffer.alloc(16)).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    };
    const { randomBytes } = crypto;
    Object.assign(crypto, {
      randomBytes: (size: number, done?: never) =>
        done ? randomBytes(size, done) : fill(Buffer.alloc(size)),
      randomFillSync: fill,
      randomUUID: uuid,
    });
    Math.random = () => this.#random.next();
    Object.assign(sodium, {
      crypto_sign_keypair: (publicKey: Buffer, secretKey: Buffer) =>
        sodium.crypto_sign_seed_keypair(publicKey, secretKey, fill(Buffer.alloc(32))),
      randombytes_buf: fill,
    });
  }

  /** The thread pool takes real time: the scheduler waits for it. */
  #countCrypto(): void {
    const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Record<string, unknown>;
    for (const name of Object.getOwnPropertyNames(subtle)) {
      const method = subtle[name];
      if (name === 'constructor' || typeof method !== 'function') continue;
      const count = () => {
        this.busy -= 1;
      };
      subtle[name] = (...args: unknown[]) => {
        // Most of them are hashes, which are quicker done than handed to another thread.
        if (name === 'digest') return digestOf(...(args as Parameters<typeof digestOf>));
        this.busy += 1;
        const result = Reflect.apply(method, crypto.webcrypto.subtle, args) as Promise<unknown>;
        result.then(count, count);
        return result;
      };
    }
  }
}

async function digestOf(algorithm: string | { name: string }, data: Uint8Array): Promise<ArrayBuffer> {
  const { name } = typeof algorithm === 'string' ? { name: algorithm } : algorithm;
  const hash = crypto.createHash(name.replace('-', '')).update(data).digest();
  return Uint8Array.from(hash).buffer;
}

/** Lets everything run that needs no timer. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for real time, which only the simulation itself does. */
export const realPause = (ms: number): Promise<void> => real.sleep(ms);
export const realNow = real.now;

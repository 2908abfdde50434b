/**
 * Decides the order of everything that the code under test waits for: of each query and each call of a node, one at a time. So a
 * run depends on nothing but its seed, its operations and its faults.
 */
import { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import http from 'node:http';
import { promisify } from 'node:util';
import type pg from 'pg';
import { DriverClient } from '../../../packages/service/src/db/connections.js';
import { Random } from '../random.js';
import { type Receiver, WebhookRequest } from './receiver.js';
import { type Sessions, SharedSocket } from './sessions.js';
import { type Actor, actors, type Process, realPause, turn, type VirtualTime } from './virtual-time.js';

/** What goes wrong at one step of an operation. */
export type StepFault =
  /** The process ends before the step: its transactions are rolled back, and what it had in memory is gone. */
  | 'crash'
  /** What was requested is not done. */
  | 'refused'
  /** It is done, and its response is lost: also that of a commit. */
  | 'lost'
  /** A node does not respond at all. */
  | 'hang';

type Done = (error: Error | null, result?: unknown) => void;

/** Something that an actor waits for. */
interface Step {
  actor: Actor;
  /** Which of its actor's. */
  number: number;
  on: 'database' | 'node' | 'receiver';
  label: string;
  /** Begins it, and calls back with its response. */
  begin(done: Done): void;
  /** Gives the response to the actor. */
  respond: Done;
  /** Of a query. */
  client: DriverClient | undefined;
  /** The response, until it is given to the actor. */
  response: Parameters<Done> | undefined;
  fault: StepFault | undefined;
}

export interface SchedulerInput {
  time: VirtualTime;
  /** Looks at locks, and ends sessions. */
  monitor: pg.Client;
  sessions: Sessions;
  /** The address of the node, and how it responds. */
  node: { url: string; respond(text: string): Promise<string | undefined> };
  receiver: Receiver;
  /** Moves the chain's clock. */
  pass(ms: number): void;
}

/** A connection that is being made. */
interface Connecting {
  /** Gives it to the pool, once it is there. */
  give: (() => void) | undefined;
}

/** Longest time that a run may take for one group of operations, in timers. */
const maxTimers = 2_000;

export class Scheduler {
  readonly #input: SchedulerInput;
  #pending: Step[] = [];
  #begun: Step[] = [];
  #activity = 0;
  #connecting: Connecting[] = [];
  #straight = 0;
  #wake = () => {};
  #isGating = false;
  #seed = 0;
  #burst = 1;
  #faultOf: (step: { actor: Actor; number: number }) => StepFault | undefined = () => undefined;
  #crash: (process: Process) => Promise<void> = async () => {};
  readonly #sessions = new Map<Process, Set<DriverClient>>();
  /** A line for each step. */
  readonly history: string[] = [];

  constructor(input: SchedulerInput) {
    this.#input = input;
    this.#gateDatabase();
    this.#gateNode();
    this.#gateReceiver();
  }

  /** Begins a run. `crash` starts what takes the place of a process that crashed. */
  reset(input: {
    seed: number;
    faultOf(step: { actor: Actor; number: number }): StepFault | undefined;
    crash(process: Process): Promise<void>;
  }): void {
    this.#pending = [];
    this.#begun = [];
    this.#connecting = [];
    this.#seed = input.seed;
    this.#burst = new Random(input.seed, 'burst').pick([1, 1, 2, 4, 12]);
    this.#faultOf = input.faultOf;
    this.#crash = input.crash;
    this.history.length = 0;
  }

  /** Runs until all of `work` has ended, and decides the order. Returns what has not ended. */
  async run(work: readonly { name: string; ended: boolean }[]): Promise<string[]> {
    this.#isGating = true;
    let timers = 0;
    for (;;) {
      await this.quiet();
      const connected = this.#connecting.shift();
      if (connected) {
        connected.give?.();
        continue;
      }
      if (await this.#deliver()) continue;
      const step = this.#choose();
      if (step) {
        await this.#take(step);
        continue;
      }
      const open = work.filter(({ ended }) => !ended).map(({ name }) => name);
      if (open.length === 0 && this.#begun.length === 0) break;
      // Without a step to take, what is begun waits for a lock that a timer or the database itself has to end.
      if (this.#input.time.untilNextMs === undefined || timers++ > maxTimers) {
        if (this.#begun.length === 0) return open;
        await realPause(20);
        continue;
      }
      this.#input.pass(this.#input.time.untilNextMs);
      this.#input.time.fireNext();
    }
    this.#isGating = false;
    return [];
  }

  /** Ends the sessions of a process as its crash does, and waits until the database has rolled back. */
  async end(process: Process): Promise<void> {
    process.isDead = true;
    this.#pending = this.#pending.filter(({ actor }) => actor.process !== process);
    this.#begun = this.#begun.filter(({ actor }) => actor.process !== process);
    const sessions = this.#sessions.get(process) ?? [];
    this.#sessions.delete(process);
    await this.#terminate([...sessions]);
  }

  async #terminate(clients: readonly DriverClient[]): Promise<void> {
    // One in which nothing runs is rolled back and kept, which is the same for all others.
    const pids = clients.filter((client) => !client.isCut && !isIdle(client)).map((client) => pidOf(client));
    if (pids.length > 0)
      await this.#input.monitor.query(`select pg_terminate_backend(pid) ${ofSessions}`, [pids]);
    while (pids.length > 0) {
      const { rowCount } = await this.#input.monitor.query(`select ${ofSessions}`, [pids]);
      if (rowCount === 0) break;
      await realPause(1);
    }
    for (const client of clients) client.cut();
    await this.#input.sessions.settled();
  }

  /** Waits until nothing runs but what waits for a step or a timer. */
  async quiet(): Promise<void> {
    let before = -1;
    for (let quiet = 0; quiet < 2; ) {
      await turn();
      const isBusy =
        this.#input.time.busy > 0 ||
        this.#straight > 0 ||
        this.#input.sessions.isBusy ||
        this.#connecting.some(({ give }) => give === undefined);
      quiet = isBusy || this.#activity !== before ? 0 : quiet + 1;
      before = this.#activity;
    }
  }

  /** Gives the responses that have come to their actors, in the order of their steps; false if there was none. */
  async #deliver(): Promise<boolean> {
    await this.#untilBlocked();
    const step = this.#begun.find(({ response }) => response !== undefined);
    if (!step?.response) return false;
    this.#begun = this.#begun.filter((other) => other !== step);
    if (step.fault === 'lost') {
      if (step.client) await this.#terminate([step.client]);
      step.respond(connectionLost());
    } else step.respond(...step.response);
    return true;
  }

  /** Waits until every query that was sent has its response or waits for a lock of another one. */
  async #untilBlocked(): Promise<void> {
    for (;;) {
      const waiting = this.#begun.filter(({ response }) => response === undefined);
      if (waiting.length === 0) return;
      const answered = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      // One alone has nothing to wait for but the database.
      await Promise.race([answered, realPause(waiting.length === 1 ? 10 : 2)]);
      const still = this.#begun.filter(({ response }) => response === undefined);
      if (still.length === 0) return;
      const { rows } = await this.#input.monitor.query<{ n: number }>(
        'select count(distinct pid)::int as n from pg_locks where not granted and pid = any($1)',
        [still.map(({ client }) => (client ? pidOf(client) : 0))],
      );
      const left = this.#begun.filter(({ response }) => response === undefined);
      if (rows[0]?.n === left.length && left.length === still.length) return;
    }
  }

  /** Chooses by numbers that depend on the step alone: what is left out of a plan changes no order of the rest. */
  #choose(): Step | undefined {
    let best: Step | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const step of this.#pending) {
      const group = Math.floor(step.number / this.#burst);
      const rank = new Random(this.#seed ^ Math.imul(step.actor.number + 1, 0x9e3779b1), `${group}`).next();
      if (rank >= least) continue;
      least = rank;
      best = step;
    }
    return best;
  }

  async #take(step: Step): Promise<void> {
    this.#pending = this.#pending.filter((other) => other !== step);
    step.fault = this.#faultOf(step);
    this.history.push(`${step.actor.name} ${step.number} ${step.label}${step.fault ? ` ${step.fault}` : ''}`);
    const { fault, client } = step;
    if (fault === 'crash') {
      await this.end(step.actor.process);
      this.#isGating = false;
      await this.#crash(step.actor.process);
      this.#isGating = true;
      return;
    }
    if (fault === 'hang' && !client) return;
    if (fault === 'refused' || fault === 'hang') {
      if (client) await this.#terminate([client]);
      step.respond(connectionLost());
      return;
    }
    this.#begun.push(step);
    step.begin((...response) => {
      step.response = response;
      this.#wake();
    });
  }

  /** Counts what is begun without a turn, while processes start; the function it returns ends that. */
  #goStraight(): () => void {
    this.#straight += 1;
    return () => {
      this.#straight -= 1;
      this.#activity += 1;
    };
  }

  #submit(step: Omit<Step, 'number' | 'response' | 'fault'>): void {
    this.#activity += 1;
    const { actor } = step;
    const respond: Done = (...response) => {
      this.#activity += 1;
      if (!actor.process.isDead) step.respond(...response);
    };
    this.#pending.push({
      ...step,
      respond,
      number: actor.steps.next++,
      response: undefined,
      fault: undefined,
    });
  }

  #gateDatabase(): void {
    const scheduler = this;
    const prototype = DriverClient.prototype as unknown as Record<'query' | 'connect', AnyMethod>;
    const { query, connect } = prototype;
    prototype.query = function (this: DriverClient, ...args: unknown[]) {
      const actor = actors.getStore();
      if (!actor) return query.apply(this, args);
      const done = args.at(-1);
      if (typeof done !== 'function') {
        return new Promise((resolve, reject) => {
          const settle: Done = (error, result) => (error ? reject(error) : resolve(result));
          (this as unknown as { query: AnyMethod }).query(...args, settle);
        });
      }
      if (actor.process.isDead) return undefined;
      const [config] = args;
      const text = typeof config === 'string' ? config : (config as pg.QueryConfig).text;
      const label = text.replace(/\s+/g, ' ').trim().slice(0, 90);
      const begin = (respond: Done) =>
        actors.exit(() => query.apply(this, [...args.slice(0, -1), respond])) as undefined;
      const respond = done as Done;
      if (!scheduler.#isGating) {
        const over = scheduler.#goStraight();
        return begin((...response) => {
          over();
          if (!actor.process.isDead) respond(...response);
        });
      }
      scheduler.#submit({ actor, on: 'database', label, begin, respond, client: this });
      return undefined;
    };
    prototype.connect = function (this: DriverClient, ...args: unknown[]) {
      const actor = actors.getStore();
      if (!actor) return connect.apply(this, args);
      const sessions = scheduler.#sessions.get(actor.process) ?? new Set();
      scheduler.#sessions.set(actor.process, sessions.add(this));
      const [done] = args;
      if (typeof done !== 'function') {
        const connected = promisify((settle: Done) => (this as unknown as typeof prototype).connect(settle));
        return connected();
      }
      // Connections take real time, and count in the order in which they were begun.
      const connection: Connecting = { give: undefined };
      if (scheduler.#isGating) scheduler.#connecting.push(connection);
      const isGated = scheduler.#isGating;
      const over = isGated ? () => {} : scheduler.#goStraight();
      const give = (response: unknown[]) => {
        if (!actor.process.isDead) (done as AnyMethod)(...response);
      };
      const bound = AsyncResource.bind(give);
      return connect.apply(this, [
        (...response: unknown[]) => {
          scheduler.#activity += 1;
          over();
          if (isGated) connection.give = () => bound(response);
          else give(response);
        },
      ]);
    };
  }

  #gateNode(): void {
    const { fetch } = globalThis;
    const { url, respond } = this.#input.node;
    globalThis.fetch = (async (to: string | URL | Request, init: RequestInit = {}) => {
      const actor = actors.getStore();
      if (String(to) !== url) return fetch(to, init);
      const body = String(init.body);
      const text = () => actors.exit(() => respond(body));
      if (!actor) return responseOf(await text());
      if (actor.process.isDead) return new Promise(() => {});
      if (!this.#isGating) return responseOf(await text().finally(this.#goStraight()));
      return new Promise((resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
        this.#submit({
          actor,
          on: 'node',
          label: /"method":"(\w+)"/.exec(body)?.[1] ?? 'batch',
          client: undefined,
          begin: (done) => void text().then((found) => done(null, responseOf(found)), done),
          respond: (error, response) =>
            error ? reject(new TypeError('fetch failed', { cause: error })) : resolve(response as Response),
        });
      });
    }) as typeof globalThis.fetch;
  }

  /** Webhooks reach a receiver within this process. */
  #gateReceiver(): void {
    const { request } = http;
    http.request = ((...args: unknown[]) => {
      const actor = actors.getStore();
      if (!actor) return Reflect.apply(request, http, args);
      const [, { signal }, give] = args as [URL, http.RequestOptions, (response: EventEmitter) => void];
      const sent: WebhookRequest = new WebhookRequest((body) => {
        this.#submit({
          ...{ actor, on: 'receiver', label: 'webhook', client: undefined },
          begin: (done) => done(null, this.#input.receiver.take(body)),
          respond: (error, status) => {
            if (error) sent.emit('error', error);
            else sent.respond(give, status as number);
          },
        });
      }, signal);
      return sent;
    }) as typeof http.request;
  }
}

const ofSessions = 'from pg_stat_activity where pid = any($1)';

type AnyMethod = (...args: unknown[]) => unknown;

const pidOf = (client: DriverClient): number => (client as unknown as { processID: number }).processID;

function isIdle(client: DriverClient): boolean {
  const { stream } = (client as unknown as { connection: { stream: unknown } }).connection;
  return stream instanceof SharedSocket && stream.isIdle;
}

const connectionLost = (): Error => new Error('Connection terminated unexpectedly');

/** A response with what clients read of one. */
const responseOf = (text = '') =>
  ({
    ok: true,
    status: 200,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: async () => text,
    json: async () => JSON.parse(text),
  }) as unknown as Response;

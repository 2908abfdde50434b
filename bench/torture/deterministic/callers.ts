/** Those who use a deployment: a partner's server, clerks, and the processes that index. */
import { cosign } from '../../../packages/service/test/chain/signed-trade.js';
import { tola } from '../../../packages/service/test/redeeming.js';
import type { Cancel, ClerkMove, Decision, Operation, Redeem, Trade } from './plan.js';
import { type Actor, actors } from './virtual-time.js';
import {
  type Indexer,
  indexing,
  lead,
  type ProcessName,
  type Serving,
  serving,
  type World,
} from './world.js';

/** What came back, of a request or of a round. */
export interface Response {
  status: number;
  body: string;
}

/** The processes of a run, which crash and are started again. */
export interface Processes {
  get(name: ProcessName): Serving | Indexer;
  /** Resolves when it crashes. */
  crashed(name: ProcessName): Promise<void>;
}

/** What callers share in a run. */
export interface Run {
  world: World;
  processes: Processes;
  redemptions: readonly string[];
  /** The latest lead; 0 before the first. */
  epoch: number;
  /** What contradicts a promise while it happens. */
  broken: string[];
  /** The trades and redemptions that were acknowledged. */
  acknowledged: Set<string>;
  /** The operations that were refused when they were tried again with their key. */
  refused: number[];
  note(line: string): void;
}

/** Returns whether what was wanted cannot be done any more. */
const isTooLate = ({ body }: Response): boolean => /_not_allowed"/.test(body);

const lost: Response = { status: 0, body: 'connection lost' };
/** A caller tries again where it does not know what became of a request. */
const tries = 3;

type Request = { method: 'GET' | 'POST'; url: string; body?: object; key?: string };

/** Carries out an operation, through to what its caller makes of it. */
export async function carryOut(run: Run, operation: Operation): Promise<void> {
  const steps = { next: 0 };
  const first = new Caller(run, operation.id, { twin: 0, steps });
  switch (operation.kind) {
    case 'wait':
      return;
    case 'index':
      return first.index(indexing[operation.process] ?? 'index-1', operation.takes);
    case 'buy':
    case 'sell':
      return first.trade(operation);
    case 'redeem':
      return first.redeem(operation);
    default:
      await Promise.all([
        first.move(operation, operation.process),
        operation.twice && first.twin().move(operation, operation.process + 1),
      ]);
  }
}

class Caller {
  readonly #run: Run;
  readonly #id: number;
  readonly #twin: number;
  readonly #steps: Actor['steps'];

  constructor(run: Run, id: number, { twin, steps }: { twin: number; steps: Actor['steps'] }) {
    this.#run = run;
    this.#id = id;
    this.#twin = twin;
    this.#steps = steps;
  }

  /** One who does the same at the same time. */
  twin(): Caller {
    return new Caller(this.#run, this.#id, { twin: 1, steps: { next: 0 } });
  }

  get #name(): string {
    return `#${this.#id}${this.#twin ? "'" : ''}`;
  }

  #within<T>(name: ProcessName, work: (process: Serving | Indexer) => Promise<T>): Promise<T | undefined> {
    const process = this.#run.processes.get(name);
    const number = 2 * this.#id + this.#twin;
    const actor: Actor = { name: `${this.#name} ${name}`, process, number, steps: this.#steps };
    const crashed = this.#run.processes.crashed(name).then(() => undefined);
    return Promise.race([actors.run(actor, () => work(process)), crashed]);
  }

  /** Sends a request to a process, and again where it came to nothing. */
  async #send(
    to: number,
    { method, url, body, key }: Request,
    credentials: Record<string, string>,
  ): Promise<Response> {
    const name = serving[to % 2] ?? 'serve-1';
    const headers = {
      ...credentials,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const payload = body && JSON.stringify(body);
    let response = lost;
    for (let n = 0; n < tries; n += 1) {
      const sent = await this.#within(name, async (process) => {
        const { app, operatorApp } = process as Serving;
        const at = url.startsWith('/operator') ? operatorApp : app;
        return await at.inject({ method, url, headers, ...(payload && { payload }) });
      });
      response = sent ? { status: sent.statusCode, body: sent.body } : lost;
      this.#run.note(`${this.#name} ${method} ${url} ${response.status} ${response.body}`);
      if (response.body.startsWith('{"error":"internal_error"'))
        this.#run.broken.push(`internal_error: #${this.#id} ${method} ${url}`);
      if (response.status !== 0 && response.status < 500) {
        if (n > 0 && key !== undefined && isTooLate(response)) this.#run.refused.push(this.#id);
        break;
      }
    }
    return response;
  }

  #ask(to: number, request: Request): Promise<Response> {
    return this.#send(to, request, { 'x-api-key': this.#run.world.partner.apiKeys[0] ?? '' });
  }

  async trade({ kind, user, amount, process, twice }: Trade): Promise<void> {
    const { partner } = this.#run.world;
    const { id, wallet } = partner.users[user] ?? {};
    const money =
      kind === 'buy'
        ? { usdc_amount: (1_000 + amount) / 100 }
        : { gold_amount: (10_000 + amount) / 1_000_000 };
    const quoted = await this.#ask(process, {
      method: 'POST',
      url: `/v1/${kind}`,
      body: { service_user_id: id, ...money },
    });
    if (quoted.status !== 200 || !wallet) return;
    const quote = JSON.parse(quoted.body);
    const wire = Buffer.from(quote.partially_signed_transaction, 'base64');
    const signed = Buffer.from(cosign(wire, [partner.wallet, wallet])).toString('base64');
    await this.#submit(`/v1/${kind}/${quote.trade_id}/submit`, quote.trade_id, signed, { process, twice });
  }

  async redeem({ user, process, twice }: Redeem): Promise<void> {
    const { partner } = this.#run.world;
    const { id, wallet } = partner.users[user] ?? {};
    const quoted = await this.#ask(process, {
      method: 'POST',
      url: '/v1/redemptions',
      body: { service_user_id: id, denomination_id: tola.id, city: tola.city },
      key: `redeem ${this.#id}`,
    });
    if (quoted.status !== 201 || !wallet) return;
    const quote = JSON.parse(quoted.body);
    const wire = Buffer.from(quote.partially_signed_transaction, 'base64');
    const signed = Buffer.from(cosign(wire, [wallet])).toString('base64');
    const url = `/v1/redemptions/${quote.redemption_id}/submit`;
    await this.#submit(url, quote.redemption_id, signed, { process, twice });
  }

  async #submit(
    url: string,
    id: string,
    signed: string,
    { process, twice }: { process: number; twice: boolean },
  ): Promise<void> {
    const request: Request = { method: 'POST', url, body: { signed_tx: signed } };
    const responses = await Promise.all([
      this.#ask(process, request),
      ...(twice ? [this.twin().#ask(process + 1, request)] : []),
    ]);
    if (responses.some(({ status }) => status === 200)) this.#run.acknowledged.add(id);
  }

  /** Moves a redemption, or decides about what waits for a second person. */
  async move(operation: Cancel | ClerkMove | Decision, process: number): Promise<void> {
    const { redemptions } = this.#run;
    const key = `${operation.kind} ${this.#id}`;
    if (operation.kind === 'cancel') {
      const url = `/v1/redemptions/${redemptions[operation.redemption]}/cancel`;
      await this.#ask(process, { method: 'POST', url, body: { reason: 'changed my mind' }, key });
      return;
    }
    if (!('bar' in operation)) return this.#decide(operation, process, key);
    // Twins are two clerks who do the same, each with a key of their own.
    const clerk = operation.clerk + this.#twin;
    const at = `/operator/v1/redemptions/${redemptions[operation.redemption]}`;
    const url = `${at}/${operation.kind === 'agree' ? 'cancel' : operation.kind === 'reissue' ? 'reissue-code' : operation.kind}`;
    await this.#press(clerk, process, {
      method: 'POST',
      url,
      body: await this.#bodyOf(operation, process),
      key,
    });
  }

  async #bodyOf(operation: ClerkMove, process: number): Promise<object> {
    const { kind, bar, redemption } = operation;
    const named = bar === undefined ? {} : { bar_serial: `T${bar}` };
    if (kind === 'prepare' || kind === 'ready') return named;
    if (kind === 'agree') return { physical_gold_committed: false };
    if (kind !== 'collect') return {};
    const url = `/v1/redemptions/${this.#run.redemptions[redemption]}`;
    const { body } = await this.#ask(process, { method: 'GET', url });
    const code = JSON.parse(body || '{}').pickup_code;
    // Some come with a wrong one.
    return { ...named, pickup_code: bar === 2 || !code ? '000000' : code };
  }

  async #decide({ kind, clerk }: Decision, process: number, key: string): Promise<void> {
    const by = clerk + this.#twin;
    const list = await this.#press(by, process, {
      method: 'GET',
      url: '/operator/v1/approvals?status=pending',
    });
    const id = list.status === 200 ? JSON.parse(list.body).approvals[0]?.approval_id : undefined;
    if (id === undefined) return;
    const body = kind === 'reject' ? { reason: 'not now' } : {};
    await this.#press(by, process, {
      method: 'POST',
      url: `/operator/v1/approvals/${id}/${kind}`,
      body,
      key,
    });
  }

  #press(clerk: number, to: number, request: Request): Promise<Response> {
    const { operators } = this.#run.world;
    return this.#send(to, request, { authorization: `Bearer ${operators[clerk % operators.length]}` });
  }

  /** A round of a process that indexes: as the leader that it is, was, or becomes. */
  async index(name: ProcessName, takes: boolean): Promise<void> {
    const run = this.#run;
    const done = await this.#within(name, async (process) => {
      const indexer = process as Indexer;
      try {
        if (takes || run.epoch === 0) {
          indexer.led = await lead(indexer.ctx, run.world.databaseUrl);
          run.epoch = Math.max(run.epoch, indexer.led.epoch);
        }
        if (!indexer.led) return 'stands by';
        const { indexing: led, epoch } = indexer.led;
        const wasStale = epoch < run.epoch;
        const found = await led.round();
        await led.complete();
        await led.settle();
        // Its progress is noted in each round.
        if (wasStale) run.broken.push(`lead: ${name} wrote as the leader that it no longer was`);
        return `found ${found}`;
      } catch (error) {
        return `failed: ${error instanceof Error ? error.message : error}`;
      }
    });
    run.note(`${this.#name} ${name} ${done ?? 'crashed'}`);
  }
}

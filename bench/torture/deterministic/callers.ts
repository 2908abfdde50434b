/** Those who use a deployment: a partner's server, its treasurer, clerks, and the processes that index, deliver and keep. */
import { startDeliverer } from '../../../packages/service/src/events/delivery/deliverer.js';
import { keepBurns } from '../../../packages/service/src/keeper/burns.js';
import { pause } from '../../../packages/service/src/runtime/time.js';
import { cosign } from '../../../packages/service/test/chain/signed-trade.js';
import { never } from '../../../packages/service/test/indexer/indexing.js';
import { signedBy } from '../../../packages/service/test/ordering.js';
import { tola } from '../../../packages/service/test/redeeming.js';
import type { Cancel, ClerkMove, Decision, Keep, Operation, Order, Redeem, Trade } from './plan.js';
import { type Actor, actors } from './virtual-time.js';
import {
  type Delivering,
  delivering,
  type Indexer,
  indexing,
  type Keeping,
  keeping,
  lead,
  leadIndexing,
  type ProcessName,
  type Running,
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
  get(name: ProcessName): Running;
  /** Resolves when it crashes. */
  crashed(name: ProcessName): Promise<void>;
}

/** What callers share in a run. */
export interface Run {
  world: World;
  processes: Processes;
  redemptions: readonly string[];
  /** The latest lead of each kind; 0 before the first. */
  epochs: { indexer: number; keeper: number };
  /** What contradicts a promise while it happens. */
  broken: string[];
  /** The trades, redemptions and orders that were acknowledged. */
  acknowledged: Set<string>;
  /** The first response to each Idempotency-Key that was a success. */
  responses: Map<string, string>;
  /** Whether the partner knows that its second key is revoked. */
  isRevoked: boolean;
  /** Puts the backup back. */
  restore(): Promise<void>;
  /** The operations that were refused when they were tried again with their key. */
  refused: number[];
  note(line: string): void;
}

/** Returns whether what was wanted cannot be done any more. */
const isTooLate = ({ body }: Response): boolean => /_not_allowed"/.test(body);

const wrongCode = '00000000';
/** Some come with a wrong code. */
const isGuess = ({ kind, clerk }: ClerkMove): boolean => kind === 'collect' && clerk === 2;

/** Where a clerk's move is not the last part of its path. */
const pathOf: { readonly [Kind in ClerkMove['kind']]?: string } = {
  agree: 'cancel',
  reissue: 'reissue-code',
  'cancel-burn': 'burn/cancel',
};

const lost: Response = { status: 0, body: 'connection lost' };
/** Two rounds of a process that delivers. */
const deliversMs = 300;
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
    case 'deliver':
      return first.deliver(delivering[operation.process] ?? 'deliver-1');
    case 'keep':
      return first.keep(keeping[operation.process] ?? 'keep-1', operation);
    case 'restore':
      return run.restore();
    case 'order':
      return first.order(operation);
    case 'revoke':
      await Promise.all([
        first.revoke(operation.process),
        operation.twice && first.twin().revoke(operation.process + 1),
      ]);
      return;
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

  #within<T>(name: ProcessName, work: (process: Running) => Promise<T>): Promise<T | undefined> {
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
      if (response.body.includes('"internal_error"'))
        this.#run.broken.push(`internal_error: #${this.#id} ${method} ${url}`);
      if (response.status !== 0 && response.status < 500) {
        if (n > 0 && key !== undefined && isTooLate(response)) this.#run.refused.push(this.#id);
        if (key !== undefined && response.status < 300)
          this.#compare(`${Object.values(credentials)} ${key}`, response);
        break;
      }
    }
    return response;
  }

  /** What is repeated with its key gets what it got the first time. */
  #compare(key: string, { body }: Response): void {
    const before = this.#run.responses.get(key);
    if (before === undefined) this.#run.responses.set(key, body);
    else if (before !== body) this.#run.broken.push(`idempotency: #${this.#id} was done twice with one key`);
  }

  async #ask(to: number, request: Request, key = 0): Promise<Response> {
    const wasRevoked = key === 1 && this.#run.isRevoked;
    const response = await this.#send(to, request, {
      'x-api-key': this.#run.world.partner.apiKeys[key] ?? '',
    });
    if (wasRevoked && response.status > 0 && response.status < 300)
      this.#run.broken.push(`revoked: #${this.#id} ${request.url} took a key that was revoked before`);
    return response;
  }

  async revoke(process: number): Promise<void> {
    const url = `/v1/partner/api-keys/${this.#run.world.secondKeyId}/revoke`;
    const { status } = await this.#ask(process, { method: 'POST', url, key: `revoke ${this.#id}` });
    if (status === 200) this.#run.isRevoked = true;
  }

  /** Places an order, signs it, and has it sent. */
  async order({ side, amount, process, twice }: Order): Promise<void> {
    const { partner, vaultKey } = this.#run.world;
    const limit = side === 'purchases' ? { maxUsdcAmount: 500 } : { minimumUsdcAmount: 0.01 };
    const place = (to: number, caller: Caller) =>
      caller.#send(
        to,
        {
          ...{ method: 'POST', url: `/api/trading/${side}/partner`, key: `order ${this.#id}` },
          body: { goldAmount: (1_000 + amount) / 1_000_000, ...limit },
        },
        { 'x-api-key': vaultKey },
      );
    const placed = await Promise.all([
      place(process, this),
      ...(twice ? [place(process + 1, this.twin())] : []),
    ]);
    const first = placed.find(({ status }) => status === 201);
    if (!first) return;
    const { data } = JSON.parse(first.body);
    const id = data.purchaseId ?? data.sellId;
    const signed = signedBy(Buffer.from(data.transaction.serializedTx, 'base64'), partner.wallet);
    const body = { signedTransaction: Buffer.from(signed).toString('base64') };
    const submit = (to: number, caller: Caller) =>
      caller.#send(to, { method: 'POST', url: '/api/transactions/submit', body }, {});
    const responses = await Promise.all([
      submit(process, this),
      ...(twice ? [submit(process + 1, this.twin())] : []),
    ]);
    if (responses.some(({ status, body: text }) => status === 200 && text.includes('"confirmed"')))
      this.#run.acknowledged.add(`order_${id}`);
  }

  async trade({ kind, user, amount, process, twice, key }: Trade): Promise<void> {
    const { partner } = this.#run.world;
    const { id, wallet } = partner.users[user] ?? {};
    const money =
      kind === 'buy'
        ? { usdc_amount: (1_000 + amount) / 100 }
        : { gold_amount: (10_000 + amount) / 1_000_000 };
    const body = { service_user_id: id, ...money };
    const quoted = await this.#ask(process, { method: 'POST', url: `/v1/${kind}`, body }, key);
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
    const url = `${at}/${pathOf[operation.kind] ?? operation.kind}`;
    const body = await this.#bodyOf(operation, process);
    const { status } = await this.#press(clerk, process, { method: 'POST', url, body, key });
    if (isGuess(operation) && status === 200)
      this.#run.broken.push(`pickup_code: #${this.#id} got the bar with a wrong code`);
  }

  async #bodyOf(operation: ClerkMove, process: number): Promise<object> {
    const { kind, bar, redemption } = operation;
    const named = bar === undefined ? {} : { bar_serial: `T${bar}` };
    if (kind === 'prepare' || kind === 'ready') return named;
    if (kind === 'agree') return { physical_gold_committed: false };
    if (kind === 'cancel-burn') return { reason: 'the bar came back' };
    if (kind !== 'collect') return {};
    const url = `/v1/redemptions/${this.#run.redemptions[redemption]}`;
    const { status, body } = await this.#ask(process, { method: 'GET', url });
    const code = status === 200 ? JSON.parse(body).pickup_code : undefined;
    return { ...named, pickup_code: isGuess(operation) || !code ? wrongCode : code };
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
  index(name: ProcessName, takes: boolean): Promise<void> {
    return this.#work(name, 'indexer', async (process) => {
      const { epochs, world } = this.#run;
      const indexer = process as Indexer;
      if (takes || epochs.indexer === 0) {
        indexer.led = await leadIndexing(indexer.ctx, world.databaseUrl);
        epochs.indexer = Math.max(epochs.indexer, indexer.led.epoch);
      }
      if (!indexer.led) return undefined;
      const { indexing: led, epoch } = indexer.led;
      const work = async () => {
        await led.round();
        await led.complete();
        await led.settle();
      };
      return { epoch, work };
    });
  }

  /** The same of a process that keeps: it burns what is due. */
  keep(name: ProcessName, { takes }: Keep): Promise<void> {
    return this.#work(name, 'keeper', async (process) => {
      const { epochs, world } = this.#run;
      const keeper = process as Keeping;
      if (takes || epochs.keeper === 0) {
        keeper.kept = await lead(keeper.ctx, 'keeper', world.databaseUrl);
        epochs.keeper = Math.max(epochs.keeper, keeper.kept.epoch);
      }
      if (!keeper.kept) return undefined;
      const { ctx, epoch } = keeper.kept;
      return { epoch, work: () => keepBurns(ctx, never) };
    });
  }

  /** Each round of a leader writes; it fails where another one leads by then. */
  async #work(
    name: ProcessName,
    role: 'indexer' | 'keeper',
    leadOf: (process: Running) => Promise<{ epoch: number; work(): Promise<void> } | undefined>,
  ): Promise<void> {
    const run = this.#run;
    const done = await this.#within(name, async (process) => {
      try {
        const led = await leadOf(process);
        if (!led) return 'stands by';
        const wasStale = led.epoch < run.epochs[role];
        await led.work();
        if (wasStale) run.broken.push(`lead: ${name} wrote as the leader that it no longer was`);
        return 'worked';
      } catch (error) {
        return `failed: ${error instanceof Error ? error.message : error}`;
      }
    });
    run.note(`${this.#name} ${name} ${done ?? 'crashed'}`);
  }

  /** A process delivers for a moment: long enough for what is due, and for what comes meanwhile. */
  async deliver(name: ProcessName): Promise<void> {
    const done = await this.#within(name, async (process) => {
      const deliverer = startDeliverer((process as Delivering).ctx);
      await pause(deliversMs, never);
      await deliverer.stop();
      return true;
    });
    this.#run.note(`${this.#name} ${name} ${done ? 'delivered' : 'crashed'}`);
  }
}

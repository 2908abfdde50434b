/** Partners' servers with the SDK, their customers, and a clerk, through both processes that serve. */
import { Karat, KaratError } from '../../packages/sdk/src/index.js';
import { kitSigner } from '../../packages/service/test/harness.js';
import type { Partner } from '../world.js';
import type { History } from './history.js';
import type { Random } from './random.js';
import type { Operation } from './schedule.js';
import type { World } from './world.js';

/** What the service has acknowledged: it must never be lost. */
export interface Acknowledged {
  kind: 'trade' | 'redemption';
  id: string;
  partnerId: string;
  apiKey: string;
}

type Caller = { partner: Partner; user: Partner['users'][number] };
const servers = ['serve-1', 'serve-2'] as const;

export class Workload {
  readonly acknowledged: Acknowledged[] = [];
  operations = 0;
  failed = 0;
  readonly #world: World;
  readonly #history: History;
  readonly #callers: Caller[];
  readonly #redemptions: (Acknowledged & { turn: number })[] = [];
  readonly #under = new Set<Promise<void>>();

  constructor(world: World, history: History, random: Random) {
    this.#world = world;
    this.#history = history;
    slowDown(world, random);
    this.#callers = world.partners.flatMap((partner) => partner.users.map((user) => ({ partner, user })));
  }

  /** Begins an operation; whatever becomes of it is in the history. */
  begin(operation: Operation, number: number): void {
    const running = this.#carryOut(operation, number).then(
      (result) => this.#history.write({ operation: number, ...operation, result }),
      (error: unknown) => {
        this.failed += 1;
        this.#history.write({ operation: number, ...operation, error: describe(error) });
      },
    );
    this.operations += 1;
    const done = running.finally(() => this.#under.delete(done));
    this.#under.add(done);
  }

  /** Resolves once everything that was begun has come to an end. */
  async ended(): Promise<void> {
    await Promise.all(this.#under);
  }

  async #carryOut(operation: Operation, number: number): Promise<unknown> {
    const caller = this.#callers[operation.user % this.#callers.length];
    if (!caller) return 'nobody';
    if (operation.kind === 'cancel' || operation.kind === 'clerk')
      return this.#moveRedemption(operation, number);
    return operation.kind === 'redeem'
      ? this.#redeem(caller, operation, number)
      : this.#trade(caller, operation, operation.kind, number);
  }

  /** A client of one of the two processes: a number more is the other one. */
  #client({ apiKeys }: Pick<Partner, 'apiKeys'>, number: number): Karat {
    const url = this.#world.processes.get(servers[number % 2] ?? 'serve-1')?.url ?? '';
    return new Karat({ apiKey: apiKeys[0] ?? '', baseUrl: url, maxRetries: 2, timeoutMs: 8_000 });
  }

  async #trade(
    { partner, user }: Caller,
    { amount, twice }: Operation,
    side: 'buy' | 'sell',
    number: number,
  ) {
    const own = { service_user_id: user.id };
    const signers = [await kitSigner(partner.wallet), await kitSigner(user.wallet)];
    const karat = this.#client(partner, number);
    const [id, signed] =
      side === 'buy'
        ? await quoteOf(karat.buys, { ...own, usdc_amount: (100 + amount) / 100 }, signers)
        : await quoteOf(karat.sells, { ...own, gold_amount: (10_000 + amount) / 1_000_000 }, signers);
    const submit = (to: number) =>
      this.#client(partner, to)[side === 'buy' ? 'buys' : 'sells'].submit(id, signed);
    await firstOf([submit(number), ...(twice ? [submit(number + 1)] : [])]);
    this.acknowledged.push({ kind: 'trade', id, partnerId: partner.id, apiKey: partner.apiKeys[0] ?? '' });
    return id;
  }

  async #redeem({ partner, user }: Caller, { twice }: Operation, number: number) {
    const body = { service_user_id: user.id, denomination_id: 'pk_tola_1', city: 'Karachi' };
    const karat = this.#client(partner, number);
    const quote = await karat.redemptions.quote(body);
    const { redemption_id: id } = quote;
    const signed = await karat.redemptions.sign(quote, { ...body, signers: [await kitSigner(user.wallet)] });
    const submit = (to: number) => this.#client(partner, to).redemptions.submit(id, signed);
    await firstOf([submit(number), ...(twice ? [submit(number + 1)] : [])]);
    const redemption = {
      kind: 'redemption' as const,
      id,
      partnerId: partner.id,
      apiKey: partner.apiKeys[0] ?? '',
    };
    this.acknowledged.push(redemption);
    this.#redemptions.push({ ...redemption, turn: 0 });
    return id;
  }

  /** A partner cancels, or a clerk does the next thing, perhaps one that is not allowed any more: twice at once. */
  async #moveRedemption({ kind, amount, twice }: Operation, number: number): Promise<unknown> {
    const redemption = this.#redemptions[amount % Math.max(1, this.#redemptions.length)];
    if (!redemption) return 'no redemption yet';
    if (kind === 'cancel')
      return firstOf([
        this.#client({ apiKeys: [redemption.apiKey] }, number).redemptions.cancel(redemption.id),
      ]);
    const steps = ['prepare', 'ready', 'cancel', 'refund'] as const;
    const step = steps[(amount + redemption.turn++) % steps.length] ?? 'prepare';
    const body =
      step === 'ready'
        ? { bar_serial: `T${amount % 200}` }
        : step === 'cancel'
          ? { physical_gold_committed: false }
          : {};
    const press = (to: number) => this.#operate(`/redemptions/${redemption.id}/${step}`, body, to);
    return Promise.all([press(number), ...(twice ? [press(number + 1)] : [])]);
  }

  async #operate(path: string, body: object, number: number): Promise<string> {
    const url = this.#world.processes.get(servers[number % 2] ?? 'serve-1')?.operatorUrl ?? '';
    const response = await fetch(`${url}/operator/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#world.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(8_000),
    });
    const text = await response.text();
    return `${path} ${response.status}${response.status === 200 ? '' : ` ${text.slice(0, 150)}`}`;
  }
}

/**
 * Has the receiver of webhooks respond late, and refuse some events once: they are sent again after a while. Only what a sender
 * learnt is taken, not what it sent before it was killed.
 */
function slowDown({ receiver, taken }: World, random: Random): void {
  const refused = new Set<unknown>();
  receiver.how = (response, { body }) => {
    const refuses = !refused.has(body.id) && random.next() < 0.1;
    if (refuses) refused.add(body.id);
    setTimeout(
      () => {
        if (response.destroyed) return;
        response.writeHead(refuses ? 503 : 200).end();
        if (!refuses) taken.add(String(body.id));
      },
      random.between(0, 1_500),
    );
  };
}

/** Quotes and signs. */
async function quoteOf<Body, Quote extends { trade_id: string }, Signer>(
  side: {
    quote(body: Body): Promise<Quote>;
    sign(quote: Quote, input: Body & { signers: Signer[] }): Promise<string>;
  },
  body: Body,
  signers: Signer[],
): Promise<[id: string, signed: string]> {
  const quote = await side.quote(body);
  return [quote.trade_id, await side.sign(quote, { ...body, signers })];
}

/** Resolves when one of them is acknowledged; what the others bring must not contradict it. */
const firstOf = <T>(all: Promise<T>[]): Promise<T> => Promise.any(all);

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  if (error instanceof KaratError) return `${error.status ?? ''} ${error.code}: ${error.message}`.trim();
  return String(error);
}

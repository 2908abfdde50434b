/** What all roles share: how they reach the service, what they were promised, and what they must not have got. */
import { Karat, KaratError } from '../../packages/sdk/src/index.js';
import { kitSigner } from '../../packages/service/test/harness.js';
import type { Partner } from '../world.js';
import type { Operation } from './schedule.js';
import type { World } from './world.js';

/** What the service has acknowledged: it must never be lost. */
export interface Acknowledged {
  kind: 'trade' | 'redemption';
  id: string;
  partnerId: string;
  apiKey: string;
}

export type Caller = { partner: Partner; user: Partner['users'][number] };
/** Acts once. Resolves to what came of it, for the history. */
export type Act = (stage: Stage, operation: Operation, number: number) => Promise<unknown>;

export interface Response {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every route
  body: any;
  headers: Headers;
}

/** No caller waits longer. */
const timeoutMs = 8_000;
const servers = ['serve-1', 'serve-2'] as const;

export class Stage {
  readonly world: World;
  readonly acknowledged: Acknowledged[] = [];
  readonly redemptions: Acknowledged[] = [];
  /** Signatures of transactions that must never succeed. */
  readonly forged: string[] = [];
  /** What was got by those who must not get it, a line each. */
  readonly breaches = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  /** Returns a customer with their partner: of those who do what they should. */
  caller(user: number): Caller {
    const { partners, hostile, greedy } = this.world.people;
    return pick(
      partners
        .filter((partner) => partner !== hostile)
        .flatMap((partner) =>
          partner.users.filter((one) => one !== greedy).map((one) => ({ partner, user: one })),
        ),
      user,
    );
  }

  /** Returns where requests go, as a balancer decides: to the process of that number, or the other one while it is not ready. */
  url(number: number, of: 'url' | 'operatorUrl' = 'url'): string {
    const { processes, ready } = this.world;
    const preferred = servers[number % 2] ?? 'serve-1';
    const other = servers[(number + 1) % 2] ?? 'serve-2';
    return processes.get(!ready.has(preferred) && ready.has(other) ? other : preferred)?.[of] ?? '';
  }

  client({ apiKeys }: Pick<Partner, 'apiKeys'>, number: number): Karat {
    return new Karat({ apiKey: apiKeys[0] ?? '', baseUrl: this.url(number), maxRetries: 2, timeoutMs });
  }

  /** Sends a request of a partner without the SDK. */
  asPartner(
    { apiKeys }: Pick<Partner, 'apiKeys'>,
    request: string,
    body: object | undefined,
    number: number,
  ) {
    return send(this.url(number), request, { 'x-api-key': apiKeys[0] ?? '' }, body);
  }

  /** Sends a request of an operator. */
  operate(token: string, request: string, body: object | undefined, number: number): Promise<Response> {
    const [method, path] = request.split(' ');
    const url = this.url(number, 'operatorUrl');
    return send(url, `${method} /operator/v1${path}`, { authorization: `Bearer ${token}` }, body);
  }

  /** Presses a button, twice at once if they are impatient; what came of it. */
  async press(
    token: string,
    path: string,
    body: object,
    { twice }: Operation,
    number: number,
  ): Promise<string[]> {
    const turns = twice ? [number, number + 1] : [number];
    const responses = await Promise.all(turns.map((turn) => this.operate(token, `POST ${path}`, body, turn)));
    return responses.map(
      ({ status, text }) => `${path} ${status}${status === 200 ? '' : ` ${text.slice(0, 150)}`}`,
    );
  }

  acknowledge(kind: Acknowledged['kind'], id: string, { id: partnerId, apiKeys }: Partner): void {
    const acknowledged = { kind, id, partnerId, apiKey: apiKeys[0] ?? '' };
    this.acknowledged.push(acknowledged);
    if (kind === 'redemption') this.redemptions.push(acknowledged);
  }
}

async function send(
  url: string,
  request: string,
  headers: Record<string, string>,
  body: object | undefined,
): Promise<Response> {
  const [method = 'GET', path = ''] = request.split(' ');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, text, body: parsed(text), headers: response.headers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A quote of a trade whose transaction all have signed, base64. */
export interface SignedTrade {
  side: 'buys' | 'sells';
  id: string;
  signed: string;
}

/** Quotes and signs a trade of a small amount, in either direction. */
export async function signedTrade(
  stage: Stage,
  { partner, user }: Caller,
  side: SignedTrade['side'],
  { amount }: Pick<Operation, 'amount'>,
  number: number,
): Promise<SignedTrade> {
  const own = { service_user_id: user.id };
  const signers = [await kitSigner(partner.wallet), await kitSigner(user.wallet)];
  const karat = stage.client(partner, number);
  if (side === 'buys') {
    const body = { ...own, usdc_amount: (100 + amount) / 100 };
    const quote = await karat.buys.quote(body);
    return { side, id: quote.trade_id, signed: await karat.buys.sign(quote, { ...body, signers }) };
  }
  const body = { ...own, gold_amount: (10_000 + amount) / 1_000_000 };
  const quote = await karat.sells.quote(body);
  return { side, id: quote.trade_id, signed: await karat.sells.sign(quote, { ...body, signers }) };
}

export function pick<T>(items: readonly T[], at: number): T {
  const item = items[at % Math.max(1, items.length)];
  if (item === undefined) throw new NothingToDo();
  return item;
}

/** There is nothing yet that a role could act upon. */
export class NothingToDo extends Error {
  constructor() {
    super('nothing to do yet');
  }
}

/** Resolves when one of them is acknowledged; what the others bring must not contradict it. */
export const firstOf = <T>(all: Promise<T>[]): Promise<T> => Promise.any(all);

/** Returns whether the service refused, as it must; undefined when it did not say: it failed, or did not respond. */
export async function isRefused(call: Promise<unknown>): Promise<boolean | undefined> {
  try {
    await call;
    return false;
  } catch (error) {
    const refused = error instanceof KaratError && error.status !== undefined && error.status < 500;
    return refused ? true : undefined;
  }
}

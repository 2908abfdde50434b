import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../actions/find-named-trader.js';
import type { Clock } from '../clock.js';
import type { Context } from '../context.js';
import type { FoundCaller, KeyHolder } from '../db/callers.js';
import { hashApiKey } from '../domain/api-key.js';
import { asId, type UserId, type Uuid } from '../domain/ids.js';
import { AppError } from '../errors.js';
import { CallerLookup } from './caller-lookup.js';
import { handleError } from './errors.js';
import { type KeyBudget, refuseAboveLimit, showBudget } from './key-budget.js';
import type { KeyUse } from './key-use.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call a route. Every route names it: one that does not is refused at start. */
    auth?: 'none' | 'partner';
    /** The limit that a route counts against. */
    limit?: 'auth';
    /**
     * The body names a user in `service_user_id`, who is looked up together with the key: one round trip to the database
     * instead of two. Needs `auth: 'partner'`.
     */
    namesUser?: true;
  }
  interface FastifyRequest {
    /** Who makes this request. Throws on a route without authentication. */
    principal: Caller;
  }
}

/** Longer than any key of either surface. */
const maxKeyLength = 128;
/** How many keys a process remembers the ids of, to lease for them while they are authenticated. */
const maxKnownKeys = 10_000;

/**
 * Authenticates what comes to keyed routes, in the order of the contract: key (401), scope (403 `insufficient_scope`),
 * status of the partner (403 `partner_suspended`), then the budget of the key (429), all before the body is looked at.
 * Where the body names a user it is read first, but nothing is said about it before the key is known to be good.
 */
export function requirePrincipal(
  ctx: Context,
  app: FastifyInstance,
  parts: { keyUse: KeyUse; budget: KeyBudget },
): void {
  const doorman = new Doorman(ctx, parts);
  app.decorateRequest('principal', {
    getter(this: FastifyRequest) {
      const principal = doorman.principalOf(this);
      if (!principal) throw new Error(`${this.routeOptions.url} reads a principal without authentication`);
      return principal;
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    const { auth, namesUser } = request.routeOptions.config;
    if (auth !== 'partner') return;
    doorman.readKey(request, reply);
    if (!namesUser) await doorman.admit(request, reply);
  });
  app.addHook('preValidation', async (request, reply) => {
    if (doorman.isWaiting(request)) await doorman.admit(request, reply);
  });
  // A body that cannot even be read comes here before the key was looked at, which has the first word.
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    let shown = error;
    if (doorman.isWaiting(request)) {
      await doorman.admit(request, reply).catch((refusal: FastifyError) => {
        shown = refusal;
      });
    }
    handleError(shown, request, reply);
    return reply;
  });
}

class Doorman {
  readonly #parts: { keyUse: KeyUse; budget: KeyBudget };
  readonly #lookup: CallerLookup;
  readonly #clock: Clock;
  readonly #waiting = new WeakMap<FastifyRequest, Uint8Array>();
  readonly #principals = new WeakMap<FastifyRequest, Caller>();
  readonly #keyIds = new Map<string, Uuid>();

  constructor(ctx: Context, parts: { keyUse: KeyUse; budget: KeyBudget }) {
    this.#parts = parts;
    this.#lookup = new CallerLookup(ctx);
    this.#clock = ctx.clock;
  }

  principalOf(request: FastifyRequest): Caller | undefined {
    return this.#principals.get(request);
  }

  /** Whether a request has shown a key that was not looked up yet. */
  isWaiting(request: FastifyRequest): boolean {
    return this.#waiting.has(request);
  }

  /** Takes the key of a request, or throws 401 `unauthorized` for what cannot be one. */
  readKey(request: FastifyRequest, reply: FastifyReply): void {
    const key = request.headers['x-api-key'];
    const { budget } = this.#parts;
    // Shown on every answer of a limited route: whoever is not known has used nothing up.
    showBudget(reply, budget.limit, budget.untouched());
    if (typeof key !== 'string' || key === '' || key.length > maxKeyLength) throw unauthorized();
    this.#waiting.set(request, hashApiKey(key));
  }

  /** Lets a request in that has shown its key, or throws why not. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const keyHash = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (!keyHash) throw new Error('a request is admitted once, after its key was read');
    const { keyUse, budget } = this.#parts;
    const name = Buffer.from(keyHash).toString('latin1');
    budget.prepare(this.#keyIds.get(name));
    const userId = namedUser(request);
    const holder = await this.#lookup.find({ keyHash, userId });
    if (!holder || !this.#isGood(holder)) throw unauthorized();
    this.#remember(name, holder.keyId);
    keyUse.note(holder.keyId);
    request.log = request.log.child({ partner_id: holder.partnerId, key_id: holder.keyId });
    const state = await budget.take(holder.keyId);
    showBudget(reply, budget.limit, state);
    const partnerId = fitPartner(holder);
    if (!state.admitted) throw refuseAboveLimit(reply, budget.limit, state);
    this.#principals.set(request, toCaller({ ...holder, partnerId }, userId));
  }

  #isGood({ keyStatus, expiresAt }: KeyHolder): boolean {
    return keyStatus === 'active' && (expiresAt === null || expiresAt.getTime() > this.#clock.now());
  }

  #remember(name: string, keyId: Uuid): void {
    if (this.#keyIds.size >= maxKnownKeys) this.#keyIds.clear();
    this.#keyIds.set(name, keyId);
  }
}

function namedUser(request: FastifyRequest): UserId | undefined {
  if (!request.routeOptions.config.namesUser) return undefined;
  const id = (request.body as { service_user_id?: unknown } | null | undefined)?.service_user_id;
  return typeof id === 'string' ? asId('gu', id) : undefined;
}

/** The partner of a key that may call the partner API. */
function fitPartner({ surface, scope, partnerId, partnerStatus }: KeyHolder): Uuid {
  if (surface !== 'partner' || partnerId === null) {
    throw new AppError('insufficient_scope', `This needs a key of scope PARTNER; yours has ${scope}.`);
  }
  if (partnerStatus !== 'active') throw new AppError('partner_suspended', 'This partner is suspended.');
  return partnerId;
}

type Holder = Pick<FoundCaller, 'keyId' | 'trader'> & { partnerId: Uuid };

function toCaller({ keyId, partnerId, trader }: Holder, userId: UserId | undefined): Caller {
  return userId === undefined ? { keyId, partnerId } : { keyId, partnerId, named: { id: userId, trader } };
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Send a valid API key in the header x-api-key.');
}

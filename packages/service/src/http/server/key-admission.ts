import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.js';
import type { Context } from '../../context.js';
import type { FoundCaller, KeyHolder } from '../../db/keys/callers.js';
import { hashApiKey } from '../../domain/api-key.js';
import type { UserId } from '../../domain/ids.js';
import { type RequestKind, requestKindOf } from '../../domain/limits.js';
import { AppError } from '../../errors.js';
import type { CallerLookup } from '../auth/caller-lookup.js';
import { CredentialMemory } from '../auth/credential-memory.js';
import type { KeyUse } from '../auth/key-use.js';
import { refuseAboveKeyLimit, showBudget } from './budgets.js';
import type { BudgetOwner, KeyBudget } from './key-budget.js';
import { countGuess, refuseGuesses } from './network-budgets.js';
import { logOf } from './request-log.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the key that it has shown and that was not looked up yet. */
    shownKey: Buffer | undefined;
    /** Who makes it, once it was admitted, as its surface has it. */
    admitted: unknown;
  }
}

/** Adds to requests what the key admission of any surface notes on them. */
export function readyForKeys(app: FastifyInstance): void {
  app.decorateRequest('shownKey', undefined);
  app.decorateRequest('admitted', undefined);
}

/** Shared by the key admission of all surfaces. */
export interface AdmissionParts {
  keyUse: KeyUse;
  budgets: Record<RequestKind, KeyBudget>;
  lookup: CallerLookup;
}

/** What one surface requires of a key. */
export interface AdmissionRules<Caller> {
  /** Returns who the holder of a good key is to a route, or throws why that one may not call it. */
  toCaller(found: FoundCaller, request: FastifyRequest, userId: UserId | undefined): Caller;
  /** The user whom a request names, to be looked up together with the key. */
  namedUser?(request: FastifyRequest): UserId | undefined;
}

/** Longer than any key of either surface. */
const maxKeyLength = 128;

/** Authenticates requests by their keys: first `readKey`, then `admit`, then `callerOf` gives the caller. */
export class KeyAdmission<Caller> {
  readonly #parts: AdmissionParts;
  readonly #rules: AdmissionRules<Caller>;
  readonly #clock: Clock;
  /** Keys, to lease for the good ones while they are authenticated. */
  readonly #memory = new CredentialMemory<BudgetOwner>();

  constructor(ctx: Pick<Context, 'clock'>, parts: AdmissionParts, rules: AdmissionRules<Caller>) {
    this.#parts = parts;
    this.#rules = rules;
    this.#clock = ctx.clock;
  }

  /** Returns the caller of an admitted request. Throws for one that was not admitted, which is a mistake of ours. */
  callerOf(request: FastifyRequest): Caller {
    const { admitted } = request;
    if (!admitted) throw new Error(`${request.routeOptions.url} reads its caller without authentication`);
    return admitted as Caller;
  }

  /** Returns whether a request has shown a key that was not looked up yet. */
  isWaiting(request: FastifyRequest): boolean {
    return request.shownKey !== undefined;
  }

  /** Takes the key of a request, or throws 401 `unauthorized` for what cannot be one. */
  readKey(request: FastifyRequest, reply: FastifyReply): void {
    const key = request.headers['x-api-key'];
    const budget = this.#parts.budgets[requestKindOf(request.method)];
    // Shown on every response of a limited route; an unknown caller has the whole budget left.
    showBudget(reply, budget.limit, budget.untouched());
    if (!isKeyLike(key)) throw unauthorized();
    request.shownKey = hashApiKey(key);
  }

  /**
   * Lets a request in that has shown its key, or throws why not. Each invalid key counts once against a budget of the network
   * that it comes from; once it is used up, only keys that were valid here before are looked up.
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const keyHash = request.shownKey;
    request.shownKey = undefined;
    if (!keyHash) throw new Error('a request is admitted once, after its key was read');
    const { budgets, lookup } = this.#parts;
    const budget = budgets[requestKindOf(request.method)];
    const name = nameOf(keyHash);
    const known = this.#memory.ownerOf(name);
    if (known) budget.prepare(known);
    else if (this.#memory.isBad(name)) throw unauthorized();
    else refuseGuesses(reply);
    const userId = this.#rules.namedUser?.(request);
    const found = await lookup.find({ keyHash, userId }, () => !reply.sent && !reply.raw.destroyed);
    if (!found || !this.#isGood(found.holder)) {
      this.#memory.forget(name);
      await countGuess(reply);
      if (found?.holder.keyStatus !== 'active') this.#memory.rememberBad(name);
      throw unauthorized();
    }
    const { holder } = found;
    const owner = this.#remember(name, known, holder);
    logOf(request).note({ partner_id: holder.partnerId, key_id: holder.keyId });
    const state = budget.takeNow(owner) ?? (await budget.take(owner));
    showBudget(reply, state.limit, state);
    const caller = this.#rules.toCaller(found, request, userId);
    if (!state.admitted) throw refuseAboveKeyLimit(state);
    request.admitted = caller;
  }

  #isGood({ keyStatus, expiresAt }: KeyHolder): boolean {
    return keyStatus === 'active' && (expiresAt === null || expiresAt.getTime() > this.#clock.now());
  }

  /** Notes that a key was used, and was valid; returns whose budgets it is counted against. */
  #remember(name: string, known: BudgetOwner | undefined, { keyId, partnerId }: KeyHolder): BudgetOwner {
    this.#parts.keyUse.note(keyId);
    if (known) return known;
    const owner = { callerId: keyId, partnerId };
    this.#memory.remember(name, owner);
    return owner;
  }
}

function isKeyLike(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.length <= maxKeyLength;
}

function nameOf(keyHash: Buffer): string {
  return keyHash.toString('latin1');
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Send a valid API key in the header x-api-key.');
}

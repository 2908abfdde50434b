import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findSignedIn } from '../../actions/people/sign-in.js';
import type { Context } from '../../context.js';
import { type RequestKind, requestKindOf } from '../../domain/limits.js';
import { hashSecret } from '../../domain/session.js';
import { AppError } from '../../errors.js';
import type { Lane } from '../../runtime/lanes.js';
import { portalSurface } from '../people/portal.js';
import { refuseForeignPage } from '../people/same-origin.js';
import { refuseAboveKeyLimit, showBudget } from '../server/budgets.js';
import type { KeyBudget } from '../server/key-budget.js';
import { countGuess, refuseGuesses } from '../server/network-budgets.js';
import { logOf } from '../server/request-log.js';
import { CredentialMemory } from './credential-memory.js';
import { requireSessionMay } from './permission.js';
import type { PortalSession } from './portal-session.js';

export interface SessionParts {
  budgets: Record<RequestKind, KeyBudget>;
  /** In which sessions are looked up: strangers with cookies do not take the connections of others. */
  lookups: Lane;
}

/** Longer than any cookie of a session. */
const maxSecretLength = 128;

/** Authenticates requests to the partner API by the cookie of the portal. */
export class SessionAdmission {
  readonly #ctx: Context;
  readonly #parts: SessionParts;
  readonly #memory = new CredentialMemory<true>();
  readonly #sessions = new WeakMap<FastifyRequest, PortalSession>();

  constructor(ctx: Context, app: FastifyInstance, parts: SessionParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    const sessions = this.#sessions;
    app.decorateRequest('portalSession', {
      getter(this: FastifyRequest) {
        const session = sessions.get(this);
        if (!session) throw new Error(`${this.routeOptions.url} reads a session that a key has no part in`);
        return session;
      },
    });
  }

  /**
   * Lets a request in by its cookie, as `KeyAdmission` does by a key, or throws why not: `unauthorized`, `forbidden` for a change
   * that no page of this host made, what the role excludes, and `rate_limited`.
   */
  async admit(request: FastifyRequest, reply: FastifyReply, secret: string): Promise<void> {
    const budget = this.#parts.budgets[requestKindOf(request.method)];
    showBudget(reply, budget.limit, budget.untouched());
    if (request.headers['x-api-key'] !== undefined) throw twoCredentials();
    const session = await this.#find(reply, secret);
    const { member } = session;
    const { personId: memberId, partnerId } = member;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      refuseForeignPage(request, portalSurface.pageHeader);
    logOf(request).note({ partner_id: partnerId, member_id: memberId });
    const state = await budget.take({ callerId: memberId, partnerId });
    showBudget(reply, state.limit, state);
    await requireSessionMay(this.#ctx, request, session);
    if (!state.admitted) throw refuseAboveKeyLimit(state);
    this.#sessions.set(request, session);
    request.admitted = { partnerId, memberId };
  }

  async #find(reply: FastifyReply, secret: string): Promise<PortalSession> {
    if (secret.length > maxSecretLength) throw unauthorized();
    const sessionHash = hashSecret(secret);
    const name = sessionHash.toString('latin1');
    if (this.#memory.isBad(name)) throw unauthorized();
    if (!this.#memory.ownerOf(name)) refuseGuesses(reply);
    const found = await this.#parts.lookups.run(() => findSignedIn(this.#ctx, 'member', secret));
    if (!found) {
      this.#memory.forget(name);
      this.#memory.rememberBad(name);
      await countGuess(reply);
      throw unauthorized();
    }
    this.#memory.remember(name, true);
    const { isVerified, expiresAt, ...member } = found;
    return { member, sessionHash, byPasswordAlone: !isVerified, expiresAt };
  }
}

function twoCredentials(): AppError {
  const message = 'Send the header x-api-key or the cookie of the portal, not both.';
  return new AppError('invalid_request', message, { field: 'x-api-key' });
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'The session has ended: sign in again.');
}

import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.js';
import { findKeyHolder } from '../db/api-keys.js';
import { hashApiKey } from '../domain/api-key.js';
import type { Principal } from '../domain/principal.js';
import { AppError } from '../errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call a route. Every route names it: one that does not is refused at start. */
    auth?: 'none' | 'partner';
    /** The limit that a route counts against. */
    limit?: 'auth';
  }
  interface FastifyRequest {
    /** Who makes this request. Throws on a route without authentication. */
    principal: Principal;
  }
}

/** Longer than any key of either surface. */
const maxKeyLength = 128;

/**
 * The key's holder. Runs before the body is read, in the order of the contract: key (401), scope (403
 * `insufficient_scope`), status of the partner (403 `partner_suspended`).
 */
export async function authenticate(ctx: Context, request: FastifyRequest): Promise<Principal> {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '' || key.length > maxKeyLength) throw unauthorized();
  const holder = await findKeyHolder(ctx.db, hashApiKey(key));
  if (holder?.keyStatus !== 'active') throw unauthorized();
  if (holder.scope !== 'PARTNER') {
    throw new AppError('insufficient_scope', `This needs a key of scope PARTNER; yours has ${holder.scope}.`);
  }
  if (holder.partnerStatus !== 'active') {
    throw new AppError('partner_suspended', 'This partner is suspended.');
  }
  return { keyId: holder.keyId, partnerId: holder.partnerId };
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Send a valid API key in the header x-api-key.');
}

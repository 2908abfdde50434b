import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Claim, claimIdempotencyKey } from '../actions/claim-idempotency-key.js';
import { settleIdempotencyKey } from '../actions/settle-idempotency-key.js';
import type { Context } from '../context.js';
import { invalidField } from '../errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route writes a record and takes an `Idempotency-Key`. Needs `auth: 'partner'`. */
    idempotent?: true;
  }
}

const maxKeyLength = 255;

/**
 * Gives the first answer again to a request that comes again with its `Idempotency-Key`. Runs after the body was
 * checked, so that what is malformed uses no key up; the answer is kept before it is sent.
 */
export function replayIdempotentRequests(ctx: Context, app: FastifyInstance): void {
  const claims = new WeakMap<FastifyRequest, Claim>();

  app.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    if (!request.routeOptions.config.idempotent || typeof key !== 'string' || key === '') return;
    if (key.length > maxKeyLength) {
      throw invalidField('Idempotency-Key', `Idempotency-Key must have at most ${maxKeyLength} characters.`);
    }
    const { partnerId } = request.principal;
    const route = `${request.method} ${request.routeOptions.url}`;
    const found = await claimIdempotencyKey(ctx, { partnerId, route, key }, [
      request.params,
      request.body ?? null,
    ]);
    if ('claim' in found) {
      claims.set(request, found.claim);
      return;
    }
    reply.header('idempotency-replayed', 'true');
    return reply.code(found.status).type('application/json; charset=utf-8').send(found.answer);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const claim = claims.get(request);
    if (!claim) return payload;
    claims.delete(request);
    const answer = typeof payload === 'string' ? payload : '';
    await settleIdempotencyKey(ctx, claim, { status: reply.statusCode, answer }).catch((err: unknown) =>
      request.log.warn({ err }, 'the answer to an idempotent request was not kept'),
    );
    return payload;
  });
}

import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Claim, claimIdempotencyKey } from '../../actions/claim-idempotency-key.js';
import {
  completeIdempotencyKey,
  holdIdempotencyKey,
  releaseIdempotencyKey,
} from '../../actions/complete-idempotency-key.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { isDatabaseOutage } from '../../db/outage.js';
import type { Uuid } from '../../domain/ids.js';
import { fingerprintOf, guessableFields } from '../../domain/request-hash.js';
import { invalidField } from '../../errors.js';
import { inTime } from '../../runtime/time.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route writes a record and takes an `Idempotency-Key`: it completes its response with `completeOnce`. Needs
     * authentication.
     */
    idempotent?: true;
  }
  interface FastifyRequest {
    /** The claim on the request's `Idempotency-Key`. */
    idempotencyClaim: Claim | undefined;
    /** Whether its handler is under way: the time of a request may be over before. */
    isActing: boolean;
  }
}

const maxKeyLength = 255;

/**
 * Returns the first response again to a request that is repeated with its `Idempotency-Key`. Runs after the body was
 * checked, so that what is malformed uses no key up. Whatever came to nothing gives its key free.
 * @param ownerOf whose key a request's is: the same text from another owner is another key.
 */
export function replayIdempotentRequests(
  ctx: Context,
  app: FastifyInstance,
  ownerOf: (request: FastifyRequest) => Uuid,
): void {
  app.decorateRequest('idempotencyClaim', undefined);
  app.decorateRequest('isActing', false);
  app.addHook('onRoute', (route) => {
    if (route.config?.idempotent) route.handler = markActing(route.handler);
  });

  app.addHook('preHandler', (request, reply, done) => {
    const key = request.headers['idempotency-key'];
    if (!request.routeOptions.config.idempotent || typeof key !== 'string' || key === '') return done();
    if (key.length > maxKeyLength) {
      return done(
        invalidField('Idempotency-Key', `Idempotency-Key must have at most ${maxKeyLength} characters.`),
      );
    }
    claim(request, key).then((found) => {
      if (!found) return done();
      reply.header('idempotency-replayed', 'true');
      reply.code(found.status).type('application/json; charset=utf-8').send(found.response);
    }, done);
  });

  /** Claims the key for a request; returns the first response where there is one. */
  async function claim(request: FastifyRequest, key: string) {
    const ownerId = ownerOf(request);
    const route = `${request.method} ${request.routeOptions.url}`;
    const content = [request.params, withoutGuessable(ctx, request.body ?? null)];
    const found = await claimIdempotencyKey(ctx, { ownerId, route, key }, content);
    if (!('claim' in found)) return found;
    request.idempotencyClaim = found.claim;
    return undefined;
  }

  // A promise: what fails behind it, because there already was a response, fails this request and not the process.
  app.addHook('onSend', async (request, reply, payload) => {
    const claim = request.idempotencyClaim;
    // What succeeded was completed in its own transaction.
    if (!claim || reply.statusCode < 400) return payload;
    const released = releaseThroughOutage(ctx, claim).catch((err: unknown) =>
      request.log.warn({ err }, 'the key of an idempotent request was not released'),
    );
    // While this waits, the end of an action would be taken for the response, and this one be lost.
    if (!request.isActing) await inTime(released, releaseWithinMs).catch(() => {});
    return payload;
  });
}

/** Returns a handler which notes on its request that it is under way. */
function markActing(handler: RouteOptions['handler']): RouteOptions['handler'] {
  return async function (request, reply) {
    request.isActing = true;
    try {
      return await handler.call(this, request, reply);
    } finally {
      request.isActing = false;
    }
  };
}

/**
 * Returns a body without its pickup code and its KYC data, of which a plain hash can be found by trying what is likely. Another
 * value is still another request. Where there is no secret, which every process that serves has, all are the same.
 */
function withoutGuessable({ config }: Context, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const secret = config.pickupSecret?.reveal();
  const shown: Record<string, unknown> = { ...body };
  for (const field of guessableFields) {
    if (field in shown)
      shown[field] = secret === undefined ? null : fingerprintOf(secret, field, shown[field]);
  }
  return shown;
}

/** The response does not wait any longer: it may be one which reports that the database hangs. */
const releaseWithinMs = 400;

/** A claim lapses by itself after 30 s; an outage that ends before is no reason to hold it for so long. */
const releaseTries = 30;
const releaseAgainMs = 1_000;

async function releaseThroughOutage(ctx: Context, claim: Claim): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await releaseIdempotencyKey(ctx, claim);
    } catch (error) {
      if (!isDatabaseOutage(error) || tries === releaseTries) throw error;
      await setTimeout(releaseAgainMs, undefined, { ref: false });
    }
  }
}

/**
 * Completes the response of an idempotent route as the last statement of the transaction that changed something: stores it
 * for repetitions. So there is never an effect in the database without its response, nor a response without its effect,
 * wherever a process dies. Throws `idempotency_conflict`, and so undoes the effect, when the claim lapsed or was released.
 */
export async function completeOnce<View extends Record<string, unknown>>(
  tx: Tx,
  reply: FastifyReply,
  status: number,
  view: View,
): Promise<View> {
  const claim = reply.request.idempotencyClaim;
  if (claim) {
    const response = String(reply.serializeInput(view, String(status)));
    await completeIdempotencyKey(tx, claim, { status, response });
  }
  reply.code(status);
  return view;
}

/**
 * Holds the claim of an idempotent route in the transaction that writes down what is about to be sent to the chain, whose
 * response comes after it. A repetition finds what was written, which blocks a second one. Throws as `completeOnce` does.
 */
export async function holdOnce(tx: Tx, request: FastifyRequest): Promise<void> {
  const claim = request.idempotencyClaim;
  if (claim) await holdIdempotencyKey(tx, claim);
}

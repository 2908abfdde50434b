import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import {
  type Claim,
  claimIdempotencyKey,
  type FirstResponse,
  twinInProgress,
} from '../../actions/claim-idempotency-key.js';
import {
  completeIdempotencyKey,
  holdIdempotencyKey,
  releaseIdempotencyKey,
} from '../../actions/complete-idempotency-key.js';
import type { Clock } from '../../clock.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { isDatabaseOutage } from '../../db/outage.js';
import { maxIdempotencyKeyLength, waitForTwinMs } from '../../domain/idempotency.js';
import type { Uuid } from '../../domain/ids.js';
import { fingerprintOf, guessableFields, requestHash } from '../../domain/request-hash.js';
import { AppError, invalidField } from '../../errors.js';
import { inTime } from '../../runtime/time.js';
import { Turns } from '../../runtime/turns.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route writes a record and takes an `Idempotency-Key`: it completes its response with `completeOnce`. Needs
     * authentication.
     */
    idempotent?: true;
    /** What a response of the route is a quote of, by its fields: it is not repeated once its transaction has expired. */
    quotes?: (response: Record<string, unknown>) => StoredQuote;
  }
  interface FastifyInstance {
    clock: Clock;
  }
  interface FastifyRequest {
    /** The claim on the request's `Idempotency-Key`. */
    idempotencyClaim: Claim | undefined;
    /** Whether it came to nothing and gives its claim back. */
    releasesClaim: boolean;
    /** What was stored for its repetitions, once its action has ended. */
    completedWith: FirstResponse | undefined;
  }
}

/** The quote in a response that was stored. */
export interface StoredQuote {
  id: string;
  /** RFC 3339. */
  expiresAt: string;
}

type Handler = RouteOptions['handler'];

/**
 * Returns the first response again to a request that is repeated with its `Idempotency-Key`. Runs after the body was
 * checked, so that what is malformed uses no key up. Whatever came to nothing gives its key free. Twins in this process wait
 * in memory for the response of one of them, so that however many there are, only that one uses the database.
 * @param ownerOf whose key a request's is: the same text from another owner is another key.
 */
export function replayIdempotentRequests(
  ctx: Context,
  app: FastifyInstance,
  ownerOf: (request: FastifyRequest) => Uuid,
): void {
  const turns = new Turns<FirstResponse>();
  app.decorate('clock', ctx.clock);
  app.decorateRequest('idempotencyClaim', undefined);
  app.decorateRequest('releasesClaim', false);
  app.decorateRequest('completedWith', undefined);
  app.addHook('onRoute', (route) => {
    if (route.config?.idempotent) route.handler = inTurn(route.handler);
  });

  /** Returns a handler that handles one of several twins, and replays its response to the others. */
  function inTurn(handler: Handler): Handler {
    return async function (request, reply) {
      const key = keyOf(request);
      if (key === undefined) return handler.call(this, request, reply);
      const route = `${request.method} ${request.routeOptions.url}`;
      const scope = { ownerId: ownerOf(request), route, key };
      const hash = requestHash([request.params, withoutGuessable(ctx, request.body ?? null)]);
      const name = JSON.stringify([...Object.values(scope), Buffer.from(hash).toString('hex')]);
      const turn = await turns.take(name, waitForTwinMs);
      if (!turn) throw twinInProgress();
      if ('outcome' in turn) return replay(ctx, reply, turn.outcome);
      let outcome: FirstResponse | undefined;
      try {
        const found = await claimIdempotencyKey(ctx, scope, hash);
        if (!('claim' in found)) {
          outcome = found;
          return replay(ctx, reply, found);
        }
        request.idempotencyClaim = found.claim;
        const result = await act(request, reply, () => handler.call(this, request, reply));
        outcome = request.completedWith;
        return result;
      } finally {
        turn.end(outcome);
      }
    };
  }

  /** Acts on a claimed request; what fails gives its key free before its response is sent. */
  async function act(request: FastifyRequest, reply: FastifyReply, handle: () => unknown): Promise<unknown> {
    try {
      // Its time was over before it could begin.
      if (reply.sent) throw twinInProgress();
      return await handle();
    } catch (error) {
      await inTime(release(request), releaseWithinMs).catch(() => {});
      throw error;
    }
  }

  async function release(request: FastifyRequest): Promise<void> {
    const claim = request.idempotencyClaim;
    if (!claim || request.releasesClaim) return;
    request.releasesClaim = true;
    await releaseThroughOutage(ctx, claim).catch((err: unknown) =>
      request.log.warn({ err }, 'the key of an idempotent request was not released'),
    );
  }

  // The time of a request may be over before its action is, which is undone then. Nothing waits for it.
  app.addHook('onSend', (request, reply, payload, done) => {
    // What succeeded was completed in its own transaction.
    if (reply.statusCode >= 400) void release(request);
    done(null, payload);
  });
}

/** Sends a first response again. Throws `idempotency_conflict` where it is a quote that has expired. */
function replay({ clock }: Context, reply: FastifyReply, { status, response }: FirstResponse): FastifyReply {
  const quote = reply.request.routeOptions.config.quotes?.(JSON.parse(response));
  if (quote && Date.parse(quote.expiresAt) <= clock.now()) throw quoteExpired(quote);
  reply.header('idempotency-replayed', 'true');
  return reply.code(status).type('application/json; charset=utf-8').send(response);
}

function quoteExpired({ id, expiresAt }: StoredQuote): AppError {
  const message = `This Idempotency-Key got the quote of ${id}, whose transaction expired at ${expiresAt}. If it was not sent, request a new quote with a new key; GET /v1/operations/${id} says whether it was.`;
  return new AppError('idempotency_conflict', message, { reason: 'quote_expired' });
}

/** Returns the key of a request, if it has one that counts. */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length <= maxIdempotencyKeyLength) return key;
  throw invalidField(
    'Idempotency-Key',
    `Idempotency-Key must have at most ${maxIdempotencyKeyLength} characters.`,
  );
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
  const { request } = reply;
  const claim = request.idempotencyClaim;
  if (claim) {
    const response = String(reply.serializeInput(view, String(status)));
    await completeIdempotencyKey(tx, claim, { status, response });
    request.completedWith = { status, response };
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

import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type Admission,
  admitCounted,
  type CountedBudget,
  type OpenBudget,
} from '../../actions/keys/admit-open-request.js';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import { clientNetwork } from './client-network.js';
import { type BudgetState, refuseAboveLimit, showBudget } from './leased-budget.js';

/** Holds the routes with a `limit` to that budget per IP address, before anything else is looked at. */
export function limitOpenRoutes(ctx: Context, app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const budget = request.routeOptions.config.limit;
    if (budget === undefined) return done();
    takeFromBudget(ctx, reply, { budget }).then(() => done(), done);
  });
}

/** Counts an invalid key. Throws `rate_limited` when its network has shown too many of them. */
export async function countGuess(ctx: Context, reply: FastifyReply): Promise<void> {
  const { limit, ...state } = await admit(ctx, 'bad_key', clientNetwork(reply.request.ip), 1);
  if (!state.admitted) throw refuseGuess(reply, limit, state);
}

/** Throws `rate_limited` when the network of a request is known to have shown too many invalid keys. */
export function refuseGuesses(ctx: Context, reply: FastifyReply): void {
  const known = knownRefusal(ctx, `bad_key ${clientNetwork(reply.request.ip)}`);
  if (known) throw refuseGuess(reply, known.limit, known);
}

function refuseGuess(reply: FastifyReply, limit: number, state: BudgetState): AppError {
  showBudget(reply, limit, state);
  const retryAfterSeconds = state.resetSeconds;
  const message = `Too many invalid keys came from your network; try again in ${retryAfterSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds });
}

/** A full budget: nothing is admitted before `untilMs`, because what is refused does not count. */
interface Refusal {
  sinceMs: number;
  untilMs: number;
  limit: number;
}

/** Beyond that, all are forgotten and counted in the database again. */
const maxRefusals = 10_000;
const refusalsOf = new WeakMap<Context, Map<string, Refusal>>();

/**
 * Counts the request of a reply as `count` against a budget of its IP address, in addition to what it was counted as
 * before. Throws `rate_limited`, and then counts nothing.
 */
export async function takeFromBudget(
  ctx: Context,
  reply: FastifyReply,
  { budget, count = 1 }: { budget: OpenBudget; count?: number },
): Promise<void> {
  const { limit, ...state } = await admit(ctx, budget, clientNetwork(reply.request.ip), count);
  showBudget(reply, limit, state);
  if (!state.admitted) throw refuseAboveLimit(limit, state);
}

/** Counts a request. A caller who goes on after a refusal is refused without the database, which all others need. */
async function admit(
  ctx: Context,
  budget: CountedBudget,
  network: string,
  count: number,
): Promise<Admission> {
  const name = `${budget} ${network}`;
  const nowMs = ctx.clock.now();
  const known = knownRefusal(ctx, name);
  if (known) return known;
  const refusals = refusalsFor(ctx);
  refusals.delete(name);
  const admission = await admitCounted(ctx, budget, network, count);
  const { admitted, remaining, limit, freeAtMs } = admission;
  if (!admitted && remaining === 0) {
    if (refusals.size >= maxRefusals) refusals.clear();
    refusals.set(name, { sinceMs: nowMs, untilMs: freeAtMs, limit });
  }
  return admission;
}

function refusalsFor(ctx: Context): Map<string, Refusal> {
  const refusals = refusalsOf.get(ctx) ?? new Map<string, Refusal>();
  refusalsOf.set(ctx, refusals);
  return refusals;
}

function knownRefusal(ctx: Context, name: string): Admission | undefined {
  const known = refusalsFor(ctx).get(name);
  const nowMs = ctx.clock.now();
  if (!known || nowMs < known.sinceMs || nowMs >= known.untilMs) return undefined;
  const { limit, untilMs: freeAtMs } = known;
  const resetSeconds = Math.max(1, Math.ceil((freeAtMs - nowMs) / 1_000));
  return { admitted: false, limit, remaining: 0, freeAtMs, resetSeconds };
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { Budget, type BudgetState, type TakenShare } from '../../actions/limits/budget.js';
import type { Context } from '../../context.js';
import {
  connectionShares,
  exactBudget,
  type NetworkBudgetName,
  networkBudgetNames,
  networksPerSite,
  type OpenBudgetName,
} from '../../domain/limits.js';
import { AppError } from '../../errors.js';
import { atMost } from '../../runtime/limit.js';
import { keepBudgets, refuseAboveLimit, showBudget } from './budgets.js';
import { clientNetwork, clientSite } from './client-network.js';

declare module 'fastify' {
  interface FastifyInstance {
    networkBudgets: Record<NetworkBudgetName, NetworkBudget>;
  }
}

/**
 * Holds the routes with a `limit` to that budget per network, before anything else is looked at: no more than the limit in
 * any 60 seconds, over all processes. Refused requests do not count, so a caller who waits for `retry-after` gets through.
 */
export function limitOpenRoutes(ctx: Context, app: FastifyInstance): void {
  const { authRateLimitPerMinute, openRateLimitPerMinute } = ctx.config;
  const inTurn = atMost(connectionShares.networks);
  const budgets = networkBudgetNames.map((name) => {
    const limit = name.endsWith('auth') ? authRateLimitPerMinute : openRateLimitPerMinute;
    return [name, new NetworkBudget(ctx, { name, limit, inTurn })] as const;
  });
  app.decorate('networkBudgets', Object.fromEntries(budgets) as Record<NetworkBudgetName, NetworkBudget>);
  keepBudgets(
    ctx,
    app,
    budgets.flatMap(([, { networks, sites }]) => [networks, sites]),
  );
  app.addHook('onRequest', (request, reply, done) => {
    const budget = request.routeOptions.config.limit;
    if (budget === undefined) return done();
    takeFromBudget(reply, budget).then(() => done(), done);
  });
}

/** The budgets of networks for one thing, and those of the /48s that IPv6 networks are in. */
class NetworkBudget {
  readonly networks: Budget;
  readonly sites: Budget;

  constructor(
    ctx: Context,
    { name, limit, inTurn }: { name: NetworkBudgetName; limit: number; inTurn: ReturnType<typeof atMost> },
  ) {
    this.networks = new Budget(ctx, exactBudget(name, limit), inTurn);
    this.sites = new Budget(ctx, exactBudget(name, limit * networksPerSite), inTurn);
  }

  /** Counts a request as `count` against both budgets, or against neither when one is used up. */
  async take(ip: string, count: number): Promise<BudgetState & { limit: number }> {
    const network = clientNetwork(ip);
    const site = clientSite(ip);
    const ofNetwork = await this.networks.take(network, count);
    if (site === undefined || !ofNetwork.admitted) return { ...ofNetwork, limit: this.networks.limit };
    const putBack = () => this.networks.putBack(network, ofNetwork.grantedMs, count);
    const ofSite: TakenShare = await this.sites.take(site, count).catch((error: unknown) => {
      putBack();
      throw error;
    });
    if (!ofSite.admitted) putBack();
    return ofSite.admitted && ofNetwork.remaining <= ofSite.remaining
      ? { ...ofNetwork, limit: this.networks.limit }
      : { ...ofSite, limit: this.sites.limit };
  }

  /** Returns what is left to an address that is known to be refused; undefined for any other one. */
  refusalOf(ip: string): (BudgetState & { limit: number }) | undefined {
    const site = clientSite(ip);
    const ofNetwork = this.networks.refusalOf(clientNetwork(ip));
    if (ofNetwork) return { ...ofNetwork, limit: this.networks.limit };
    const ofSite = site === undefined ? undefined : this.sites.refusalOf(site);
    return ofSite && { ...ofSite, limit: this.sites.limit };
  }
}

/**
 * Counts the request of a reply as `count` against a budget of its network, in addition to what it was counted as before.
 * Throws `rate_limited`, and then counts nothing.
 */
export async function takeFromBudget(reply: FastifyReply, name: OpenBudgetName, count = 1): Promise<void> {
  const state = await reply.server.networkBudgets[name].take(reply.request.ip, count);
  showBudget(reply, state.limit, state);
  if (!state.admitted) throw refuseAboveLimit(state.limit, state);
}

/** Counts an invalid key. Throws `rate_limited` when its network has shown too many of them. */
export async function countGuess(reply: FastifyReply): Promise<void> {
  const state = await reply.server.networkBudgets.bad_key.take(reply.request.ip, 1);
  if (!state.admitted) throw refuseGuess(reply, state);
}

/** Throws `rate_limited` when the network of a request is known to have shown too many invalid keys. */
export function refuseGuesses(reply: FastifyReply): void {
  const known = reply.server.networkBudgets.bad_key.refusalOf(reply.request.ip);
  if (known) throw refuseGuess(reply, known);
}

function refuseGuess(reply: FastifyReply, state: BudgetState & { limit: number }): AppError {
  showBudget(reply, state.limit, state);
  const retryAfterSeconds = state.resetSeconds;
  const message = `Too many invalid keys came from your network; try again in ${retryAfterSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds });
}

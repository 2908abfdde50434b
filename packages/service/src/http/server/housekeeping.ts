import type { FastifyInstance } from 'fastify';
import { sweepExpired } from '../../actions/sweep-expired.js';
import type { Context } from '../../context.js';

const sweepEveryMs = 60_000;

/** Sweeps once a minute while the app runs. Any number of processes may do it. */
export function keepTidy(ctx: Context, app: FastifyInstance): void {
  const sweep = () => sweepExpired(ctx).catch((err: unknown) => ctx.log.warn({ err }, 'the sweep failed'));
  const timer = setInterval(sweep, sweepEveryMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

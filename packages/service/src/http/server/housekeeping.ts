import type { FastifyInstance } from 'fastify';
import { sweepExpired } from '../../actions/sweep-expired.js';
import type { Context } from '../../context.js';

const sweepEveryMs = 60_000;

/** Sweeps once a minute while the app runs, and never twice at once. Any number of processes may do it. */
export function keepTidy(ctx: Context, app: FastifyInstance): void {
  const stop = new AbortController();
  let sweeping: Promise<void> | undefined;
  const sweep = async () => {
    try {
      await sweepExpired(ctx, stop.signal);
    } catch (err) {
      if (!stop.signal.aborted) ctx.log.warn({ err }, 'the sweep failed');
    } finally {
      sweeping = undefined;
    }
  };
  const timer = setInterval(() => {
    sweeping ??= sweep();
  }, sweepEveryMs).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    stop.abort();
    await sweeping;
  });
}

import { startDeliverer } from '../../service/src/events/delivery/deliverer.js';
import { startIndexer } from '../../service/src/indexer/index.js';
import { seedDenominations } from '../../service/test/redeeming.js';
import { startTrading } from '../../service/test/trading.js';

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** The service as a partner finds it: with its indexer, webhooks and a chain that has the program. */
export async function startStack(options: Parameters<typeof startTrading>[0] = {}) {
  const config = { webhooksAllowLocal: true, ...options.config };
  const trading = await startTrading({ ...options, config });
  await seedDenominations(trading.service);
  const times = { pollMs: 50, idlePollMs: 100, finalizeMs: 50, lapseMs: 100, sweepMs: 200, electionMs: 100 };
  const indexer = startIndexer(trading.service.ctx, times);
  const deliverer = startDeliverer(trading.service.ctx);
  const baseUrl = await trading.service.app.listen({ port: 0, host: '127.0.0.1' });
  return {
    ...trading,
    baseUrl,
    async stop() {
      await deliverer.stop();
      await indexer.stop();
      await trading.stop();
    },
  };
}

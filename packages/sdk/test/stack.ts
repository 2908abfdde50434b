import { startDeliverer } from '../../service/src/events/delivery/deliverer.js';
import { startIndexer } from '../../service/src/indexer/index.js';
import { type KaratOptions, startKarat } from '../../service/test/karat.js';
import { seedDenominations } from '../../service/test/redeeming.js';

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** The service as a partner finds it: with its indexer, webhooks and a chain that has the program. */
export async function startStack(options: KaratOptions = {}) {
  const config = { webhooksAllowLocal: true, ...options.config };
  const karat = await startKarat({ ...options, config });
  await seedDenominations(karat.service);
  const times = { pollMs: 50, idlePollMs: 100, finalizeMs: 50, lapseMs: 100, sweepMs: 200, electionMs: 100 };
  const indexer = startIndexer(karat.service.ctx, times);
  const deliverer = startDeliverer(karat.service.ctx);
  const baseUrl = await karat.service.app.listen({ port: 0, host: '127.0.0.1' });
  return {
    ...karat,
    baseUrl,
    async stop() {
      await deliverer.stop();
      await indexer.stop();
      await karat.stop();
    },
  };
}

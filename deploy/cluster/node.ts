/**
 * The Solana node of the cluster: the sandbox's localnet with the program, the seeded accounts and a price of gold, on
 * its own. Usage: node.ts STATE-FOLDER PORT
 */
import { startLocalnet } from '../../packages/sandbox/src/localnet.js';
import { createPricePublisher } from '../../packages/sandbox/src/price-publisher.js';
import { openStateFolder } from '../../packages/sandbox/src/state-folder.js';
import { openWorld } from '../../packages/sandbox/src/world.js';

const [stateDir = '', port = ''] = process.argv.slice(2);
const folder = await openStateFolder(stateDir, { reset: false });
if (!folder.state) throw new Error(`${stateDir} has not been seeded`);
const world = await openWorld(folder, folder.state);
const publisher = createPricePublisher(world.prices);
const node = await startLocalnet({
  ledger: folder.file('chain'),
  host: '127.0.0.1',
  rpcPort: Number.parseInt(port, 10),
  world,
  publisher,
});
publisher.start(node);
const stop = async () => {
  publisher.stop();
  await node.stop();
  folder.release();
  process.exit(0);
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

import { Localnet } from '@karat/localnet';

/** A node as a process of its own, for tests that kill it. Argument: the ledger's folder. Prints its port. */
const node = await Localnet.start({ ledger: process.argv[2], rpcPort: 0, slotMs: 50 });
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
console.log(node.rpcPort);

import { Localnet } from '@karat/localnet';

/**
 * A node as a process of its own, for tests that kill it. Arguments: the ledger's folder, the length of a slot in
 * milliseconds. Prints its port.
 */
const [ledger, slotMs] = process.argv.slice(2);
const node = await Localnet.start({ ledger, rpcPort: 0, slotMs: Number(slotMs) });
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
console.log(node.rpcPort);

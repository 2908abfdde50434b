import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Localnet } from '@karat/localnet';
import { programDataAddress } from '@karat/service/seed';
import { portError } from './ports.js';
import type { PricePublisher } from './price-publisher.js';
import { UserError } from './user-error.js';
import type { World } from './world.js';

const programFile = fileURLToPath(new URL('../../../program/karat.so', import.meta.url));

/** Starts the sandbox's own node: its ledger in the state folder, Karat's program deployed, prices published. */
export async function startLocalnet(options: {
  ledger: string;
  host: string;
  rpcPort: number;
  world: World;
  publisher: PricePublisher;
}): Promise<Localnet> {
  if (!existsSync(programFile)) throw new UserError(`The on-chain program is missing: ${programFile}`);
  const { world, publisher, host, rpcPort, ledger } = options;
  const so = readFileSync(programFile);
  const program = { address: world.programAddress, so, upgradeAuthority: world.admin.address };
  let node: Localnet;
  try {
    node = await Localnet.start({ ledger, host, rpcPort, programs: [program], methods: publisher.methods });
  } catch (error) {
    throw portError(error, host, rpcPort, '--rpc-port');
  }
  await upgrade(node, world, so);
  return node;
}

/** Bytes of a ProgramData account before the code: u32 3, slot u64, upgrade authority as an option. */
const headBytes = 45;

/** A state folder of an earlier Karat holds an earlier program: puts this one's in its place, as an upgrade would. */
async function upgrade(node: Localnet, world: World, so: Buffer): Promise<void> {
  const dataAddress = await programDataAddress(world.programAddress);
  const [program, data] = [node.getAccount(world.programAddress), node.getAccount(dataAddress)];
  if (!program || !data) throw new Error('The program was not deployed');
  if (so.equals(data.data.subarray(headBytes))) return;
  const upgraded = Buffer.concat([data.data.subarray(0, headBytes), so]);
  node.setAccount(dataAddress, { ...data, data: upgraded });
  node.setAccount(world.programAddress, program);
}

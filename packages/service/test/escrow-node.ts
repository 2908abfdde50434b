import { Localnet } from '@karat/localnet';
import { findConfigPda, getConfigEncoder } from '@karat/program-client';
import { givenConfig } from './chain/fixtures.js';
import { newWallet } from './harness.js';
import { openRedemptionsOn } from './opened-redemptions.js';

export type EscrowNode = Awaited<ReturnType<typeof startEscrowNode>>;

/** A node that knows the program's configuration, and the redemptions that tests write to the database. */
export async function startEscrowNode() {
  const node = await Localnet.start({ rpcPort: 0 });
  const programId = newWallet().address;
  const [config] = await findConfigPda({ programAddress: programId });
  const write = (address: string, owner: string, data: Uint8Array) =>
    node.setAccount(address, { lamports: 10_000_000n, owner, data, executable: false });
  write(config, programId, Uint8Array.from(getConfigEncoder().encode(givenConfig({}))));
  openRedemptionsOn(programId, node);
  return {
    /** Settings of a service that reads this node. */
    config: { rpcUrls: [node.rpcUrl], wsUrls: [node.wsUrl], programId },
    stop: () => node.stop(),
  };
}

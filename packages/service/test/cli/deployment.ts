import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Localnet } from '@karat/localnet';
import { cloneTemplate, newWallet, type Wallet } from '../harness.js';
import type { Env } from './run-karat.js';

const so = readFileSync(new URL('../../../../program/karat.so', import.meta.url));
const roles = ['service', 'admin', 'operations', 'guardian', 'market', 'spare'] as const;

/**
 * What somebody has who is about to run Karat: an empty database, a node with the program deployed and not initialized,
 * key files with SOL, and the settings that name all of it.
 */
export async function emptyDeployment() {
  const folder = mkdtempSync(join(tmpdir(), 'karat-deployment-'));
  const database = await cloneTemplate('template0');
  const keys = Object.fromEntries(roles.map((role) => [role, newWallet()])) as Record<
    (typeof roles)[number],
    Wallet
  >;
  const fileOf = (role: (typeof roles)[number]) => join(folder, `${role}.json`);
  for (const role of roles) {
    writeFileSync(fileOf(role), JSON.stringify([...keys[role].secretKey]), { mode: 0o600 });
  }
  const program = newWallet().address;
  const finalProgram = newWallet().address;
  const node = await Localnet.start({
    rpcPort: 0,
    slotMs: 100,
    programs: [
      { address: program, so, upgradeAuthority: keys.admin.address },
      { address: finalProgram, so },
    ],
  });
  for (const role of ['service', 'admin', 'operations', 'guardian', 'market'] as const) {
    node.airdrop(keys[role].address, 10_000_000_000n);
  }
  const env: Env = {
    DATABASE_URL: database.url,
    KARAT_RPC_URL: node.rpcUrl,
    KARAT_WS_URL: node.wsUrl,
    KARAT_PROGRAM_ID: program,
    KARAT_SERVICE_SIGNER: fileOf('service'),
    KARAT_ADMIN_SIGNER: fileOf('admin'),
    KARAT_OPERATIONS_SIGNER: fileOf('operations'),
    KARAT_GUARDIAN_SIGNER: fileOf('guardian'),
    KARAT_MARKET_SIGNER: fileOf('market'),
    KARAT_PORT: '0',
    KARAT_OPERATOR_PORT: '0',
  };
  return {
    env,
    keys,
    node,
    program,
    /** The same program without an upgrade authority. */
    finalProgram,
    folder,
    fileOf,
    async close() {
      await node.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import type { SandboxOptions } from './options.js';
import { requireFreePort } from './ports.js';
import { checkEnvironment } from './service-config.js';
import { openStateFolder, type StateFolder } from './state-folder.js';

/**
 * Everything that can keep a sandbox from starting and takes no time to see: settings, state folder, ports. Imports
 * nothing heavy, so that a refusal comes at once. Throws a `UserError`; returns the folder, locked.
 */
export async function preflight(
  options: SandboxOptions,
  env: Record<string, string | undefined>,
): Promise<StateFolder> {
  checkEnvironment(env);
  const folder = await openStateFolder(options.stateDir, { reset: options.reset });
  try {
    await requirePorts(options);
    if (options.reset) await folder.clear();
    return folder;
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function requirePorts(options: SandboxOptions): Promise<void> {
  const { host, port, rpcPort } = options;
  if (port !== 0) await requireFreePort(host, port, '--port');
  if (options.rpcUrl !== undefined || rpcPort === 0) return;
  await requireFreePort(host, rpcPort, '--rpc-port');
  await requireFreePort(host, rpcPort + 1, '--rpc-port (WebSocket is one above it)');
}

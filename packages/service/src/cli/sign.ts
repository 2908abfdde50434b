import { openGuardedKeys } from '../chain/sign/keys.js';
import { serveKeys } from '../chain/sign/sign-server.js';
import { systemClock } from '../clock.js';
import { ConfigError, readSigningConfig } from '../config.js';
import { createLogger } from '../log.js';
import { type Call, type Outcome, UsageError } from './command.js';

/** `sign`: holds the keys, with the policy before each, for processes that reach them by a Unix socket. */
export async function sign(call: Call): Promise<Outcome> {
  const config = readSigningConfig(call.env);
  const log = createLogger(config.logLevel);
  const keys = await openGuardedKeys(config, systemClock, (refused) =>
    log.error({ refused }, 'a signature was refused'),
  );
  if (Object.keys(keys).length === 0) {
    throw new ConfigError('No key is named: set KARAT_SERVICE_SIGNER, or that of another key');
  }
  const path = call.get('socket');
  let server: Awaited<ReturnType<typeof serveKeys>>;
  try {
    server = await serveKeys(path, keys);
  } catch (error) {
    const cause = error instanceof Error ? error.message : 'no reason';
    throw new UsageError(`${call.sourceOf('socket')}: nothing can listen there: ${cause}`);
  }
  const addresses = Object.fromEntries(Object.entries(keys).map(([name, { address }]) => [name, address]));
  log.info({ socket: path, keys: addresses }, 'signs');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(0)));
  }
  return 'running';
}

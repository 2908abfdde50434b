import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { ConfigError, readConfig } from './config.js';
import { openKeys } from './keys.js';
import { serveKeys } from './sign-server.js';
import type { Signer } from './signer.js';

const help = `karat-signer --socket PATH

Holds the keys in a process of its own, with the policy before each signature. The service reaches it with
KARAT_SERVICE_SIGNER=socket:PATH, and likewise for the other keys. It needs no database and no node, only
KARAT_PROGRAM_ID, the KARAT_…_SIGNER settings of the keys that it holds, and the limits KARAT_SIGN_…. It refuses
the service's other settings: give it an environment of its own. One process holds the keys of one caller: those of
quotes, those that operators use, or those of the keeper.

  --socket PATH  the Unix socket, for this user and its group
  --help         show this help
`;

/** A mistake of the caller: reported in one line, exit code 2. */
class UsageError extends Error {}

function readSocket(): string | undefined {
  let values: { socket?: string; help?: boolean };
  try {
    ({ values } = parseArgs({ options: { socket: { type: 'string' }, help: { type: 'boolean' } } }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return undefined;
  if (values.socket) return values.socket;
  throw new UsageError('--socket PATH is missing');
}

async function run(path: string): Promise<void> {
  const { env } = process;
  const config = readConfig(env);
  const log = pino({
    level: config.logLevel,
    base: null,
    formatters: { level: (name) => ({ level: name }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
  const keys = await openKeys(config, env, (refused) => log.error({ refused }, 'a signature was refused'));
  if (Object.keys(keys).length === 0) {
    throw new ConfigError('No key is named: set KARAT_SERVICE_SIGNER, or that of another key');
  }
  const onFailure = ({ address: key }: Signer, err: unknown) =>
    log.error({ key, err }, 'a key does not sign');
  const { stop } = await serveKeys(path, keys, onFailure).catch((error: unknown) => {
    const cause = error instanceof Error ? error.message : 'no reason';
    throw new UsageError(`--socket: nothing can listen there: ${cause}`);
  });
  const addresses = Object.fromEntries(Object.entries(keys).map(([name, { address }]) => [name, address]));
  log.info({ socket: path, keys: addresses }, 'signs');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(0)));
  }
}

try {
  const path = readSocket();
  if (path === undefined) process.stdout.write(help);
  else await run(path);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}

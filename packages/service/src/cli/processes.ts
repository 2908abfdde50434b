import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { parseCommands } from '../commands.js';
import { type Config, ConfigError, ownerUrlVariable, readConfig } from '../config.js';
import { toInteger } from '../domain/integer.js';
import { describeError } from '../log.js';
import { primaryVariable } from '../workers/messages.js';
import { type Call, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';

/** Process managers start workers of their own, such as pm2 in its cluster mode, which have no primary of ours. */
const isForeignWorker = cluster.isWorker && process.env[primaryVariable] !== String(process.ppid);
/** Whether another process of ours started this one to serve, by its own command line. */
const isWorker = cluster.isWorker && !isForeignWorker;

/** An orderly stop that takes longer than this is broken off. */
const stopWithinMs = 10_000;

/** `serve`, `index`, `keep`, `deliver`, or several of them: ends on SIGINT or SIGTERM, what is under way first. */
export async function start(call: Call): Promise<Outcome> {
  const wanted = parseCommands(call.words);
  if (!wanted) {
    const words = quoted(call.words.join(' '));
    throw new UsageError(`karat cannot start ${words}: karat --help lists what it can start`);
  }
  if (call.terminal.env[ownerUrlVariable]) {
    throw new ConfigError(
      `${ownerUrlVariable} is the address of the tables' owner, which only commands may use: unset it for processes`,
    );
  }
  const config = readConfig(call.env);
  if (wanted.has('serve') && config.serviceSignerUrl === undefined) {
    throw new ConfigError('KARAT_SERVICE_SIGNER is not set: karat serve signs quotes with its key');
  }
  if (wanted.has('serve') && config.pickupSecret === undefined) {
    throw new ConfigError('KARAT_PICKUP_SECRET is not set: karat serve draws pickup codes from it');
  }
  for (const command of ['serve', 'deliver'] as const) {
    if (wanted.has(command) && config.kycKeyUrl === undefined) {
      throw new ConfigError(
        `KARAT_KYC_KEY is not set: karat ${command} reads KYC data, which its key encrypts`,
      );
    }
  }
  const workers = workersOf(call, wanted);
  // All that serving needs takes a while to load: what is wrong with the settings is said before.
  const { run } = await import('../run.js');
  if (isWorker) return work(config, workers);
  const service = await run(wanted, config, workers);
  const stop = stopper(service);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.isStopping()) fail('Stopped at once, on the second signal.');
      stop.begin();
    });
  }
  return 'running';
}

/** Returns how many processes serve. */
function workersOf(call: Call, wanted: ReadonlySet<string>): number {
  const given = call.find('workers');
  if (given === undefined && isForeignWorker) return 1;
  if (given === undefined) {
    return call.terminal.env.NODE_ENV === 'production' && wanted.has('serve') ? availableParallelism() : 1;
  }
  if (!wanted.has('serve')) {
    // All processes may share one environment.
    if (!call.sourceOf('workers').startsWith('--')) return 1;
    throw new UsageError('--workers is for karat serve');
  }
  if (isForeignWorker && given !== '1') {
    throw new UsageError(
      `${call.sourceOf('workers')} starts processes, which a worker of another process manager cannot: let one of them start processes, not both`,
    );
  }
  const count = /^\d{1,2}$/.test(given) ? toInteger(given) : 0;
  if (count >= 1 && count <= mostWorkers) return count;
  throw new UsageError(`${call.sourceOf('workers')} must be a whole number from 1 to ${mostWorkers}`);
}

const mostWorkers = 64;
/** So that a few slow statements do not keep a worker from looking keys up. */
const leastConnections = 6;

/** Serves as one of `workers`, which have the connections to the database of one process among them. */
async function work(config: Config, workers: number): Promise<Outcome> {
  const [{ runWorker }, { Primary }] = await Promise.all([
    import('../run.js'),
    import('../workers/worker.js'),
  ]);
  // The terminal sends Ctrl-C to every process; this one stops when its primary asks it to.
  process.on('SIGINT', () => {});
  let stop: ReturnType<typeof stopper> | undefined;
  const primary = new Primary(() => (stop ? stop.begin() : process.exit(1)));
  const databasePoolSize = Math.max(leastConnections, Math.floor(config.databasePoolSize / workers));
  try {
    stop = stopper(await runWorker({ ...config, databasePoolSize }, primary));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    await primary.refuse(error.message);
    process.exit(1);
  }
  process.on('SIGTERM', () => stop?.begin());
  return 'running';
}

/** Stops a service once, and ends the process when that is done or takes too long. */
function stopper(service: { stop(): Promise<void> }) {
  let stopping = false;
  return {
    isStopping: () => stopping,
    begin() {
      if (stopping) return;
      stopping = true;
      setTimeout(() => fail(`Did not stop within ${stopWithinMs} ms.`), stopWithinMs).unref();
      service.stop().then(
        () => process.exit(0),
        (error: unknown) => fail(JSON.stringify(describeError(error))),
      );
    },
  };
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

import { parseCommands } from '../commands.js';
import { ConfigError, ownerUrlVariable, readConfig, refusedBy } from '../config.js';
import { describeError } from '../log.js';
import { type Call, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';

/** An orderly stop that takes longer than this is broken off. */
const stopWithinMs = 10_000;

/** `serve` or one of its surfaces, `index`, `keep`, `deliver`, or several of them: ends on SIGINT or SIGTERM, what is under way first. */
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
  const [refused] = refusedBy(wanted, config);
  if (refused) throw new ConfigError(refused.message);
  // All that serving needs takes a while to load: what is wrong with the settings is said before.
  const { run } = await import('../run.js');
  const service = await run(wanted, config);
  const stop = stopper(service);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.isStopping()) fail('Stopped at once, on the second signal.');
      stop.begin();
    });
  }
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

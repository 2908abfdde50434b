import { parseCommands } from '../commands.js';
import { ConfigError, ownerUrlVariable, readConfig } from '../config.js';
import { describeError } from '../log.js';
import { type Call, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';

/** An orderly stop that takes longer than this is broken off. */
const stopWithinMs = 10_000;

/** `serve`, `index`, `keep`, or several of them: ends on SIGINT or SIGTERM, what is under way first. */
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
  if (wanted.has('serve') && config.serviceKeypair === undefined) {
    throw new ConfigError('KARAT_SERVICE_KEYPAIR is not set: karat serve signs quotes with its key');
  }
  // All that serving needs takes a while to load: what is wrong with the settings is said before.
  const { run } = await import('../run.js');
  const service = await run(wanted, config);
  let stopping = false;
  const stop = () => {
    if (stopping) fail('Stopped at once, on the second signal.');
    stopping = true;
    setTimeout(() => fail(`Did not stop within ${stopWithinMs} ms.`), stopWithinMs).unref();
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(JSON.stringify(describeError(error))),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  return 'running';
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

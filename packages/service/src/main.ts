import { ConfigError, readConfig } from './config.js';
import { describeError } from './log.js';

/** An orderly stop that takes longer than this is broken off. */
const stopWithinMs = 10_000;

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Text of an error that keeps the process from starting: what an operator needs, without any setting's value. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return `Karat did not start: ${JSON.stringify(describeError(error))}`;
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => fail(JSON.stringify({ level: 60, msg: event, err: describeError(error) })));
}

if (process.argv[2] === 'operator') {
  const { operatorCommand } = await import('./operator-command.js');
  const { ok, text } = await operatorCommand(process.argv.slice(3), process.env);
  if (!ok) fail(text);
  process.stdout.write(`${text}\n`);
  process.exit(0);
}

// Loaded here, because an operator's command is done before all that serving needs is read.
const { commands, parseCommands, run, staysUp } = await import('./run.js');
const usage = `usage: karat-service <${commands.join('|')}>[,…]   (several at once: serve,index,keep)`;
const wanted = parseCommands(process.argv.slice(2)) ?? fail(usage);
const service = await Promise.resolve()
  .then(() => run(wanted, readConfig(process.env)))
  .catch((error: unknown) => fail(explain(error)));

let stopping = false;
function stop(): void {
  if (stopping) fail('Stopped at once, as asked twice.');
  stopping = true;
  setTimeout(() => fail(`Did not stop within ${stopWithinMs} ms.`), stopWithinMs).unref();
  service.stop().then(
    () => process.exit(0),
    (error: unknown) => fail(JSON.stringify(describeError(error))),
  );
}

if (staysUp(wanted)) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

import { karat } from './cli/karat.js';
import { describeError } from './log.js';

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: event, err: describeError(error) })}\n`);
    process.exit(1);
  });
}

const { env, stdin, stderr } = process;
const ending = await karat(process.argv.slice(2), { env, stdin, stderr });
if (ending !== 'running') {
  for (const line of ending.stderr) process.stderr.write(`${line}\n`);
  for (const line of ending.stdout) process.stdout.write(`${line}\n`);
  process.exitCode = ending.exitCode;
  // Nothing is left to do; what a library still holds open, such as a subscription that ends, must not keep it here.
  process.stdout.write('', () => process.exit());
}

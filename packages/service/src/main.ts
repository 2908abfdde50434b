import { styleText } from 'node:util';
import { karat } from './cli/karat.js';
import { createProgress } from './cli/progress.js';
import { describeError } from './log.js';

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    process.stderr.write(`${JSON.stringify({ level: 'fatal', msg: event, err: describeError(error) })}\n`);
    process.exit(1);
  });
}

const { env, stdin, stdout, stderr } = process;
const { during, write } = createProgress(stderr);
const ending = await karat(process.argv.slice(2), {
  ...{ env, stdin, stderr: { write }, during },
  paint: (style, text) => styleText(style, text, { stream: stdout }),
});
if (ending !== 'running') {
  for (const line of ending.stderr) stderr.write(`${styleText('red', line, { stream: stderr })}\n`);
  for (const line of ending.stdout) stdout.write(`${line}\n`);
  process.exitCode = ending.exitCode;
  // Nothing is left to do; what a library still holds open, such as a subscription that ends, must not keep it here.
  stdout.write('', () => process.exit());
}

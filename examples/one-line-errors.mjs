// Imported by the other examples: what none of them catches ends the script in one line, without a stack trace, and exit code 1.
import { dirname } from 'node:path';

process.on('uncaughtException', (error) => {
  console.error(lineOf(error).replace(/\s*\n\s*/g, ' '));
  process.exit(1);
});

function lineOf({ code, message, path, cause }) {
  if (code === 'ENOENT' && path?.endsWith('sandbox.json')) {
    return `No sandbox is running on ${dirname(path)}; start one with: npm start`;
  }
  // Node's fetch has the reason in its cause, for several addresses only as a code.
  const reason = message === 'fetch failed' ? `: ${cause?.message || cause?.code}` : '';
  const kind = typeof code === 'string' && !message.startsWith(code) ? `${code}: ` : '';
  return `${kind}${message}${reason}`;
}

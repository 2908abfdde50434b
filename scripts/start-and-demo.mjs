// Starts the sandbox on a new folder, plays the demo against it and stops it, with the Node that runs this script.
// Fails when one of them does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = mkdtempSync(join(tmpdir(), 'karat-demo-'));
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
const freePorts = ['--port', '0', '--operator-port', '0', '--rpc-port', '0'];

/** Runs a script of package.json in a process group of its own, as a terminal does. */
function run(script, ...args) {
  const command = ['run', '--silent', script, '--', '--state-dir', folder, ...args];
  return spawn('npm', command, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Prints what a process prints; resolves at a line with that text, or with false when there is none. */
async function printed(child, text) {
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    if (line.includes(text)) return true;
  }
  return false;
}

console.log(`Node ${process.version}`);
const sandbox = run('start', ...freePorts);
const stopped = once(sandbox, 'exit');
let failed = true;
try {
  if (await printed(sandbox, 'Karat is ready')) {
    sandbox.stdout.pipe(process.stdout);
    const demo = run('demo');
    demo.stdout.pipe(process.stdout);
    const [code] = await once(demo, 'exit');
    failed = code !== 0;
  }
} finally {
  if (sandbox.exitCode === null) process.kill(-sandbox.pid, 'SIGINT');
  const [code] = await stopped;
  if (code !== 0) failed = true;
  rmSync(folder, { recursive: true, force: true });
}
if (failed) console.error(`Start and demo failed on Node ${process.version}`);
process.exitCode = failed ? 1 : 0;

/**
 * The watchdog of a server of the cluster: what /dev/watchdog is to a machine of its own. Patroni sets a time and has to
 * write within it, again and again; a server whose Patroni does not is reset: all of its processes are killed, and runit
 * starts them again. Usage: watchdog.mjs PIPE DATA-FOLDER SERVICE-FOLDER...
 */
import { spawnSync } from 'node:child_process';
import { constants, createReadStream, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [pipe = '', data = '', ...services] = process.argv.slice(2);
const numberIn = (file) => {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
};

let seconds = 60;
let timer;
function reset() {
  const postmaster = numberIn(join(data, 'postmaster.pid'));
  const sessions = postmaster
    ? spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' }).stdout.split(/\s+/)
    : [];
  const pids = [
    ...services.map((folder) => numberIn(join(folder, 'supervise/pid'))),
    postmaster,
    ...sessions,
  ];
  console.log(`${new Date().toISOString()} nothing for ${seconds} s: reset`);
  spawnSync('kill', ['-KILL', ...pids.filter(Boolean).map(String)]);
}

// As a reader and a writer, so that it stays open while Patroni is away.
const stream = createReadStream('', { fd: openSync(pipe, constants.O_RDWR), encoding: 'latin1' });
stream.on('data', (text) => {
  const [, set] = /Ctimeout=(\d+)\n/.exec(text) ?? [];
  if (set) seconds = Number.parseInt(set, 10);
  clearTimeout(timer);
  // The last byte of a Patroni that stops in order, or is no longer primary.
  timer = text.endsWith('V') ? undefined : setTimeout(reset, seconds * 1_000);
});

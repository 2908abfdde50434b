import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Ledger } from '../src/ledger.js';
import { takeLock } from '../src/lock.js';
import { bundle } from './bundle.js';

/** No process has a number above the largest that Linux gives out. */
const gone = (nth = 1) => `${2 ** 22 + nth} lock.00000000000${nth}`;
const inUse = (pid: number) => new Error(`in use by ${pid}`);

function freshFolder(): string {
  // In memory, where there is enough of it: the disk of a busy machine would be most of what is waited for.
  const folder = mkdtempSync(join(process.env.KARAT_TEST_FOLDER ?? tmpdir(), 'localnet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What is in a folder, but for the files of those who hold or want its lock. */
const linksIn = (folder: string) => readdirSync(folder).filter((name) => !/\.[0-9a-f]{12}$/.test(name));

/** Arguments of a script that locks a file as the owner of a lock does, writes its number and waits for so many milliseconds. */
const holding = (file: string) => [
  `const database = new (require(process.argv[1]))(process.argv[2]);
  database.exec('pragma journal_mode = memory; begin exclusive');
  console.log(process.pid);
  setTimeout(() => {}, Number(process.argv[3]));`,
  createRequire(import.meta.url).resolve('libsql'),
  file,
];

function lockPath(): { folder: string; path: string } {
  const folder = freshFolder();
  return { folder, path: join(folder, 'lock') };
}

test('a lock is taken once, shown to others, and gone when released', () => {
  const { folder, path } = lockPath();
  const lock = takeLock(path, inUse);
  expect(lock.isHeld()).toBe(true);
  expect(linksIn(folder)).toEqual(['lock']);
  expect(() => takeLock(path, inUse)).toThrow(`in use by ${process.pid}`);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock that was deleted or replaced is not ours, and is not released', () => {
  const { path } = lockPath();
  const lock = takeLock(path, inUse);
  rmSync(path);
  expect(lock.isHeld()).toBe(false);
  writeFileSync(path, 'another');
  expect(lock.isHeld()).toBe(false);
  lock.release();
  expect(readFileSync(path, 'utf8')).toBe('another');
});

test.each([
  ['of a process that is gone', (path: string) => symlinkSync(gone(), path)],
  [
    'of an earlier process with a number used again',
    (path: string) => {
      writeFileSync(`${path}.0123456789ab`, '');
      symlinkSync(`${process.pid} lock.0123456789ab`, path);
    },
  ],
  ['that names no process', (path: string) => symlinkSync('0', path)],
  ['that is an empty file', (path: string) => writeFileSync(path, '')],
  ['that is another file', (path: string) => writeFileSync(path, `${process.pid} 1\n`)],
])('a lock %s is taken over', (_, leave) => {
  const { folder, path } = lockPath();
  leave(path);
  const lock = takeLock(path, inUse);
  expect(readlinkSync(path)).toMatch(new RegExp(`^${process.pid} `));
  expect(linksIn(folder)).toEqual(['lock']);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a leftover of a process that died while it removed the lock of a dead one is no obstacle', () => {
  const { folder, path } = lockPath();
  symlinkSync(gone(1), path);
  symlinkSync(gone(2), `${path}.removing`);
  symlinkSync(gone(3), `${path}.removing.removing`);
  takeLock(path, inUse);
  expect(linksIn(folder)).toEqual(['lock']);
});

test('a process that stopped while it removed the lock of a dead one is named', () => {
  const { path } = lockPath();
  symlinkSync(gone(), path);
  const removing = takeLock(`${path}.removing`, inUse);
  expect(() => takeLock(path, inUse)).toThrow(`in use by ${process.pid}`);
  removing.release();
  takeLock(path, inUse);
});

// Only /proc distinguishes such a process from a running one.
test.runIf(process.platform === 'linux')(
  'a lock of a process that has ended, but that its parent has not collected, is taken over',
  async () => {
    const { path } = lockPath();
    // The child ends when its parent has become a `sleep`, which never collects it.
    const command = '"$0" -e "$1" "$2" "$3" 300 & exec sleep 30';
    const shell = spawn('sh', ['-c', command, process.execPath, ...holding(`${path}.0123456789ab`)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void shell.kill());
    const pid = Number(String((await once(shell.stdout, 'data'))[0]));
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    await vi.waitFor(() => expect(stat()[2]).toBe('Z'), { timeout: 10_000 });
    symlinkSync(`${pid} lock.0123456789ab`, path);
    takeLock(path, inUse);
  },
);

test('a lock of another container, where its process has another number, holds until that process is gone', async () => {
  const { path } = lockPath();
  const holder = spawn(process.execPath, ['-e', ...holding(`${path}.0123456789ab`), '30000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  // No process has that number here.
  symlinkSync(gone().replace(/ .*/, ' lock.0123456789ab'), path);
  expect(() => takeLock(path, inUse)).toThrow(`in use by ${2 ** 22 + 1}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  takeLock(path, inUse).release();
});

const OPENERS = 4;
const ROUNDS = 200;

/** Processes that open the same ledger at once; gives what each said. */
async function startOpeners(): Promise<(line: string) => Promise<string[]>> {
  const script = await bundle('./opening-process.ts');
  const children: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(dirname(script), { recursive: true });
  });
  const says = Array.from({ length: OPENERS }, () => {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return async (line: string): Promise<string> => {
      child.stdin.write(`${line}\n`);
      return String((await lines.next()).value);
    };
  });
  return (line) => Promise.all(says.map((say) => say(line)));
}

/** What a ledger's folder may hold before several open it at once. */
const LEFT: readonly ((folder: string) => void)[] = [
  () => undefined,
  (folder) => symlinkSync(gone(), join(folder, 'lock')),
  (folder) => writeFileSync(join(folder, 'lock'), `${2 ** 22 + 1} 1\n`),
  (folder) => writeFileSync(join(folder, 'lock'), ''),
];

test(`exactly one of ${OPENERS} processes that open a ledger at once gets it, also from a dead one`, {
  timeout: 180_000,
}, async () => {
  const root = freshFolder();
  const all = await startOpeners();
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = join(root, String(round));
    mkdirSync(folder);
    LEFT[round % LEFT.length]?.(folder);
    const outcomes = await all(folder);
    const winners = outcomes.filter((outcome) => outcome.startsWith('open '));
    const others = outcomes.filter((outcome) => outcome.includes('is in use by process'));
    expect([winners.length, others.length], outcomes.join('\n')).toEqual([1, OPENERS - 1]);
    // The chain that runs is the one on disk.
    await all('');
    expect(readdirSync(folder)).toEqual(['chain.db']);
    const ledger = new Ledger(folder, () => false);
    expect(winners).toEqual([`open ${ledger.nonce.toString('hex')}`]);
    ledger.close();
  }
});

import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../../scripts/compile.mjs';
import { version } from '../../src/version.js';
import { cloneTemplate } from '../harness.js';

/** `karat` from packed tarballs, next to the packages that it depends on and none that only development needs. */
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const packages = ['program-client', 'service', 'signer', 'wire'];
const patience = 120_000;
let folder: string;
let database: Awaited<ReturnType<typeof cloneTemplate>>;

beforeAll(async () => {
  database = await cloneTemplate('template0');
  folder = mkdtempSync(join(tmpdir(), 'karat-installed-'));
  const modules = join(folder, 'node_modules');
  linkProductionPackages(modules);
  if (!compile('packages/service')) throw new Error('the service does not compile');
  // All at once: npm takes longer to start than to pack.
  const workspaces = packages.flatMap((name) => ['--workspace', join('packages', name)]);
  const packed = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--pack-destination', folder, ...workspaces],
    {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  for (const [index, tarball] of packed.trim().split('\n').entries()) {
    const target = join(modules, '@karat', packages[index] ?? '');
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components=1']);
  }
}, patience);
afterAll(async () => {
  await database?.drop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The packages that ours name as their dependencies, and no others: what they bring themselves is found from there. */
function linkProductionPackages(modules: string): void {
  for (const name of packages) {
    const file = join(root, 'packages', name, 'package.json');
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) {
      const link = join(modules, dependency);
      if (dependency.startsWith('@karat/') || existsSync(link)) continue;
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(root, 'node_modules', dependency), link);
    }
  }
}

async function karat(bin: string, args: string[], env: Record<string, string> = {}) {
  const options = { env: { PATH: process.env.PATH, ...env }, cwd: folder };
  const run = promisify(execFile)(process.execPath, [bin, ...args], options);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

const installedBin = () => join(folder, 'node_modules/@karat/service/bin/karat.mjs');

test('the tarball holds the build and what it reads, and no source', () => {
  const names = readdirSync(dirname(dirname(installedBin()))).sort();
  expect(names).toEqual(['assets', 'bin', 'dist', 'drizzle', 'market-holidays.json', 'package.json']);
});

test('the installed command works without development dependencies', { timeout: patience }, async () => {
  expect(await karat(installedBin(), ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const env = { DATABASE_URL: database.url };
  expect(await karat(installedBin(), ['migrate'], env)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await karat(installedBin(), ['serve'], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'KARAT_RPC_URL is not set\n',
  });
  const { code, stdout } = await karat(installedBin(), ['doctor'], env);
  expect([code, stdout]).toEqual([1, expect.stringContaining("responds and has this version's schema")]);
});

test('a built checkout works without development dependencies', { timeout: patience }, async () => {
  const checkout = join(folder, 'node_modules/@karat/checkout');
  cpSync(dirname(dirname(installedBin())), checkout, { recursive: true });
  cpSync(join(root, 'packages/service/src'), join(checkout, 'src'), { recursive: true });
  const bin = join(checkout, 'bin', basename(installedBin()));
  expect(await karat(bin, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  rmSync(join(checkout, 'dist'), { recursive: true });
  expect(await karat(bin, ['--version'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'karat is not built: run npm run build, with the development dependencies installed\n',
  });
});

test('karat-signer runs from its tarball', async () => {
  const bin = join(folder, 'node_modules/@karat/signer/bin/karat-signer.mjs');
  const { code, stdout } = await karat(bin, ['--help']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^karat-signer --socket PATH\n/)]);
  expect((await karat(bin, ['--socket', join(folder, 'x')])).stderr).toBe('KARAT_PROGRAM_ID is not set\n');
});

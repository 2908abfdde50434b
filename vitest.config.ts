import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compile } from './scripts/compile.mjs';

/**
 * Where databases of tests live: in memory, where there is enough of it. PostgreSQL makes hundreds of files for each
 * database, which takes a third of a second of processor time on a disk and a tenth of that in memory.
 */
function testFolder(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 30 ? memory : tmpdir();
}
process.env.KARAT_TEST_FOLDER ??= testFolder();

/** Files that take long though they are short, which is how vitest judges a file that it has not run before. */
const long =
  /\/(idle-requests|any-request\.\w+|bad-input\.operator|idempotency-crash\.operator|trouble|crash|main|installed|kill|memory|life|trigger|arithmetic|tail|integrators|refusing-node|fee-budget)\.test\.ts$/;

/** Folders of tests in the order in which they run: those whose files take minutes begin, and short files are left for the end. */
const order = [
  'packages/sandbox',
  'packages/console',
  'packages/service',
  'deploy',
  'packages/sdk',
  'packages/signer',
  'packages/localnet',
  'program',
  'packages/wire',
].map((folder) => join(import.meta.dirname, folder, '/'));

/** Begins with the long folders, and with the long files of each: one that comes last has the other cores wait for it. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) =>
      2 * order.findIndex((folder) => moduleId.startsWith(folder)) + (long.test(moduleId) ? 0 : 1);
    return sorted.sort((left, right) => rank(left) - rank(right));
  }
}

// Types that are wrong are printed, and do not keep tests from running.
compile('packages/sandbox');

/**
 * Packages whose sources tests get as they are compiled, which is what production runs. Node loads them by itself: as vitest loads
 * a module, each use of an import is a look-up.
 */
const compiledPackages = ['program-client', 'wire', 'signer', 'localnet', 'service', 'sdk', 'sandbox'];
const sourceOf = new RegExp(`^(.*/packages/(?:${compiledPackages.join('|')}))/src/(.*)\\.ts$`);
const compiled: Plugin = {
  name: 'compiled',
  enforce: 'pre',
  async resolveId(name, importer, options) {
    if (!/^\.{1,2}\//.test(name)) return null;
    const found = await this.resolve(name, importer, { ...options, skipSelf: true });
    const source = sourceOf.exec(found?.id ?? '');
    return source ? `${source[1]}/dist/${source[2]}.js` : found;
  },
};

/** One project a package, so that `npx vitest run --project service` runs one suite. */
const project = (
  name: string,
  include: string[],
  options: {
    globalSetup?: string[];
    setupFiles?: string;
  } = {},
) => ({
  plugins: [compiled],
  // The environment in which vitest loads what is set up globally.
  environments: { __vitest__: { resolve: { conditions: ['source', 'node', 'module', 'import'] } } },
  test: {
    name,
    include,
    ...options,
    pool: 'forks' as const,
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    // Modules are loaded once a worker instead of once a file: files share no state beyond them, and loading costs more than most tests.
    isolate: false,
    // A machine whose cores are busy takes several times what these tests need.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most of what a test makes is garbage soon: with more room for it, a fifth of the processor time is not spent on it.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64'],
  },
});

const postgres = 'packages/service/test/global-setup.ts';

/** The suites whose tests have the service in their own process: what they are set up with, by their package. */
const ofService = {
  signer: ['scripts/browser.mjs', postgres],
  service: ['scripts/browser.mjs', 'scripts/service-bundle.mjs', postgres],
  sdk: ['scripts/browser.mjs', postgres],
  console: ['scripts/browser.mjs', 'scripts/console-folder.mjs', postgres],
  sandbox: ['scripts/browser.mjs', 'scripts/sandbox-bundle.mjs'],
};
const testsOf = (name: string) => [
  `packages/${name}/test/**/*.test.ts`,
  // What is deployed runs the service's processes.
  ...(name === 'service' ? ['deploy/**/*.test.ts'] : []),
];

// A worker runs files of one project. In a run of all suites, these are one: their workers would load the modules of the
// service again for each. Not for the processes that tests start.
const together = process.env.KARAT_TEST_TOGETHER !== undefined;
delete process.env.KARAT_TEST_TOGETHER;
const serviceProjects = together
  ? [
      project('service', Object.keys(ofService).flatMap(testsOf), {
        globalSetup: [...new Set(Object.values(ofService).flat())],
      }),
    ]
  : Object.entries(ofService).map(([name, globalSetup]) => project(name, testsOf(name), { globalSetup }));

export default defineConfig({
  test: {
    // Twice the cores that CI has: many tests wait, for slots and for processes.
    maxWorkers: 4,
    // Modules are transformed once, not in each run.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongFirst },
    projects: [
      project('program', ['program/tests/**/*.test.ts']),
      project('wire', testsOf('wire')),
      project('localnet', testsOf('localnet'), {
        globalSetup: ['scripts/browser.mjs'],
        setupFiles: 'packages/localnet/test/stop-nodes.ts',
      }),
      ...serviceProjects,
    ],
  },
});

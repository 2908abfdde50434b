// Says whether the committed contracts are what their sources generate: the IDL and the client of the on-chain
// program, the OpenAPI documents of the APIs with their samples, the pages about errors, the vectors of transactions, and the migrations of the database schema. Exits with 1 and names what has to be generated anew.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

let stale = 0;

function report(name, current, remedy) {
  console.log(`${current ? 'current' : 'STALE  '}  ${name}${current ? '' : `: run ${remedy}`}`);
  if (!current) stale += 1;
}

function node(args, options = {}) {
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', ...options });
  if (run.status !== 0) console.error(`${run.stdout}${run.stderr}`);
  return run.status === 0;
}

const client = ['--conditions=source', '--import', 'tsx', 'program/scripts/generate-client.ts', '--check'];
report('IDL and client of the program', node(client), 'npm run generate:client');

report(
  'samples of the reference',
  node(['scripts/write-samples.mjs', '--check']),
  'npm run generate:openapi',
);

const openapi = [
  '--conditions=source',
  '--import',
  'tsx',
  'packages/service/scripts/write-openapi.ts',
  '--check',
];
report('OpenAPI documents', node(openapi), 'npm run generate:openapi');

const errorPages = [
  '--conditions=source',
  '--import',
  'tsx',
  'packages/service/scripts/write-error-pages.ts',
  '--check',
];
report('pages about errors', node(errorPages), 'npm run generate:error-pages');

const vectors = [
  '--conditions=source',
  '--import',
  'tsx',
  'packages/service/scripts/write-vectors.ts',
  '--check',
];
report('vectors of the check before signing', node(vectors), 'npm run generate:vectors');

report(
  'migrations that can be rolled out and back',
  node(['packages/service/scripts/check-migrations.mjs']),
  'what the lines above say',
);

report(
  'types of the SDK and the console',
  node(['openapi/generate-types.mjs', '--check']),
  'npm run generate:openapi',
);

const service = 'packages/service';
const copy = mkdtempSync(join(tmpdir(), 'karat-drizzle-'));
const generated = node([join(service, 'scripts/write-migrations.mjs'), '--out', copy]);
const bytesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => `${relative(folder, file)}\n${readFileSync(file, 'utf8')}`)
    .sort()
    .join('\n');
const isCurrent = generated && bytesOf(copy) === bytesOf(join(service, 'drizzle'));
report('migrations of the database', isCurrent, 'npm run generate:migrations');
rmSync(copy, { recursive: true, force: true });

process.exitCode = stale === 0 ? 0 : 1;

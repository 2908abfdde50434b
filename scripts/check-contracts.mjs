// Says whether the committed contracts are what their sources generate: the IDL and the client of the on-chain
// program, the OpenAPI documents of the APIs, and the migrations of the database schema. Exits with 1 and names what has to be generated anew.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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

const openapi = [
  '--conditions=source',
  '--import',
  'tsx',
  'packages/service/scripts/write-openapi.ts',
  '--check',
];
report('OpenAPI documents', node(openapi), 'npm run generate:openapi');

// drizzle-kit writes a new migration when the schema has moved on; let it try in a copy.
const service = 'packages/service';
const copy = mkdtempSync(join(tmpdir(), 'karat-drizzle-'));
cpSync(join(service, 'drizzle'), copy, { recursive: true });
const files = () => readdirSync(copy, { recursive: true }).length;
const before = files();
const generated = node(
  [
    '../../node_modules/drizzle-kit/bin.cjs',
    'generate',
    '--dialect=postgresql',
    '--schema=./src/db/schema.ts',
    `--out=${relative(service, copy)}`,
  ],
  { cwd: service },
);
report('migrations of the database', generated && files() === before, 'npm run generate:migrations');
rmSync(copy, { recursive: true, force: true });

process.exitCode = stale === 0 ? 0 : 1;

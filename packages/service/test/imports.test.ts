import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * The direction of imports: http -> actions -> events -> views -> db -> domain; actions -> chain; indexer -> actions; domain -> errors only; db and chain
 * never import each other. The lint rule that holds it is tried here against every edge, in a copy of the tree's shape.
 */
const folders = {
  domain: {
    may: ['errors'],
    mayNot: ['http', 'actions', 'events', 'views', 'db', 'chain', 'indexer', 'context', 'config', 'log'],
  },
  db: { may: ['domain', 'errors'], mayNot: ['http', 'actions', 'views', 'chain', 'indexer', 'context'] },
  views: {
    may: ['db', 'domain', 'errors', 'reasons'],
    mayNot: ['http', 'actions', 'events', 'chain', 'indexer', 'runtime', 'context', 'config'],
  },
  events: {
    may: ['views', 'db', 'domain', 'runtime', 'tracing', 'errors', 'context', 'config'],
    mayNot: ['http', 'actions', 'chain', 'indexer', 'keeper'],
  },
  chain: {
    may: ['domain', 'errors', 'config'],
    mayNot: ['http', 'actions', 'events', 'views', 'db', 'indexer', 'context'],
  },
  actions: {
    may: ['events', 'views', 'domain', 'db', 'chain', 'errors', 'context'],
    mayNot: ['http', 'indexer'],
  },
  runtime: {
    may: ['db', 'domain', 'errors'],
    mayNot: ['http', 'actions', 'events', 'views', 'chain', 'indexer', 'keeper', 'context'],
  },
  indexer: { may: ['actions', 'domain', 'db', 'chain', 'errors', 'context'], mayNot: ['http'] },
  keeper: { may: ['actions', 'domain', 'db', 'chain', 'indexer', 'errors', 'context'], mayNot: ['http'] },
  metrics: { may: ['domain', 'db', 'chain', 'errors', 'context'], mayNot: ['http', 'actions', 'indexer'] },
  http: {
    may: ['actions', 'events', 'views', 'db', 'domain', 'errors', 'context'],
    mayNot: ['chain', 'indexer'],
  },
} as const;

const packages: Record<keyof typeof folders, { mayNot: string[] }> = {
  domain: { mayNot: ['@solana/kit', '@karat/program-client', 'drizzle-orm', 'postgres', 'fastify', 'pino'] },
  db: { mayNot: ['@solana/kit', '@karat/program-client', 'fastify'] },
  views: { mayNot: ['@solana/kit', '@karat/program-client', 'drizzle-orm', 'postgres', 'fastify'] },
  events: { mayNot: ['@solana/kit', '@karat/program-client', 'drizzle-orm', 'postgres', 'fastify'] },
  chain: { mayNot: ['drizzle-orm', 'drizzle-orm/pg-core', 'postgres', 'fastify'] },
  actions: { mayNot: ['fastify', '@fastify/helmet', 'postgres'] },
  runtime: { mayNot: ['fastify'] },
  indexer: { mayNot: ['fastify'] },
  keeper: { mayNot: ['fastify'] },
  metrics: { mayNot: ['fastify'] },
  http: { mayNot: ['@solana/kit', '@karat/program-client', 'drizzle-orm', 'postgres'] },
};

const single = new Set(['errors', 'context', 'config', 'log', 'reasons']);
const specifier = (name: string, up: string) =>
  single.has(name) ? `${up}${name}.js` : `${up}${name}/thing.js`;

let root: string;
let flagged: Set<string>;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'karat-imports-'));
  const settings = JSON.parse(readFileSync(new URL('../../../biome.json', import.meta.url), 'utf8'));
  writeFileSync(join(root, 'biome.json'), JSON.stringify({ ...settings, vcs: { enabled: false } }));
  copyFileSync(new URL('../../../no-number.grit', import.meta.url), join(root, 'no-number.grit'));
  for (const [folder, { may, mayNot }] of Object.entries(folders)) {
    const named = packages[folder as keyof typeof folders].mayNot;
    write(`${folder}/probe.ts`, [...[...may, ...mayNot].map((name) => specifier(name, '../')), ...named]);
    write(
      `${folder}/deep/probe.ts`,
      [...may, ...mayNot].map((name) => specifier(name, '../../')),
    );
  }
  flagged = await lint();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const source = 'packages/service/src';

function write(path: string, specifiers: string[]): void {
  const file = join(root, source, path);
  mkdirSync(dirname(file), { recursive: true });
  // One form of import a line, because a rule that sees only one of them is none.
  const forms = [
    (name: string) => `export type { Thing } from '${name}';`,
    (name: string) => `import '${name}';`,
    (name: string) => `await import('${name}');`,
  ];
  writeFileSync(file, specifiers.flatMap((name) => forms.map((form) => form(name))).join('\n'));
}

/** What was refused, as `folder/probe.ts specifier`; an import counts when every form of it was refused. */
async function lint(): Promise<Set<string>> {
  const biome = createRequire(fileURLToPath(import.meta.url)).resolve('@biomejs/biome/bin/biome');
  const args = [
    'lint',
    '--only=style/noRestrictedImports',
    '--reporter=github',
    '--max-diagnostics=none',
    '.',
  ];
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, [biome, ...args], { cwd: root }, (_error, stdout) => done(stdout));
  });
  const counts = new Map<string, number>();
  for (const [, file = '', line = ''] of output.matchAll(/file=([^,]+),line=(\d+)/g)) {
    const text = readFileSync(resolve(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
    const key = `${file.slice(file.indexOf(source) + source.length + 1)} ${/'([^']+)'/.exec(text)?.[1]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count === 3).map(([key]) => key));
}

describe.each(Object.entries(folders))('%s', (folder, { may, mayNot }) => {
  test.each([...mayNot])('the folder may not import %s', (name) => {
    expect(flagged).toContain(`${folder}/probe.ts ${specifier(name, '../')}`);
    expect(flagged).toContain(`${folder}/deep/probe.ts ${specifier(name, '../../')}`);
  });

  test.each(packages[folder as keyof typeof folders].mayNot)(
    'the folder may not import the package %s',
    (name) => {
      expect(flagged).toContain(`${folder}/probe.ts ${name}`);
    },
  );

  test.each([...may])('the folder may import %s', (name) => {
    expect(
      [...flagged].filter((entry) => entry.startsWith(`${folder}/`) && entry.endsWith(`/${name}/thing.js`)),
    ).toEqual([]);
    expect(flagged).not.toContain(`${folder}/probe.ts ${specifier(name, '../')}`);
  });
});

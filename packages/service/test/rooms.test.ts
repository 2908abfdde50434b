import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const contributing = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');

/** What each folder may import, by the table in CONTRIBUTING.md; undefined for everything. */
const rules = new Map(
  [...contributing.matchAll(/^\| `([\w-]+)\/` \| .* \| ([^|]*) \|$/gm)].map(([, room = '', may = '']) => [
    room,
    may === 'everything' ? undefined : [...may.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  ]),
);

const rooms = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Files of the root that import nothing above `domain`. */
const leaves = ['errors.ts', 'reasons.ts', 'clock.ts', 'version.ts', 'commands.ts', 'config.ts'];
/** Packages that are the business of some folders alone. */
const guarded = ['fastify', '@fastify', 'drizzle-orm', 'pg', '@solana', '@solana-program', '@karat'];
const exceptions: Record<string, string[]> = {
  'domain/solana.ts': ['@solana', '@karat'],
  // In the text of its samples.
  'http/openapi/code-samples.ts': ['@solana', '@karat'],
};

/** Returns the specifiers of the imports of a text, in every form that TypeScript has. */
function specifiersOf(text: string): string[] {
  const forms = /\bfrom\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g;
  return [...text.matchAll(forms)].map(([, one, two]) => one ?? two ?? '');
}

/** Returns the folder, the file of the root or the guarded package that an import leads to; undefined for any other one. */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = relative(src, join(src, dirname(file), specifier)).replace(/\.js$/, '.ts');
    return path.split('/')[0];
  }
  return guarded.some((name) => specifier === name || specifier.startsWith(`${name}/`))
    ? specifier
    : undefined;
}

/** Returns the imports of a file that its folder's row does not name. */
function refusedImports(file: string, text: string): string[] {
  const room = file.split('/')[0] ?? '';
  const allowed = rules.get(room);
  if (allowed === undefined) return [];
  const names = [...allowed, ...(room === 'domain' ? [] : leaves), ...(exceptions[file] ?? [])];
  const isAllowed = (target: string) =>
    target === room ||
    names.some((name) => target === name || target.startsWith(`${name}/`) || target.startsWith(`${name}-`));
  return specifiersOf(text).filter((specifier) => {
    const target = targetOf(file, specifier);
    return target !== undefined && !isAllowed(target);
  });
}

test('CONTRIBUTING.md has a row for every folder of the source', () => {
  expect([...rules.keys()].filter((room) => rooms.includes(room)).sort()).toEqual(rooms.sort());
});

test.each(rooms)('%s imports only what its row in CONTRIBUTING.md names', (room) => {
  const files = readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(room, file));
  expect(files.length).toBeGreaterThan(0);
  const refused = files.flatMap((file) =>
    refusedImports(file, readFileSync(join(src, file), 'utf8')).map(
      (specifier) => `${file} imports ${specifier}`,
    ),
  );
  expect(refused).toEqual([]);
});

test.each([
  ['db/thing.ts', "import { rpc } from '../chain/node/rpc.js';", '../chain/node/rpc.js'],
  ['chain/node/thing.ts', "export type { Tx } from '../../db/client.js';", '../../db/client.js'],
  ['domain/thing.ts', "import '../config.js';", '../config.js'],
  ['http/partner/thing.ts', "await import('@solana/kit');", '@solana/kit'],
  ['actions/thing.ts', "import type { FastifyReply } from 'fastify';", 'fastify'],
  ['views/thing.ts', "import { route } from '../http/server/route.js';", '../http/server/route.js'],
])('an import across rooms is refused: %s %s', (file, text, specifier) => {
  expect(refusedImports(file, text)).toEqual([specifier]);
});

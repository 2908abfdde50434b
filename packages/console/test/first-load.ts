import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, inject } from 'vitest';

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}

/** Returns the bytes that a browser loads until it shows `entries`, compressed: code and styles with gzip, and the font. */
export function firstLoadBytes(dist: 'dist' | 'dist-portal', entries: string[]): number {
  const folder = join(inject('consoleFolder'), dist);
  const read = (file: string) => readFileSync(join(folder, file));
  const manifest = JSON.parse(read('.vite/manifest.json').toString()) as Record<string, Chunk>;
  const files = new Set<string>();
  const add = (name: string) => {
    const chunk = manifest[name];
    if (!chunk || files.has(chunk.file)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const entry of entries) add(entry);
  const fonts = Object.values(manifest).filter(({ file }) => /inter-latin-wght/.test(file));
  expect(fonts).toHaveLength(1);
  expect(files.size).toBeGreaterThan(2);
  const sizes = [...files].map((file) => gzipSync(read(file), { level: 9 }).length);
  return [...sizes, ...fonts.map(({ file }) => read(file).length)].reduce((sum, size) => sum + size, 0);
}

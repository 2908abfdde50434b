import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** How heavy the letters of a text are. */
export type Weight = 400 | 600;

/** The fonts of papers: those that are in front are preferred. */
const sources = [
  ['noto-sans', 'latin'],
  ['noto-sans', 'latin-ext'],
  ['noto-sans-arabic', 'arabic'],
  ['noto-sans', 'cyrillic'],
  ['noto-sans', 'cyrillic-ext'],
  ['noto-sans', 'greek'],
  ['noto-sans', 'vietnamese'],
  ['noto-sans', 'devanagari'],
] as const;
const weights: readonly Weight[] = [400, 600];

/** A font file, and by which name a paper knows it. */
export interface FontFile {
  name: string;
  weight: Weight;
  content: Buffer;
}

const { resolve } = createRequire(import.meta.url);
let read: Promise<FontFile[]> | undefined;

/** Reads the fonts the first time that a paper is made. Rejects when they are not installed. */
export function readFonts(): Promise<FontFile[]> {
  read ??= Promise.all(
    weights.flatMap((weight) =>
      sources.map(async ([family, subset]) => {
        const file = `@fontsource/${family}/files/${family}-${subset}-${weight}-normal.woff`;
        return { name: `${subset}-${weight}`, weight, content: await readFile(resolve(file)) };
      }),
    ),
  );
  return read;
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';

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
        return { name: `${subset}-${weight}`, weight, content: toSfnt(await readFile(resolve(file))) };
      }),
    ),
  );
  return read;
}

/** Lengths of the heads of a file, and of a table's entry in it: of the web's form (WOFF), and of the plain one. */
const [woffHead, woffEntry, sfntHead, sfntEntry] = [44, 20, 12, 16];

/**
 * Returns a font of the web's form (WOFF 1.0) in the plain one, of which PDFs have parts: the tables are the same, decompressed once
 * for all papers.
 */
function toSfnt(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(sfntHead + count * sfntEntry);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  const log = Math.floor(Math.log2(count));
  head.writeUInt16BE(2 ** log * 16, 6);
  head.writeUInt16BE(log, 8);
  head.writeUInt16BE(count * 16 - 2 ** log * 16, 10);
  const tables: Buffer[] = [];
  let offset = head.length;
  for (let index = 0; index < count; index += 1) {
    const entry = woffHead + index * woffEntry;
    const [from, packed, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at)) as [
      number,
      number,
      number,
    ];
    const stored = woff.subarray(from, from + packed);
    const table = packed < length ? inflateSync(stored) : stored;
    const at = sfntHead + index * sfntEntry;
    woff.copy(head, at, entry, entry + 4);
    woff.copy(head, at + 4, entry + 16, entry + 20);
    head.writeUInt32BE(offset, at + 8);
    head.writeUInt32BE(length, at + 12);
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([head, ...tables]);
}

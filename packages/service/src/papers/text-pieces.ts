import bidiFactory, { type Bidi } from 'bidi-js';

/** A part of a line that one font draws; its text is in the order in which it is read. */
export interface Piece<Font> {
  text: string;
  font: Font;
}

/** Returns the font that draws a character, preferably the one before it. */
export type FontOf<Font> = (codePoint: number, before: Font | undefined) => Font;

/** Its types do not know that it is no module. */
const makeBidi = bidiFactory as unknown as () => Bidi;
let bidi: Bidi | undefined;

/**
 * Returns the parts of a line in the order in which they stand from left to right, by the Unicode Bidirectional Algorithm. Each is
 * in one direction and of one font, so that letters which join do so within it.
 */
export function piecesOf<Font>(line: string, fontOf: FontOf<Font>): Piece<Font>[] {
  bidi ??= makeBidi();
  const { levels } = bidi.getEmbeddingLevels(line);
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const runs: (Piece<Font> & { level: number })[] = [];
  let before: Font | undefined;
  for (let at = 0; at < line.length; ) {
    const codePoint = line.codePointAt(at) ?? 0;
    const length = codePoint > 0xffff ? 2 : 1;
    const level = levels[at] ?? 0;
    const font = fontOf(codePoint, before);
    const text = mirrored.get(at) ?? line.slice(at, at + length);
    const last = runs.at(-1);
    if (last && last.level === level && last.font === font) last.text += text;
    else runs.push({ text, font, level });
    before = font;
    at += length;
  }
  for (const run of runs) if (run.level % 2 === 1 && !joins.test(run.text)) run.text = reversed(run.text);
  return inVisualOrder(runs);
}

/** Letters of scripts that are written from right to left, whose runs the font itself turns around. */
const joins = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const reversed = (text: string) => [...text].reverse().join('');

/** Rule L2: from the highest level down to the lowest odd one, what is at that level or above is turned around. */
function inVisualOrder<Run extends { level: number }>(runs: Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      let end = start;
      while (end < ordered.length && (ordered[end]?.level ?? 0) >= level) end += 1;
      if (end - start > 1) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end;
    }
  }
  return ordered;
}

import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { type FontFile, readFonts, type Weight } from './fonts.js';
import { qrOf } from './qr.js';
import { type Piece, piecesOf } from './text-pieces.js';

/** A4 in points, and the margins of papers. */
const page = { width: 595.28, height: 841.89, side: 48, top: 52, bottom: 54 };

/** Colours of papers: those of the console in print. */
export const ink = { text: '#1c1a17', muted: '#6b655c', line: '#ddd6ca', gold: '#8a6a1f', ground: '#f7f4ee' };

export interface TextStyle {
  size?: number;
  weight?: Weight;
  colour?: string;
  align?: 'left' | 'right';
}

/** A column of a table: its width in points, or a share of what is left. */
export interface Column {
  title: string;
  width: number;
  align?: 'left' | 'right';
}

/** A row of a table, and small print below its cells. */
export interface Row {
  cells: readonly string[];
  note?: string;
  strong?: boolean;
}

/** What is used of the inside of pdfkit's fonts, which its types do not show. */
interface FontInside {
  scale: number;
  font: {
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphForCodePoint(codePoint: number): { advanceWidth: number };
  };
  layoutRun(text: string, features: string[] | undefined): unknown;
}

/** Asks for letters as they are, without the kerning that large letters need and that takes most of the time of a long table. */
const plainly: PDFKit.Mixins.OpenTypeFeatures[] & string[] = [];
const shaped: typeof plainly = [];
const isPlain = (text: string) => /^[\x20-\x7e\u2013\u2212\u00b7]*$/.test(text);

/** Rows that are drawn before anything else gets its turn. */
const rowsInTurn = 25;

type Struct = PDFKit.PDFStructureElement;

/** What every paper has. */
export interface SheetHead {
  title: string;
  author: string;
  /** The only time in the file, so that the same paper is the same file. */
  at: Date;
}

/**
 * A paper of A4 pages. All that is drawn is tagged for screen readers in the order in which it is read, with the words as they are
 * written, whatever the direction of their script; lines and grounds are artifacts.
 */
export class Sheet {
  readonly #doc: PDFKit.PDFDocument;
  readonly #fonts: { name: string; weight: Weight; covers: (codePoint: number) => boolean }[];
  readonly #root: Struct;
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<Buffer>;
  readonly #footer: string;
  /** Where the next thing is drawn, points from the top. */
  y = page.top;
  readonly left = page.side;
  readonly width = page.width - 2 * page.side;

  private constructor(head: SheetHead, fonts: FontFile[], footer: string) {
    const { title, author, at } = head;
    this.#footer = footer;
    this.#doc = new PDFDocument({
      size: 'A4',
      margin: 0,
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en',
      displayTitle: true,
      bufferPages: true,
      info: {
        Title: title,
        Author: author,
        Producer: 'Karat',
        Creator: 'Karat',
        CreationDate: at,
        ModDate: at,
      },
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
      this.#doc.on('end', () => resolve(Buffer.concat(this.#chunks)));
      this.#doc.on('error', reject);
    });
    this.#fonts = fonts.map(({ name, weight, content }) => {
      this.#doc.registerFont(name, content);
      this.#doc.font(name);
      const inside = (this.#doc as unknown as { _font: FontInside })._font;
      layPlainly(inside);
      return { name, weight, covers: (codePoint) => inside.font.hasGlyphForCodePoint(codePoint) };
    });
    this.#root = this.#doc.struct('Document');
    this.#doc.addStructure(this.#root);
  }

  /** Begins a paper. `footer` stands at the bottom of each page. */
  static async begin(head: SheetHead, footer: string): Promise<Sheet> {
    return new Sheet(head, await readFonts(), footer);
  }

  /** Returns the bytes of the finished paper. */
  async end(): Promise<Buffer> {
    const { count } = this.#doc.bufferedPageRange();
    for (let index = 0; index < count; index += 1) {
      this.#doc.switchToPage(index);
      const style = { size: 7.5, colour: ink.muted };
      const y = page.height - page.bottom + 22;
      this.artifact(() => {
        this.#rule(y - 11);
        this.#draw(this.#footer, this.left, y, style);
        this.#draw(`${index + 1} / ${count}`, this.left, y, { ...style, align: 'right' }, this.width);
      });
    }
    this.#root.end();
    this.#doc.end();
    return this.#ended;
  }

  /** Makes room for something of that height: on a new page where this one has none. Returns whether it did. */
  room(height: number): boolean {
    if (this.y + height <= page.height - page.bottom) return false;
    this.#doc.addPage();
    this.y = page.top;
    return true;
  }

  /** Draws what is no part of the text. */
  artifact(draw: () => void): void {
    this.#doc.markContent('Artifact', { type: 'Layout' });
    draw();
    this.#doc.endMarkedContent();
  }

  /** Draws a text as an element of its own, and moves below it. */
  text(type: 'H1' | 'H2' | 'P', text: string, style: TextStyle = {}): void {
    const height = (style.size ?? 9) * 1.45;
    for (const line of this.#wrapped(text, this.width, style)) {
      this.room(height);
      this.#tagged(this.#root, type, line, () => this.#draw(line, this.left, this.y + height * 0.75, style));
      this.y += height;
    }
  }

  /** Draws the sign of the house with a name next to it. */
  masthead(name: string, lines: readonly string[]): void {
    const [doc, x, y] = [this.#doc, this.left, this.y];
    this.artifact(() => {
      doc.save().roundedRect(x, y, 30, 30, 7.5).fill(ink.gold);
      doc.translate(x, y).scale(30 / 32);
      doc.lineWidth(3.5).lineCap('round').lineJoin('round').strokeColor('#ffffff');
      doc.moveTo(10, 7).lineTo(10, 25).stroke();
      doc.moveTo(22, 7).lineTo(11, 17).lineTo(22, 25).stroke().restore();
    });
    const at = x + 42;
    const strong = { size: 12, weight: 600 } as const;
    this.#tagged(this.#root, 'P', name, () => this.#draw(name, at, y + (lines.length > 0 ? 12 : 20), strong));
    for (const [index, line] of lines.entries())
      this.#tagged(this.#root, 'P', line, () =>
        this.#draw(line, at, y + 24 + index * 11, { size: 8.5, colour: ink.muted }),
      );
    this.y += Math.max(30, 18 + lines.length * 11) + 20;
  }

  /** Draws names and values below each other, in two columns where they fit. */
  facts(rows: readonly (readonly [string, string])[]): void {
    const list = this.#doc.struct('Table');
    this.#root.add(list);
    for (const [name, value] of rows) {
      const lines = this.#wrapped(value, this.width - 150, {});
      const height = Math.max(1, lines.length) * 13 + 5;
      this.room(height);
      const row = this.#doc.struct('TR');
      list.add(row);
      const muted = { colour: ink.muted };
      this.#tagged(row, 'TH', name, () => this.#draw(name, this.left, this.y + 12, muted));
      const cell = this.#doc.struct('TD');
      row.add(cell);
      for (const [index, line] of lines.entries())
        this.#tagged(cell, 'P', line, () => this.#draw(line, this.left + 150, this.y + 12 + index * 13, {}));
      cell.end();
      row.end();
      this.y += height;
      this.artifact(() => this.#rule(this.y - 1));
    }
    list.end();
    this.y += 6;
  }

  /** Draws a table; its heading is repeated on each page. Other work gets its turn between rows. */
  async table(columns: readonly Column[], rows: Iterable<Row>): Promise<void> {
    const table = this.#doc.struct('Table');
    this.#root.add(table);
    const head = this.#doc.struct('TR');
    table.add(head);
    this.#headOf(columns, head);
    head.end();
    let drawn = 0;
    for (const { cells, note, strong } of rows) {
      drawn += 1;
      if (drawn % rowsInTurn === 0) await setImmediate();
      const height = note === undefined ? 16 : 25;
      if (this.room(height)) this.artifact(() => this.#headOf(columns, undefined));
      const row = this.#doc.struct('TR');
      table.add(row);
      const weight: Weight = strong ? 600 : 400;
      let x = this.left;
      for (const [index, { width, align = 'left' }] of columns.entries()) {
        const text = cells[index] ?? '';
        const at = x;
        this.#tagged(row, 'TD', text, () =>
          this.#draw(text, at, this.y + 11, { size: 7.5, align, weight }, width - 6),
        );
        x += width;
      }
      if (note !== undefined)
        this.#tagged(row, 'TD', note, () =>
          this.#draw(note, this.left, this.y + 20, { size: 5.6, colour: ink.muted }),
        );
      row.end();
      this.y += height;
      this.artifact(() => this.#rule(this.y - 0.5));
    }
    table.end();
    this.y += 10;
  }

  /** Draws a QR code with a text at its right side. `meaning` is what a screen reader reads in its place. */
  code(link: string, meaning: string, lines: readonly string[]): void {
    const side = 128;
    this.room(side + 8);
    const [doc, x, y] = [this.#doc, this.left, this.y];
    const { size, isDark } = qrOf(link);
    const cell = side / size;
    const figure = doc.struct('Figure', { alt: meaning }, () => {
      for (let row = 0; row < size; row += 1)
        for (let column = 0; column < size; column += 1)
          if (isDark(row, column)) doc.rect(x + column * cell, y + row * cell, cell, cell);
      doc.fill('#000000');
    });
    this.#root.add(figure);
    figure.end();
    doc.link(x, y, side, side, link, { structParent: this.#root, Contents: new String(meaning) } as object);
    let at = y + 11;
    for (const line of lines)
      for (const part of this.#wrapped(line, this.width - side - 24, { size: 8.5 })) {
        const baseline = at;
        this.#tagged(this.#root, 'P', part, () =>
          this.#draw(part, x + side + 24, baseline, { size: 8.5, colour: ink.muted }),
        );
        at += 12.5;
      }
    this.y = Math.max(y + side, at) + 12;
  }

  /** Draws two lines to sign on. */
  signatures(names: readonly [string, string]): void {
    this.room(60);
    this.y += 34;
    const half = this.width / 2 - 16;
    for (const [index, name] of names.entries()) {
      const x = this.left + index * (half + 32);
      this.artifact(() => this.#rule(this.y, x, half, ink.text));
      this.#tagged(this.#root, 'P', name, () =>
        this.#draw(name, x, this.y + 13, { size: 8.5, colour: ink.muted }),
      );
    }
    this.y += 26;
  }

  #headOf(columns: readonly Column[], row: Struct | undefined): void {
    let x = this.left;
    if (row) this.artifact(() => this.#ground());
    else this.#ground();
    for (const { title, width, align = 'left' } of columns) {
      const at = x;
      const style = { size: 7, weight: 600, colour: ink.muted, align } as const;
      const draw = () => this.#draw(title, at, this.y + 11, style, width - 6);
      if (row) this.#tagged(row, 'TH', title, draw);
      else draw();
      x += width;
    }
    this.y += 18;
  }

  #ground(): void {
    this.#doc.rect(this.left - 4, this.y, this.width + 8, 16).fill(ink.ground);
  }

  #rule(y: number, x = this.left, width = this.width, colour: string = ink.line): void {
    this.#doc
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.5)
      .strokeColor(colour)
      .stroke();
  }

  /** Draws something as an element, with the words that it shows. */
  #tagged(parent: Struct, type: string, words: string, draw: () => void): void {
    const element = this.#doc.struct(type);
    parent.add(element);
    // The font itself says which letters plain ones are.
    if (words !== '' && isPlain(words)) element.add(draw);
    else if (words !== '') element.add(this.#doc.struct('Span', { actual: words }, draw));
    element.end();
  }

  /** Returns the lines of a text that is no wider than this: broken between words, and within one that is too wide. */
  #wrapped(text: string, width: number, style: TextStyle): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (this.#widthOf(longer, style) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      line = word;
      while (this.#widthOf(line, style) > width && line.length > 1) {
        let fits = line.length - 1;
        while (fits > 1 && this.#widthOf(line.slice(0, fits), style) > width) fits -= 1;
        lines.push(line.slice(0, fits));
        line = line.slice(fits);
      }
    }
    return line === '' ? lines : [...lines, line];
  }

  #widthOf(text: string, { size = 9, weight = 400 }: TextStyle): number {
    return this.#piecesOf(text, weight).reduce((sum, piece) => sum + this.#widthOfPiece(piece, size), 0);
  }

  #widthOfPiece({ text, font }: Piece<string>, size: number): number {
    return this.#doc
      .font(font)
      .fontSize(size)
      .widthOfString(text, { features: featuresOf(text, size) });
  }

  #piecesOf(text: string, weight: Weight): Piece<string>[] {
    if (isPlain(text)) return text === '' ? [] : [{ text, font: `latin-${weight}` }];
    const fonts = this.#fonts.filter((font) => font.weight === weight);
    return piecesOf(text, (codePoint, before) => {
      const kept = fonts.find(({ name, covers }) => name === before && covers(codePoint));
      return (kept ?? fonts.find(({ covers }) => covers(codePoint)) ?? fonts[0])?.name ?? '';
    });
  }

  /** Draws a line of text on a baseline; on the right side of `width` where that is wanted. */
  #draw(text: string, x: number, y: number, style: TextStyle, width = 0): void {
    const { size = 9, weight = 400, colour = ink.text, align = 'left' } = style;
    const pieces = this.#piecesOf(text, weight).map((piece) => ({
      ...piece,
      width: this.#widthOfPiece(piece, size),
    }));
    const whole = pieces.reduce((sum, piece) => sum + piece.width, 0);
    let at = align === 'right' ? x + width - whole : x;
    for (const piece of pieces) {
      this.#doc.font(piece.font).fontSize(size).fillColor(colour);
      const features = featuresOf(piece.text, size);
      this.#doc.text(piece.text, at, y, { lineBreak: false, baseline: 'alphabetic', features });
      at += piece.width;
    }
  }
}

const featuresOf = (text: string, size: number) => (size < 8 && isPlain(text) ? plainly : shaped);

/** Lets a font lay out small plain text without looking at its tables of kerning and ligatures. */
function layPlainly(inside: FontInside): void {
  const { font, scale } = inside;
  const layShaped = inside.layoutRun.bind(inside);
  const known = new Map<string, { glyph: object; advance: number }>();
  const glyphOf = (letter: string) => {
    const glyph = font.glyphForCodePoint(letter.codePointAt(0) ?? 0);
    const entry = { glyph, advance: glyph.advanceWidth * scale };
    known.set(letter, entry);
    return entry;
  };
  inside.layoutRun = (text, features) => {
    if (features !== plainly) return layShaped(text, features);
    const laid = [...text].map((letter) => known.get(letter) ?? glyphOf(letter));
    return {
      glyphs: laid.map(({ glyph }) => glyph),
      positions: laid.map(({ advance }) => ({
        ...{ xAdvance: advance, yAdvance: 0, xOffset: 0, yOffset: 0 },
        advanceWidth: advance,
      })),
      advanceWidth: laid.reduce((sum, { advance }) => sum + advance, 0),
    };
  };
}

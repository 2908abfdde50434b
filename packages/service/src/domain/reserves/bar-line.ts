/** A bar as a statement of the reserves lists it. Weights and fineness are plain decimals without needless zeros. */
export interface ListedBar {
  refiner: string;
  serial: string;
  /** Gross, in grams. */
  weightG: string;
  /** Parts per thousand. */
  fineness: string;
  /** The city of the vault. */
  vault: string;
}

const escapes: Record<string, string> = { '\\': '\\\\', '|': '\\|', '\n': '\\n', '\r': '\\r' };

/**
 * Returns the line of a bar, whose UTF-8 bytes are its leaf of the Merkle tree: `refiner|serial|weight_g|fineness|vault`. In a
 * field, `\` and `|` have a `\` before them, and the ends of lines are written `\n` and `\r`, so that no two bars have the same
 * line.
 */
export function barLine({ refiner, serial, weightG, fineness, vault }: ListedBar): string {
  return [refiner, serial, weightG, fineness, vault]
    .map((field) => field.replace(/[\\|\n\r]/g, (character) => escapes[character] ?? character))
    .join('|');
}

/** Returns the bar of a line. Throws for what is no line of a bar. */
export function parseBarLine(line: string): ListedBar {
  const fields = [...line.matchAll(/(?:^|\|)((?:\\.|[^\\|])*)/g)].map(([, field = '']) =>
    field.replace(/\\(.)/g, (_, character: string) => ({ n: '\n', r: '\r' })[character] ?? character),
  );
  const [refiner, serial, weightG, fineness, vault] = fields;
  if (fields.length !== 5 || !refiner || !serial || !weightG || !fineness || vault === undefined) {
    throw new Error('a line of the list of bars has another form');
  }
  return { refiner, serial, weightG, fineness, vault };
}

/** The order of bars in a statement: by refiner, then by serial, by the bytes of their UTF-8. */
export function compareBars(
  a: Pick<ListedBar, 'refiner' | 'serial'>,
  b: Pick<ListedBar, 'refiner' | 'serial'>,
) {
  return compareBytes(a.refiner, b.refiner) || compareBytes(a.serial, b.serial);
}

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

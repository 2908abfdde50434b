/** The rows of a list, read page by page as they are asked for: `for await (const row of list)`. */
export class List<Row> implements AsyncIterable<Row> {
  readonly #pages: () => AsyncIterable<readonly Row[]>;

  constructor(pages: () => AsyncIterable<readonly Row[]>) {
    this.#pages = pages;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Row> {
    for await (const page of this.#pages()) yield* page;
  }

  /** Returns the first rows, at most `most` of them; default: 100. */
  async take(most = 100): Promise<Row[]> {
    const rows: Row[] = [];
    if (most < 1) return rows;
    for await (const row of this) {
      rows.push(row);
      if (rows.length >= most) break;
    }
    return rows;
  }
}

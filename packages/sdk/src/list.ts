/**
 * The rows of a list. `for await (const row of list)` reads it page by page, no further than asked; `await list` reads all of
 * it; `await list.take(10)` its first rows.
 */
export class List<Row> implements AsyncIterable<Row>, PromiseLike<Row[]> {
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

  // biome-ignore lint/suspicious/noThenProperty: what can be awaited has it
  then<Result = Row[], Failure = never>(
    resolve?: ((rows: Row[]) => Result | PromiseLike<Result>) | null,
    reject?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.take(Number.POSITIVE_INFINITY).then(resolve, reject);
  }
}

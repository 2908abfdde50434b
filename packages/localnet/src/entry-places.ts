/** Where the entries of one file are; entries of a file have consecutive numbers. */
export interface FilePlaces {
  generation: number;
  /** Number of its first entry. */
  first: number;
  offsets: number[];
  lengths: number[];
}

export interface EntryPlace {
  generation: number;
  offset: number;
  bytes: number;
}

/** Where the transactions of a ledger are on disk, by number: they count up from 0 in the order of the chain. */
export class EntryPlaces {
  readonly #files: FilePlaces[] = [];
  #count = 0;

  /** Notes where the next entry is; gives its number. */
  add({ generation, offset, bytes }: EntryPlace): number {
    let file = this.#files.at(-1);
    if (file?.generation !== generation) {
      file = { generation, first: this.#count, offsets: [], lengths: [] };
      this.#files.push(file);
    }
    file.offsets.push(offset);
    file.lengths.push(bytes);
    this.#count += 1;
    return this.#count - 1;
  }

  find(number: number): EntryPlace | undefined {
    const file = this.#files.findLast(({ first }) => first <= number);
    const offset = file?.offsets[number - file.first];
    const bytes = file?.lengths[number - file.first];
    if (!file || offset === undefined || bytes === undefined) return undefined;
    return { generation: file.generation, offset, bytes };
  }

  /** The places in the files of a generation; undefined when it has no transactions. */
  in(generation: number): FilePlaces | undefined {
    return this.#files.findLast((file) => file.generation === generation);
  }

  /** Forgets the files whose entries all have a smaller number; gives their generations. */
  dropBefore(number: number): number[] {
    let gone = 0;
    while ((this.#files[gone + 1]?.first ?? this.#count) <= number && gone < this.#files.length) gone += 1;
    return this.#files.splice(0, gone).map(({ generation }) => generation);
  }
}

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context } from '../../context.js';
import {
  type Countersignature,
  findStatementBars,
  findStatementsAfter,
  hashCountersignatures,
  type StoredStatement,
} from '../../db/reserves/statements.js';
import { barName } from '../../domain/bar.js';
import { asStatementId, type StatementId } from '../../domain/ids.js';
import { barLine, type ListedBar, parseBarLine } from '../../domain/reserves/bar-line.js';
import { type InclusionProof, MerkleTree } from '../../domain/reserves/merkle.js';
import type { Statement } from '../../domain/reserves/statement.js';
import { AppError } from '../../errors.js';
import { Batcher } from '../../runtime/batcher.js';
import { lookAtMostEvery } from '../../runtime/look.js';

const decompress = promisify(gunzip);

/** A statement with what proves it. */
export interface SignedStatement {
  statement: Statement;
  /** SHA-256 of the canonical form, hexadecimal. */
  hash: string;
  /** Hexadecimal. */
  public_key: string;
  /** Base64. */
  signature: string;
  countersignatures: Countersignature[];
}

/** The bars of a statement, in its order. */
export interface StatementBars {
  bars: ListedBar[];
  tree: MerkleTree;
  /** Place of each line. */
  places: Map<string, number>;
}

/** How often newer statements are looked for. */
const lookEveryMs = 1_000;
/** Lists of bars that are kept, each of which may be long. */
const listsKept = 4;

/**
 * The statements of the reserves, kept in memory: they never change, so that requests cost the database nothing. What is new is seen
 * within a second.
 */
export class ReserveLedger {
  readonly #ctx: Pick<Context, 'replica' | 'log'>;
  readonly #bars = new Map<StatementId, Promise<StatementBars>>();
  #statements: readonly SignedStatement[] = [];
  #countersignatures = '';
  readonly #look = lookAtMostEvery(lookEveryMs, () => this.#readNewer());
  /** One at a time, because a list may be long. */
  readonly #reader = new Batcher<StatementId, StatementBars>({
    run: (ids) => Promise.all(ids.map((id) => this.#readBars(id))),
    maxItems: 1,
  });

  constructor(ctx: Pick<Context, 'replica' | 'log'>) {
    this.#ctx = ctx;
  }

  /** Returns all statements, oldest first: the same array until there is another one. */
  async statements(): Promise<readonly SignedStatement[]> {
    await this.#look();
    return this.#statements;
  }

  /** Returns a statement. Throws `statement_not_found`. */
  async statement(text: string): Promise<SignedStatement> {
    const id = asStatementId(text);
    const found = (await this.statements()).find(({ statement }) => statement.statement_id === id);
    if (found) return found;
    throw new AppError('statement_not_found', 'There is no such statement of the reserves.');
  }

  /** Returns the newest statement. Throws `statement_not_found` before the first. */
  async newest(): Promise<SignedStatement> {
    const newest = (await this.statements()).at(-1);
    if (newest) return newest;
    throw new AppError('statement_not_found', 'No statement of the reserves has been made yet.');
  }

  /** Returns the bars of a statement. Throws `statement_not_found`. */
  async bars(text: string): Promise<StatementBars> {
    const id = (await this.statement(text)).statement.statement_id;
    const kept = this.#bars.get(id);
    if (kept) {
      // To the end: the list that was requested least recently is the first to go.
      this.#bars.delete(id);
      this.#bars.set(id, kept);
      return kept;
    }
    const read = this.#reader.add(id);
    read.catch(() => this.#bars.delete(id));
    const [oldest] = this.#bars.keys();
    if (oldest && this.#bars.size >= listsKept) this.#bars.delete(oldest);
    this.#bars.set(id, read);
    return read;
  }

  /** Returns a bar of a statement, however its names are typed, with the proof that it is one. Throws `statement_not_found`, and `bar_not_found` for a bar that was not held. */
  async prove(
    text: string,
    { refiner, serial }: Pick<ListedBar, 'refiner' | 'serial'>,
  ): Promise<{ bar: ListedBar; proof: InclusionProof; root: Uint8Array }> {
    const { bars, tree, places } = await this.bars(text);
    const index = places.get(keyOf({ refiner: barName(refiner), serial: barName(serial) }));
    const bar = index === undefined ? undefined : bars[index];
    if (index === undefined || !bar)
      throw new AppError(
        'bar_not_found',
        'This statement has no such bar: refiner and serial must be as stamped.',
      );
    return { bar, proof: tree.prove(index), root: tree.root };
  }

  async #readBars(id: StatementId): Promise<StatementBars> {
    const compressed = await findStatementBars(this.#ctx.replica, id);
    if (!compressed) throw new Error(`statement ${id} is gone`);
    const text = (await decompress(compressed)).toString('utf8');
    const lines = text === '' ? [] : text.slice(0, -1).split('\n');
    const bars = lines.map(parseBarLine);
    return {
      bars,
      tree: new MerkleTree(lines.map((line) => Buffer.from(line))),
      places: new Map(bars.map((bar, index) => [keyOf(bar), index])),
    };
  }

  async #readNewer(): Promise<void> {
    const { replica, log } = this.#ctx;
    try {
      const countersignatures = await hashCountersignatures(replica);
      const known = countersignatures === this.#countersignatures ? this.#statements : [];
      const newer = await findStatementsAfter(replica, known.length);
      if (newer.length > 0) this.#statements = [...known, ...newer.map(toSigned)];
      this.#countersignatures = countersignatures;
    } catch (error) {
      // What is known stays true.
      if (this.#statements.length === 0) throw error;
      log.warn({ err: error }, 'newer statements of the reserves could not be read');
    }
  }
}

const keyOf = ({ refiner, serial }: Pick<ListedBar, 'refiner' | 'serial'>) =>
  barLine({ refiner, serial, weightG: '', fineness: '', vault: '' });

function toSigned({ body, hash, publicKey, signature, countersignatures }: StoredStatement): SignedStatement {
  return {
    statement: JSON.parse(body) as Statement,
    hash,
    public_key: Buffer.from(publicKey).toString('hex'),
    signature: Buffer.from(signature).toString('base64'),
    countersignatures,
  };
}

import type { Config } from '@karat/program-client';
import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { type ChainRecord, emptyRecord, recordChain } from '../actions/indexing/record-chain.js';
import { agreedStatuses } from '../chain/node/agreed.js';
import type { Context } from '../context.js';
import type { DeadLetterReason } from '../db/indexing/dead-letters.js';
import { findSignerChanges } from '../db/indexing/program-events.js';
import { chunksOf } from '../runtime/chunks.js';
import { atMost } from '../runtime/limit.js';
import { inTime } from '../runtime/time.js';
import { inOwnTrace } from '../tracing/spans.js';
import { decodeTransaction } from './decode/decode.js';
import type { ChainTransaction } from './decode/transaction.js';
import type { DecodeView } from './decode/view.js';
import { ServiceSigners, serviceSignersOf } from './service-signers.js';
import type { Fetched, Listed, Source } from './source.js';
import type { Tuning } from './tuning.js';

/** Batches that are fetched while others are recorded, that one included. */
const batchesAhead = 4;
/** Transactions that are decoded before anything else gets its turn. */
const decodedInARow = 32;

type Found = Extract<Fetched, { kind: 'found' }>;

/** Why a listed transaction is not recorded yet. */
export type Waits =
  /** No node has it, or none has all of it. */
  | 'unknown'
  /** The nodes fail. */
  | 'broken'
  /** It failed, and that is not final, or the nodes do not agree about what became of it. */
  | 'not_final';

/** What a transaction would leave, once all nodes agree that it failed for good or that it succeeded. */
interface Claim {
  record: ChainRecord;
  failed: boolean;
}

/** What is to be recorded of some transactions. */
interface Read {
  records: ChainRecord[];
  waiting: Map<Listed, Waits>;
}

/**
 * Fetches, decodes and records listed transactions. A trade, redemption or order that succeeded is recorded as soon as one node
 * shows it: it is watched until it is final. Any other success is recorded once all nodes that respond agree, and a failure once
 * it is final, too: it invites people to do the same again.
 */
export class Recorder {
  readonly #ctx: Context;
  readonly #source: Source;
  readonly #tuning: Tuning;
  readonly #inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #serviceSigners = new ServiceSigners();
  #loaded: Promise<void> | undefined;
  #config: Config | undefined;

  constructor(ctx: Context, source: Source, tuning: Tuning) {
    this.#ctx = ctx;
    this.#source = source;
    this.#tuning = tuning;
    this.#inTurn = atMost(tuning.concurrency);
  }

  /**
   * Records transactions, given oldest first, and returns those that cannot be recorded yet, with the reason. `from`: each is
   * fetched from that node, or from every node until one shows a success. Rejects when the database fails or the program's configuration
   * was never read; what was recorded until then stays so.
   */
  async take(
    lines: readonly Listed[],
    signal: AbortSignal,
    { from }: { from?: Rpc<SolanaRpcApi> | 'each' | undefined } = {},
  ): Promise<Map<Listed, Waits>> {
    const waiting = new Map<Listed, Waits>();
    if (lines.length === 0) return waiting;
    await this.#load();
    const batches = chunksOf(lines, this.#tuning.batchSize);
    const fetched = new Map<number, Promise<Fetched[]>>();
    const takeAll = async () => {
      let writing = Promise.resolve();
      try {
        for (const [index, batch] of batches.entries()) {
          for (const [ahead, next] of batches.slice(index, index + batchesAhead).entries())
            if (!fetched.has(index + ahead)) fetched.set(index + ahead, this.#fetch(next, from, signal));
          const read = await this.#read(batch, (await fetched.get(index)) ?? [], signal);
          fetched.set(index, Promise.resolve([]));
          for (const [line, why] of read.waiting) waiting.set(line, why);
          // While one batch is written, the next one is read, and none behind one that fails is written.
          await writing;
          signal.throwIfAborted();
          writing = this.write(read.records);
          writing.catch(() => {});
        }
      } finally {
        await writing;
      }
    };
    await inOwnTrace('index', { 'karat.transactions': lines.length }, takeAll);
    return waiting;
  }

  /** Records that a listed transaction cannot be read, so that a person sees it. */
  async giveUp(
    { signature, slot }: Listed,
    reason: DeadLetterReason,
    detail: Record<string, unknown>,
  ): Promise<void> {
    await this.write([deadLetterRecord({ signature, slot }, reason, detail)]);
  }

  /** Returns what a transaction that was fetched says; undefined while it cannot be read. */
  async decode(line: Pick<Listed, 'signature' | 'slot'>, fetched: Fetched): Promise<ChainRecord | undefined> {
    if (fetched.kind === 'unsupported') return deadLetterRecord(line, 'unsupported_version', {});
    if (fetched.kind === 'undecodable')
      return deadLetterRecord(line, 'undecodable', { message: String(fetched.error) });
    if (fetched.kind !== 'found') return undefined;
    await this.#load();
    return decodeTransaction(fetched.transaction, this.view());
  }

  /** Returns whether what a node says of a transaction may be recorded. Rejects when too few nodes respond. */
  async mayRecord(
    { transaction: { error } }: Found,
    record: ChainRecord,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (error === null && !needsAgreement(record)) return true;
    return (await this.#agreed([{ record, failed: error !== null }], signal)).size > 0;
  }

  /**
   * Writes records at once. If the database rejects the content of one (not: if it is down), they are written one by one, and
   * each that is refused by itself becomes the dead letter `record_refused`, so that it cannot stop those behind it.
   */
  async write(records: readonly ChainRecord[]): Promise<void> {
    try {
      await this.#record(records);
    } catch (error) {
      if (sqlStateOf(error) === undefined) throw error;
      if (records.length > 1) for (const record of records) await this.write([record]);
      else if (records[0]) await this.#writeRefused(records[0], error);
    }
  }

  /** Writes what is left of a record that the database refuses: its events, unless they are what it refuses, and a dead letter. */
  async #writeRefused(record: ChainRecord, error: unknown): Promise<void> {
    const left = refused(record, error);
    await this.#record([left]).catch((cause: unknown) => {
      if (sqlStateOf(cause) === undefined) throw cause;
      return this.#record([{ ...left, events: [] }]);
    });
  }

  /** Returns how transactions are decoded at present. */
  view(): DecodeView {
    const { program, programAddress } = this.#ctx.chain;
    const config = this.#readConfig();
    this.#serviceSigners.setCurrent(serviceSignersOf(config.hotKeys));
    return {
      programAddress,
      trustedSigners: (slot) => this.#serviceSigners.at(slot),
      treasury: config,
      integratorOf: (partnerId) => program.integratorAddress(partnerId),
    };
  }

  #load(): Promise<void> {
    this.#loaded ??= inTime(findSignerChanges(this.#ctx.db), this.#tuning.stallMs).then(
      (changes) => {
        for (const change of changes) this.#serviceSigners.add(change);
      },
      (error: unknown) => {
        this.#loaded = undefined;
        throw error;
      },
    );
    return this.#loaded;
  }

  /**
   * Reads the program's configuration; the last one read while the reader has none to give. Throws before the first:
   * without the service signers a failed trade would look like a stranger's.
   */
  #readConfig(): Config {
    try {
      this.#config = this.#ctx.chain.program.config();
    } catch (error) {
      if (!this.#config) throw error;
    }
    return this.#config;
  }

  /** Fetches transactions, several in a request and several requests at a time. Rejects only when `signal` aborts. */
  #fetch(
    batch: readonly Listed[],
    from: Rpc<SolanaRpcApi> | 'each' | undefined,
    signal: AbortSignal,
  ): Promise<Fetched[]> {
    const signatures = batch.map(({ signature }) => signature);
    const requests = from
      ? signatures.map(async (signature) => [
          await (from === 'each'
            ? this.#source.fetchFromEach(signature, signal)
            : this.#source.fetchFrom(from, signature, signal)),
        ])
      : chunksOf(signatures, this.#tuning.fetchSize).map((some) =>
          this.#inTurn(() => this.#source.fetch(some, signal)),
        );
    const fetched = Promise.all(requests).then((parts) => parts.flat());
    // It may be awaited only later.
    fetched.catch(() => {});
    return fetched;
  }

  async #read(batch: readonly Listed[], fetched: readonly Fetched[], signal: AbortSignal): Promise<Read> {
    const read: Read = { records: [], waiting: new Map() };
    const claims = new Map<Listed, Claim>();
    for (const [index, line] of batch.entries()) {
      if (index % decodedInARow === decodedInARow - 1) await new Promise(setImmediate);
      const found = fetched[index] as Fetched;
      const record = await this.decode(line, found);
      if (!record) read.waiting.set(line, found.kind === 'broken' ? 'broken' : 'unknown');
      else if (found.kind !== 'found') read.records.push(record);
      else if (found.transaction.error !== null) {
        // Of most failed calls nothing is recorded at all.
        if (leavesSomething(record) || this.#isOperators(found.transaction))
          claims.set(line, { record, failed: true });
      } else if (!needsAgreement(record)) read.records.push(record);
      else if (!record.events.some(({ serviceSigners }) => serviceSigners)) {
        claims.set(line, { record, failed: false });
      } else {
        // Those behind it are read by it.
        await this.#takeClaims(new Map([[line, { record, failed: false }]]), read, signal);
      }
    }
    await this.#takeClaims(claims, read, signal);
    return read;
  }

  async #takeClaims(claims: ReadonlyMap<Listed, Claim>, read: Read, signal: AbortSignal): Promise<void> {
    if (claims.size === 0) return;
    const agreed = await this.#agreed([...claims.values()], signal).catch((err: unknown) => {
      signal.throwIfAborted();
      this.#ctx.log.warn({ err }, 'too few nodes respond to tell what became of transactions');
      return new Set<ChainRecord>();
    });
    for (const [line, { record }] of claims) {
      if (!agreed.has(record)) {
        read.waiting.set(line, 'not_final');
        continue;
      }
      read.records.push(record);
      for (const { seq, serviceSigners: marks } of record.events)
        if (marks) this.#serviceSigners.add({ seq, slot: line.slot, marks });
    }
  }

  /** Returns those of which all nodes that respond say the same. */
  async #agreed(claims: readonly Claim[], signal: AbortSignal): Promise<Set<ChainRecord>> {
    const signatures = claims.map(({ record }) => record.signature);
    const verdicts = await agreedStatuses(this.#ctx.chain, signatures, 0n, signal);
    return new Set(
      claims.flatMap(({ record, failed }, index) => {
        const verdict = verdicts[index];
        if (verdict?.kind !== 'landed') return [];
        return (failed ? verdict.finalized && verdict.err !== null : verdict.err === null) ? record : [];
      }),
    );
  }

  /** Returns whether a role of the program has signed it: operators send such transactions, and wait for their end. */
  #isOperators({ signers }: ChainTransaction): boolean {
    const { admin, hotKeys, settings } = this.#readConfig();
    const { operations, market } = hotKeys;
    return [admin, operations, settings.guardian, market].some((key) => signers.has(key));
  }

  #record(records: readonly ChainRecord[]): Promise<void> {
    return inTime(recordChain(this.#ctx, records), this.#tuning.stallMs);
  }
}

/**
 * Returns whether all nodes have to agree that a transaction succeeded: nothing watches its record until it is final, and nothing
 * of it is ever taken back.
 */
function needsAgreement(record: ChainRecord): boolean {
  const { trade, redemption, orders, operations, wallets, terms, events, movements } = record;
  if (wallets.length > 0 || terms.length > 0 || events.some(({ serviceSigners }) => serviceSigners))
    return true;
  if (trade || redemption || orders.length > 0) return false;
  return operations.length > 0 || events.length > 0 || movements.length > 0;
}

/** Returns whether a failed transaction is one of a partner's or user's record, or one that people should know of. */
function leavesSomething({ trade, redemption, orders, deadLetters }: ChainRecord): boolean {
  return trade !== undefined || redemption !== undefined || orders.length > 0 || deadLetters.length > 0;
}

/** Returns the record of a transaction that leaves nothing but a dead letter. */
function deadLetterRecord(
  { signature, slot }: Pick<Listed, 'signature' | 'slot'>,
  reason: DeadLetterReason,
  detail: Record<string, unknown>,
): ChainRecord {
  return { ...emptyRecord(signature, slot), deadLetters: [{ signature, slot, reason, detail }] };
}

/** Returns the SQLSTATE of classes 22 (data exception) and 23 (constraint): the fault lies in what is written. */
function sqlStateOf(error: unknown): string | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    const code = 'code' in e ? e.code : undefined;
    if (e.name === 'PostgresError' && typeof code === 'string') return /^2[23]/.test(code) ? code : undefined;
  }
  return undefined;
}

/** Returns what is left of a record that the database refuses: its events, which others are counted against, and a dead letter. */
function refused(record: ChainRecord, error: unknown): ChainRecord {
  const { signature, slot } = record;
  const orders = record.orders.flatMap(({ order }) => order.orderId ?? []);
  const detail = {
    sqlstate: sqlStateOf(error),
    trade_id: record.trade?.id ?? null,
    redemption_id: record.redemption?.id ?? null,
    // They wait for as long as it is unknown what was executed.
    ...(orders.length > 0 ? { unread_orders: orders } : {}),
  };
  const deadLetters = [...record.deadLetters, { signature, slot, reason: 'record_refused' as const, detail }];
  return { ...emptyRecord(signature, slot), events: record.events, deadLetters };
}

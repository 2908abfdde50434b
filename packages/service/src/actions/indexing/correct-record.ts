import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents, type NewEvent } from '../../db/events/events.js';
import { insertDeadLetter } from '../../db/indexing/dead-letters.js';
import {
  type Landed,
  type LandingTable,
  markFinalized,
  restoreCreation,
  type WatchedRecord,
} from '../../db/indexing/finality.js';
import { forgetProgramEvent, forgetTreasuryMovements } from '../../db/indexing/keep-effects.js';
import { lockProgramEvents } from '../../db/indexing/program-events.js';
import type { Uuid } from '../../domain/ids.js';
import { type ChainRecord, writeRecord } from '../trades/record-trade.js';

/** A row whose transaction has landed, and where. */
export interface SeenRow extends Landed {
  slot: bigint;
}

/** A row that can be written again from its transaction. */
export interface RewritableRow extends SeenRow {
  status: string;
  partnerId: Uuid;
  eventSeq: bigint | null;
  createdAt: Date;
}

/** Rows that are written again from their transactions. */
export interface RewritableRows<Row extends RewritableRow> {
  kind: WatchedRecord;
  table: LandingTable;
  /** Takes back what the transaction made of a row; false when it is final or was taken back already. */
  takeBack(tx: Tx, row: Row, at: Date): Promise<boolean>;
  /** The events to write when the chain drops a row; none by default. */
  reverted?(row: Row): NewEvent[];
}

/**
 * Notifies the operators that a transaction is not on chain as it was recorded: the chain dropped it (`vanished`), or
 * had it fail where it succeeded before, or the other way round (`conflicting_record`). The row stays: what is to be
 * done is for people to say.
 */
export async function reportRow(
  ctx: Context,
  { txSignature: signature, slot }: SeenRow,
  reason: 'vanished' | 'conflicting_record',
  detail: Record<string, unknown>,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await insertDeadLetter(tx, { signature, slot, reason, detail }, at);
    if (reason === 'vanished') await forgetTreasuryMovements(tx, signature);
  });
}

/**
 * Takes back what a transaction made of a row, because the chain dropped it after having confirmed it, and leaves a dead
 * letter with the content of the row. Does nothing if the row is final or already taken back.
 */
export async function dropRow<Row extends RewritableRow>(
  ctx: Context,
  rows: RewritableRows<Row>,
  row: Row,
  detail: Record<string, unknown>,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    if (!(await forget(tx, rows, row, at))) return;
    const { txSignature: signature, slot } = row;
    await insertDeadLetter(tx, { signature, slot, reason: 'vanished', detail }, at);
    await appendEvents(tx, rows.reverted?.(row) ?? [], at);
  });
}

/**
 * Writes a row again whose transaction ended in another block than the one that was recorded, or ended otherwise there. It
 * stays where it is in lists: a caller who pages through them must neither miss it nor see it twice. Its partner gets an event
 * only if it ended otherwise.
 */
export async function rewriteRow<Row extends RewritableRow>(
  ctx: Context,
  rows: RewritableRows<Row>,
  row: Row,
  record: ChainRecord,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await lockProgramEvents(tx);
    if (!(await forget(tx, rows, row, at))) return;
    const { events } = await writeRecord(ctx, tx, record, at);
    await restoreCreation(tx, rows.table, row);
    await markFinalized(tx, rows.kind, [row]);
    const others = events.filter(({ objectId }) => objectId !== row.id);
    const own = events.filter(
      ({ objectId, type }) => objectId === row.id && !type.endsWith(`.${row.status}`),
    );
    const before = own.length > 0 ? (rows.reverted?.(row) ?? []) : [];
    await appendEvents(tx, [...others, ...before, ...own.map((event) => withCreation(event, row))], at);
  });
}

/** Returns an event whose object shows when its row was first written. */
function withCreation(event: NewEvent, { createdAt }: RewritableRow): NewEvent {
  // Its record shows it.
  if (!event.object) return event;
  const name = 'created_at' in event.object ? 'created_at' : 'createdAt';
  return { ...event, object: { ...event.object, [name]: createdAt.toISOString() } };
}

async function forget<Row extends RewritableRow>(
  tx: Tx,
  rows: RewritableRows<Row>,
  row: Row,
  at: Date,
): Promise<boolean> {
  if (!(await rows.takeBack(tx, row, at))) return false;
  const { partnerId, eventSeq, txSignature } = row;
  await forgetTreasuryMovements(tx, txSignature);
  if (eventSeq !== null) await forgetProgramEvent(tx, { partnerId, seq: eventSeq, txSignature });
  return true;
}

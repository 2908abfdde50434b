import { sql } from 'drizzle-orm';
import { findKnownSince } from '../actions/treasury/check-balances.js';
import { compare, type Finding } from '../actions/treasury/reconcile.js';
import { agreedBounds, agreedStatuses } from '../chain/node/agreed.js';
import type { Context } from '../context.js';
import type { Db, Tx } from '../db/client.js';
import { subjectBytes } from '../db/indexing/dead-letters.js';
import { configEvents } from '../db/indexing/program-events.js';
import { findChunkEnd } from '../db/treasury/reconciliations.js';
import type { DifferenceKind } from '../domain/difference.js';
import { type TxSignature, txSignatureOf } from '../domain/solana.js';
import { findBroken } from './rule.js';
import type { ChainSnapshot } from './snapshot.js';
import { type Broken, counted, maxNamed, type Verdict, verdictOf } from './verdict.js';

/** Movements or events that one statement compares, about. */
const rowsPerChunk = 20_000;
/** Records that are looked up on the chain, the newest of them. */
const maxRecords = 50_000;

/** Compares the numbers of the program with the events that are recorded: 1 to n of each counter, and no more up to that slot. */
export async function checkProgramEvents(tx: Tx, { numbers, numbersSlot }: ChainSnapshot): Promise<Verdict> {
  const counters = [...numbers].filter(([, last]) => last > 0n);
  const [ids, lasts] = [counters.map(([id]) => id), counters.map(([, last]) => last.toString())];
  const { broken, total } = await findBroken(
    tx,
    sql`
    with counted as (select * from unnest(${sql.param(ids)}::uuid[], ${sql.param(lasts)}::bigint[]) as counted (partner_id, last)),
    recorded as (
      select partner_id, count(distinct seq) filter (where seq <= coalesce(counted.last, 0)) as events,
        max(seq) filter (where slot <= ${numbersSlot.toString()}::bigint) as newest
      from program_events left join counted using (partner_id) group by partner_id
    )
    select 'program_events ' || name || ' ' || (select min(seq) from generate_series(1, last) as seq where not exists (
        select from program_events found where found.partner_id = counted.partner_id and found.seq = seq.seq)),
      'is not recorded; the program has counted ' || last || ' of these events, and ' || coalesce(events, 0) || ' are recorded'
      from counted left join recorded using (partner_id), lateral (select ${nameOf(sql`counted.partner_id`)} as name) as named
      where coalesce(events, 0) < last
    union all
    select 'program_events ' || name || ' ' || newest, 'is recorded; the program has counted ' || coalesce(last, 0)
      from recorded left join counted using (partner_id), lateral (select ${nameOf(sql`recorded.partner_id`)} as name) as named
      where newest > coalesce(last, 0)`,
  );
  const events = counters.reduce((sum, [, last]) => sum + last, 0n);
  const detail = `Every event that the program has counted is recorded: ${counted(events, 'event')} of ${counted(counters.length, 'counter')}.`;
  return verdictOf('program_events', detail, broken, total);
}

const nameOf = (id: ReturnType<typeof sql>) =>
  sql`case ${id} when ${configEvents}::uuid then 'config' else 'of partner ' || ${id} end`;

/** Returns the slot of the first transaction that was recorded since a time; the one behind the last where there is none. */
export async function findFirstSlot(db: Db, since: Date): Promise<bigint> {
  const [row] = await db.execute<{ slot: string }>(sql`
    select coalesce(min(slot) filter (where created_at >= ${since.toISOString()}::timestamptz), max(slot) + 1, 0)::text as slot from chain_effects`);
  return BigInt(row?.slot ?? 0);
}

const missing: DifferenceKind[] = ['record_missing', 'record_doubled', 'event_missing'];
const differing: DifferenceKind[] = ['amount_differs', 'movement_missing'];

const words: Partial<Record<DifferenceKind, string>> = {
  record_missing: 'has no record',
  record_doubled: 'is recorded more than once',
  event_missing: 'is recorded without an event of the program',
  amount_differs: 'moved another amount than is recorded',
  movement_missing: 'is recorded and moved nothing',
};

/** Compares each transaction of the chain with its records: exactly one, of what it moved. As of the snapshot, from a slot on. */
export async function checkRecords(
  tx: Tx,
  { treasury }: ChainSnapshot,
  fromSlot: bigint,
): Promise<Verdict[]> {
  const since = await findKnownSince(tx, treasury);
  const findings: Finding[] = [];
  for (let from = fromSlot - 1n; from < treasury.slot; ) {
    const to = await findChunkEnd(tx, { from, to: treasury.slot, rows: rowsPerChunk });
    findings.push(...(await compare(tx, { since, from, to })));
    from = to;
  }
  const [row] = await tx.execute<{ count: number }>(sql`
    select count(distinct tx_signature)::int as count from chain_effects
    where slot >= ${fromSlot.toString()}::bigint and slot <= ${treasury.slot.toString()}::bigint`);
  const all = counted(row?.count ?? 0, 'transaction');
  const verdict = async (
    name: 'one_record_each' | 'recorded_amounts',
    holds: string,
    kinds: DifferenceKind[],
  ) => {
    const own = findings.filter(({ detail }) => detail.kinds.some((kind) => kinds.includes(kind)));
    return verdictOf(name, `${holds}: ${all}.`, await namesOf(tx, own.slice(0, maxNamed), kinds), own.length);
  };
  return [
    await verdict(
      'one_record_each',
      'Every trade and order that landed has one record, and every record has landed',
      missing,
    ),
    await verdict(
      'recorded_amounts',
      'What each transaction moved of the treasury is what its records say',
      differing,
    ),
  ];
}

/** Names the records of transactions; a transaction without any by itself. */
async function namesOf(tx: Tx, findings: readonly Finding[], kinds: DifferenceKind[]): Promise<Broken[]> {
  const broken: Broken[] = [];
  for (const { signature, detail } of findings) {
    const rows = await tx.execute<{ name: string }>(sql`
      select 'trades trd_' || id as name from trades where tx_signature = ${subjectBytes(signature)}
      union all select 'orders ' || id from orders where tx_signature = ${subjectBytes(signature)}
      union all select 'redemptions red_' || id from redemptions where tx_signature = ${subjectBytes(signature)}
      union all select 'operator_transactions ' || id from operator_transactions where tx_signature = ${subjectBytes(signature)}`);
    const names = rows.map(({ name }) => name).join(', ');
    const faults = detail.kinds.flatMap((kind) => (kinds.includes(kind) ? (words[kind] ?? []) : []));
    broken.push({
      row: names === '' ? `transaction ${signature}` : `${names} (transaction ${signature})`,
      fault: faults.join(', '),
    });
  }
  return broken;
}

/** A record of which the chain must have the transaction. */
export interface LandedRecord {
  row: string;
  signature: TxSignature;
  slot: bigint;
  failed: boolean;
}

/** Returns the records that are final, newest first, and whether there are more. */
export async function findFinalRecords(
  tx: Tx,
  fromSlot: bigint,
): Promise<{ records: LandedRecord[]; more: boolean }> {
  const rows = await tx.execute<{ name: string; signature: Uint8Array; slot: string; failed: boolean }>(sql`
    with landed (kind, name, id, signature, slot, failed) as (
      select 'trade'::watched_record, 'trades trd_' || id, id, tx_signature, slot, status = 'failed' from trades
      union all
      select 'redemption', 'redemptions red_' || id, id, tx_signature, slot, status = 'failed' from redemptions where slot is not null
      union all
      select 'order', 'orders ' || id, id, tx_signature, slot, status = 'failed' from orders where slot is not null
      union all
      select 'operator_transaction', 'operator_transactions ' || id, id, tx_signature, slot, status = 'failed' from operator_transactions
        where slot is not null and tx_signature is not null and status in ('confirmed', 'failed')
    )
    select name, signature, slot::text, failed from landed
    where slot >= ${fromSlot.toString()}::bigint and not exists (
      select from unfinalized where unfinalized.id = landed.id and unfinalized.kind = landed.kind)
    order by landed.slot desc limit ${maxRecords + 1}`);
  const records = rows.slice(0, maxRecords).map(({ name, signature, slot, failed }) => ({
    row: name,
    signature: txSignatureOf(signature),
    slot: BigInt(slot),
    failed,
  }));
  return { records, more: rows.length > maxRecords };
}

/**
 * Compares final records with what the nodes have of their transactions: each landed, and failed exactly if the record says so.
 * What is older than a node's history is left out. Rejects when too few nodes respond.
 */
export async function checkLanded(
  { chain }: Pick<Context, 'chain'>,
  { records, more }: Awaited<ReturnType<typeof findFinalRecords>>,
  signal: AbortSignal,
): Promise<Verdict> {
  const { historyFrom, finalSlot } = await agreedBounds(chain, signal);
  const final = records.filter(({ slot }) => slot <= finalSlot);
  const verdicts = await agreedStatuses(
    chain,
    final.map(({ signature }) => signature),
    finalSlot,
    signal,
  );
  let forgotten = 0;
  const broken: Broken[] = [];
  for (const [index, { row, signature, slot, failed }] of final.entries()) {
    const found = verdicts[index];
    const name = `${row} (transaction ${signature})`;
    if (found?.kind === 'unknown' && slot < historyFrom) forgotten += 1;
    else if (found?.kind === 'unknown')
      broken.push({ row: name, fault: 'is recorded, and the chain does not have its transaction' });
    else if (found?.kind === 'landed' && (found.err !== null) !== failed)
      broken.push({
        row: name,
        fault: failed ? 'is recorded as failed and succeeded' : 'is recorded and failed',
      });
  }
  const rest = `${more ? '; older ones were not looked up' : ''}${forgotten > 0 ? `; ${forgotten} are older than the nodes' history` : ''}`;
  const detail = `The chain has the transaction of every final record: ${counted(final.length - forgotten, 'record')}${rest}.`;
  return verdictOf('landed_on_chain', detail, broken);
}

import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.js';
import { type BarStatus, isBarMove } from '../domain/bar.js';
import { isRedemptionMove, type RedemptionStatus } from '../domain/redemption.js';
import { findBroken } from './rule.js';
import { type Broken, counted, type Verdict, verdictOf } from './verdict.js';

/** Compares every move that was written down with the tables of `domain/`, and what moves lead to with what rows say. */
export async function checkTransitions(tx: Tx): Promise<Verdict> {
  const redemptions = await findWrongRedemptionMoves(tx);
  const bars = await findWrongBarMoves(tx);
  const chains = await findBrokenHistories(tx);
  const [row] = await tx.execute<{ moves: string }>(sql`
    select ((select count(*) from redemption_history) + (select count(*) from audit_log where object_type = 'bar'))::text as moves`);
  const broken = [...redemptions, ...bars, ...chains.broken];
  const detail = `Redemptions and bars went only where they may: ${counted(BigInt(row?.moves ?? 0), 'move')}.`;
  return verdictOf('transitions', detail, broken, redemptions.length + bars.length + chains.total);
}

/** One row for each pair of statuses: there are few, however many moves. */
async function findWrongRedemptionMoves(tx: Tx): Promise<Broken[]> {
  const pairs = await tx.execute<{
    from: RedemptionStatus;
    to: RedemptionStatus;
    id: string;
    times: number;
  }>(sql`
    select from_status as "from", to_status as "to", min(redemption_id::text) as id, count(*)::int as times
    from redemption_history where from_status is not null group by 1, 2`);
  return pairs
    .filter(({ from, to }) => !isRedemptionMove(from, to))
    .map(({ from, to, id, times }) => ({
      row: `redemptions red_${id}`,
      fault: `went from ${from} to ${to}${also(times)}`,
    }));
}

async function findWrongBarMoves(tx: Tx): Promise<Broken[]> {
  const pairs = await tx.execute<{ from: BarStatus; to: BarStatus; id: string; times: number }>(sql`
    select before ->> 'status' as "from", after ->> 'status' as "to", min(object_id) as id, count(*)::int as times
    from audit_log where object_type = 'bar' and before ->> 'status' <> after ->> 'status' group by 1, 2`);
  return pairs
    .filter(({ from, to }) => !isBarMove(from, to))
    .map(({ from, to, id, times }) => ({
      row: `bars ${id}`,
      fault: `went from ${from} to ${to}${also(times)}`,
    }));
}

const also = (times: number) => (times > 1 ? `, as did ${times - 1} more` : '');

/** Each move begins where the one before it ended, and the last one led to what the row says; what has ended stays so. */
const findBrokenHistories = (tx: Tx) =>
  findBroken(
    tx,
    sql`
    with moves as (
      select redemption_id as id, from_status, to_status, lag(to_status) over own as before, lead(id) over own is null as is_last
      from redemption_history window own as (partition by redemption_id order by id)
    )
    select 'redemptions red_' || id, 'went on from ' || coalesce(from_status::text, 'nowhere') || ' after it had become ' || coalesce(before::text, 'nothing')
      from moves where from_status is distinct from before
    union all
    select 'redemptions red_' || redemptions.id, 'is ' || status || '; its last move was to ' || coalesce(to_status::text, 'nothing')
      from redemptions left join moves on moves.id = redemptions.id and is_last where to_status is distinct from status
    union all
    select 'bars ' || bar.id, 'is ' || bar.status || '; by the audit log it ' || coalesce('became ' || (last.after ->> 'status'), 'is as it was added')
      from bars bar left join lateral (
        select after from audit_log where object_type = 'bar' and object_id = bar.id::text and after ->> 'status' is not null order by seq desc limit 1
      ) last on true where coalesce(last.after ->> 'status', 'in_stock') <> bar.status::text
    union all
    select 'submissions trd_' || quote_id, 'is ' || submission.status || ', and its trade is ' || coalesce(trade.status::text, 'not recorded')
      from submissions submission left join trades trade on trade.id = quote_id
      where kind <> 'redemption' and (submission.status = 'landed' and trade.id is null or submission.status = 'expired' and trade.status = 'confirmed')`,
  );

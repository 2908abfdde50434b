import { type SQL, sql } from 'drizzle-orm';
import { txSignatureOf } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { type DeadLetterSubject, subjectBytes } from '../indexing/dead-letters.js';
import type { TreasuryRole } from './treasury-movements.js';

/** Which transactions are compared: those of some slots, or these. Records below `since` are older than what is known. */
export type Compared =
  | { since: bigint; from: bigint; to: bigint }
  | { since: bigint; signatures: DeadLetterSubject[] };

const executed = sql`status = 'confirmed'`;

/** What the records of the wanted transactions say that these moved of the treasury. */
const recordedMoves = sql`
  select tx_signature, slot, moved.role, moved.amount from wanted join trades using (tx_signature), lateral (values
      ('treasury_usdc', case side when 'buy' then usdc_amount - fee_usdc else -usdc_amount - fee_usdc end),
      ('fee_usdc', fee_usdc),
      ('treasury_gold', case side when 'buy' then -gold_amount else gold_amount end)) as moved (role, amount)
    where ${executed}
  union all
  select tx_signature, slot, moved.role, moved.amount from wanted join orders using (tx_signature), lateral (values
      ('treasury_usdc', case kind when 'purchase' then executed_usdc - fee_usdc else -executed_usdc - fee_usdc end),
      ('fee_usdc', fee_usdc),
      ('treasury_gold', case kind when 'purchase' then -executed_gold else executed_gold end)) as moved (role, amount)
    where ${executed} and kind in ('purchase', 'sale')
  union all
  select tx_signature, slot, 'escrow_gold', tokens_required from wanted join redemptions using (tx_signature)
    where status <> 'failed'
  union all
  select tx_signature, slot, 'escrow_gold', -amount from wanted join operator_transactions using (tx_signature)
    where ${executed} and amount is not null`;

/** Transactions to compare: whole ones, so that it does not matter which slot each of their rows names. */
function wanted(compared: Compared): SQL {
  if ('signatures' in compared) {
    return sql`select unnest(${all(compared.signatures)}) as tx_signature`;
  }
  const slots = sql`slot > ${text(compared.from)} and slot <= ${text(compared.to)}`;
  const known = sql`slot >= ${text(compared.since)}`;
  return sql`
    select tx_signature from chain_effects where ${slots} and changes is not null
    union select tx_signature from trades where ${slots} and ${known} and ${executed}
    union select tx_signature from orders where ${slots} and ${known} and ${executed}
    union select tx_signature from redemptions where ${slots} and ${known}
    union select tx_signature from operator_transactions where ${slots} and ${known} and ${executed}`;
}

/** An array of them in SQL. */
function all(signatures: DeadLetterSubject[]): SQL {
  return sql`${sql.param(signatures.map(subjectBytes))}::bytea[]`;
}

function text(slot: bigint): SQL {
  return sql`${slot.toString()}::bigint`;
}

/** Returns where movements differ from the records, or were made without the service; by transaction and account. */
export async function findTreasuryDifferences(db: Db | Tx, compared: Compared) {
  const rows = await db.execute<
    Record<'slot' | 'change' | 'due' | 'recorded', string> & {
      signature: Uint8Array;
      role: TreasuryRole;
      records: number;
    }
  >(sql`
    with wanted as materialized (${wanted(compared)}), sides as (
      select tx_signature, slot, role::text, case when dust then due else change - by_admin end as change, due, 0 as recorded, 0 as records
        from wanted join treasury_movements using (tx_signature)
      union all
      select tx_signature, null, role::text, 0, amount, amount, 0 from wanted join treasury_fundings using (tx_signature)
      union all
      select tx_signature, slot, role, 0, 0, amount, 1 from (${recordedMoves}) as recorded)
    select tx_signature as signature, min(slot)::text as slot, role, sum(change)::text as change, sum(due)::text as due,
      sum(recorded)::text as recorded, sum(records)::int as records
    from sides group by tx_signature, role
    having sum(due) <> sum(recorded) or sum(change) <> sum(due)
    order by min(slot), tx_signature, role`);
  return rows.map(({ signature, slot, role, change, due, recorded, records }) => ({
    signature: txSignatureOf(signature),
    slot: BigInt(slot),
    role,
    change: BigInt(change),
    due: BigInt(due),
    recorded: BigInt(recorded),
    records,
  }));
}

/** Events of these kinds without exactly one record, and records without their event. */
export async function findEventDifferences(db: Db | Tx, kinds: number[], compared: Compared) {
  const chosen =
    'signatures' in compared
      ? sql`tx_signature = any(${all(compared.signatures)})`
      : sql`slot > ${text(compared.from)} and slot <= ${text(compared.to)}`;
  const rows = await db.execute<
    Record<'slot' | 'partner_id' | 'seq', string> & {
      signature: Uint8Array;
      events: number;
      records: number;
    }
  >(sql`
    select tx_signature as signature, min(slot)::text as slot, partner_id, seq::text, sum(events)::int as events, sum(records)::int as records
    from (
      select tx_signature, slot, partner_id, seq, 1 as events, 0 as records from program_events
        where kind = any(${sql.param(kinds)}::int[]) and ${chosen}
      union all
      select tx_signature, slot, partner_id, event_seq, 0, 1 from trades where event_seq is not null and ${chosen}
      union all
      select tx_signature, slot, partner_id, event_seq, 0, 1 from orders where event_seq is not null and ${chosen}) as sides
    where slot >= ${text(compared.since)}
    group by tx_signature, partner_id, seq having sum(events) <> 1 or sum(records) <> 1
    order by min(slot), tx_signature, seq`);
  return rows.map(({ signature, slot, partner_id: partnerId, seq, events, records }) => ({
    signature: txSignatureOf(signature),
    slot: BigInt(slot),
    partnerId,
    seq: BigInt(seq),
    events,
    records,
  }));
}

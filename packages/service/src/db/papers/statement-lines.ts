import { and, count, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { prefixedId, type Uuid } from '../../domain/ids.js';
import type { LineKind, RecordedLine } from '../../domain/papers/statement.js';
import { txSignatureOf } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { deadLetters } from '../indexing/dead-letters.js';
import { unfinalized } from '../indexing/finality.js';
import { orders } from '../orders/orders.js';

/** Slots behind `after` up to `upTo`; without `upTo`, all behind it. */
export interface Slots {
  after: bigint;
  upTo?: bigint | undefined;
}

interface Row extends Record<string, unknown> {
  at: Date | string;
  kind: LineKind;
  id: string | null;
  tx_signature: Uint8Array;
  gold: string;
  usdc: string;
  fee: string;
  customer_gold: string;
  customer_usdc: string;
}

/**
 * Returns everything that partner and customers did in some slots, in the order of the chain: what succeeded. The time of each is
 * that of its record, or the chain's for a deposit.
 */
export async function findStatementLines(db: Db | Tx, partner: Uuid, slots: Slots): Promise<RecordedLine[]> {
  const within = (slot: SQL) =>
    slots.upTo === undefined
      ? sql`${slot} > ${slots.after}`
      : sql`${slot} > ${slots.after} and ${slot} <= ${slots.upTo}`;
  const rows = await db.execute<Row>(sql`
    select at, kind, id, tx_signature, gold::text, usdc::text, fee::text, customer_gold::text, customer_usdc::text from (
      select slot, created_at as at, side::text as kind, id, tx_signature, 0 as gold, 0 as usdc, fee_usdc as fee,
        case side when 'buy' then gold_amount else -gold_amount end as customer_gold,
        case side when 'buy' then -usdc_amount else usdc_amount end as customer_usdc
      from trades where partner_id = ${partner} and status = 'confirmed' and ${within(sql`slot`)}
      union all
      select o.slot, coalesce(e.created_at, o.updated_at), o.kind::text, o.id, o.tx_signature,
        case o.kind when 'purchase' then executed_gold else -coalesce(executed_gold, 0) end,
        case o.kind when 'sale' then executed_usdc else -coalesce(executed_usdc, 0) end,
        coalesce(o.fee_usdc, 0), 0, 0
      from orders o left join program_events e
        on uuid_hash_extended(e.partner_id, 0) = uuid_hash_extended(o.partner_id, 0) and e.partner_id = o.partner_id and e.seq = o.event_seq
      where o.partner_id = ${partner} and o.kind in ('purchase', 'sale', 'withdrawal') and o.status = 'confirmed' and ${within(sql`o.slot`)}
      union all
      select slot, at, 'deposit', null, tx_signature, gold, usdc, 0, 0, 0
      from vault_deposits where partner_id = ${partner} and ${within(sql`slot`)}
      union all
      select r.slot, coalesce(h.at, r.created_at), 'redemption', r.id, r.tx_signature, 0, 0, r.fee_usd, -r.tokens_required, 0
      from redemptions r left join redemption_history h on h.redemption_id = r.id and h.to_status = 'submitted'
      where r.partner_id = ${partner} and r.tx_signature is not null and r.status <> 'failed' and ${within(sql`r.slot`)}
      union all
      select t.slot, t.updated_at, 'refund', r.id, t.tx_signature, 0, 0, -r.fee_usd, t.amount, 0
      from operator_transactions t join redemptions r on r.id = t.redemption_id
      where r.partner_id = ${partner} and t.kind = 'refund' and t.status = 'confirmed' and ${within(sql`t.slot`)}
    ) as lines order by slot, at, kind, id`);
  return rows.map(toLine);
}

function toLine({ at, kind, id, tx_signature: signature, ...row }: Row): RecordedLine {
  const prefix = kind === 'buy' || kind === 'sell' ? 'trd' : 'red';
  const isCustomers = ['buy', 'sell', 'redemption', 'refund'].includes(kind);
  return {
    at: new Date(at),
    kind,
    id: id !== null && isCustomers ? prefixedId(prefix, id) : id,
    txHash: txSignatureOf(signature),
    gold: BigInt(row.gold),
    usdc: BigInt(row.usdc),
    feeUsd: BigInt(row.fee),
    customerGold: BigInt(row.customer_gold),
    customerUsdc: BigInt(row.customer_usdc),
  };
}

/** Returns whether a record up to this slot is not known to be final. */
export async function hasUnfinalized(db: Db | Tx, upTo: bigint): Promise<boolean> {
  const found = await db
    .select({ id: unfinalized.id })
    .from(unfinalized)
    .where(lte(unfinalized.slot, upTo))
    .limit(1);
  return found.length > 0;
}

/** Counts the open dead letters about transactions of some slots. */
export async function countDeadLetters(db: Db | Tx, { after, upTo }: Slots): Promise<number> {
  const { slot, resolvedAt } = deadLetters;
  const [row] = await db
    .select({ open: count() })
    .from(deadLetters)
    .where(and(isNull(resolvedAt), gt(slot, after), upTo === undefined ? undefined : lte(slot, upTo)));
  return row?.open ?? 0;
}

/** Returns those of some transactions that carried out an order of a partner. */
export async function findOrderSignatures(
  db: Db | Tx,
  partner: Uuid,
  signatures: (typeof orders.$inferSelect.txSignature & string)[],
): Promise<Set<string>> {
  if (signatures.length === 0) return new Set();
  const rows = await db
    .select({ signature: orders.txSignature })
    .from(orders)
    .where(and(eq(orders.partnerId, partner), inArray(orders.txSignature, signatures)));
  return new Set(rows.flatMap(({ signature }) => signature ?? []));
}

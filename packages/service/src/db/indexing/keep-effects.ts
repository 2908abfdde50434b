import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { signatureToBytes, type TxSignature } from '../../domain/solana.js';
import { arrayOf, linesOf } from '../arrays.js';
import type { Tx } from '../client.js';
import { samePartner } from '../columns.js';
import { runPrepared } from '../prepared.js';
import { numberTreasuryAccounts, type TreasuryMovementFacts } from '../treasury/treasury-movements.js';
import { chainEffects } from './chain-effects.js';
import { lowerProgramCounter } from './program-counters.js';
import type { ProgramEvent } from './program-events.js';

/** An event as its transaction shows it. */
export type ProgramEventFacts = Omit<ProgramEvent, 'txSignature' | 'slot'>;

/** What one transaction did. */
export interface Effects {
  signature: TxSignature;
  slot: bigint;
  events: readonly ProgramEventFacts[];
  movements: readonly TreasuryMovementFacts[];
}

/** What there was to keep of some effects. */
export interface KeptEffects {
  /** The events that were kept: not one of a number that another has. */
  kept: Set<ProgramEventFacts>;
  /** The transactions of which movements were kept before. */
  known: Set<TxSignature>;
}

/**
 * Keeps what transactions did, each of which is given once. Movements that were kept of one before are replaced: it may have
 * ended in another block. With events, the caller holds `lockProgramEvents`.
 */
export async function keepEffects(tx: Tx, given: readonly Effects[], at: Date): Promise<KeptEffects> {
  const rows = inOrder(await rowsOf(tx, given));
  const refused = await insertRows(tx, rows, at);
  // One half of a row may be known, and the other one new.
  const halves = refused.filter(({ event, moves }) => event && moves);
  const events = halves.map((row) => ({ ...row, moves: undefined }));
  const moves = inOrder(halves.map((row) => ({ ...row, event: undefined })));
  const refusedEvents = await insertRows(tx, events, at);
  const refusedMoves = await insertRows(tx, moves, at);
  const again = [...refusedMoves, ...refused.filter(({ event }) => !event)];
  await replaceMoves(tx, again);
  const kept = [...without(rows, refused), ...without(events, refusedEvents)];
  return {
    kept: new Set(kept.flatMap(({ event }) => event ?? [])),
    known: new Set(again.map(({ signature }) => signature)),
  };
}

/** A row to write: an event, movements, or both. */
interface EffectRow {
  signature: TxSignature;
  slot: bigint;
  event: ProgramEventFacts | undefined;
  /** Arrays as text. */
  moves: { changes: string; dues: string | null; byAdmin: string | null; dust: string | null } | undefined;
}

const without = (rows: readonly EffectRow[], others: readonly EffectRow[]): EffectRow[] => {
  const left = new Set(others);
  return rows.filter((row) => !left.has(row));
};

/** Returns the rows of transactions, with movements in the first of each. */
async function rowsOf(tx: Tx, given: readonly Effects[]): Promise<EffectRow[]> {
  const moved = given.flatMap(({ movements }) => movements);
  const numberOf = moved.length > 0 ? await numberTreasuryAccounts(tx, moved) : () => 0;
  return given.flatMap(({ signature, slot, events, movements }) => {
    const moves = movements.length > 0 ? movesOf(movements, numberOf) : undefined;
    const [first, ...others] = events;
    if (!first && !moves) return [];
    return [
      { signature, slot, event: first, moves },
      ...others.map((event) => ({ signature, slot, event, moves: undefined })),
    ];
  });
}

/** Returns movements as arrays whose subscripts are the numbers of accounts. */
function movesOf(
  movements: readonly TreasuryMovementFacts[],
  numberOf: (movement: TreasuryMovementFacts) => number,
): EffectRow['moves'] {
  const byNumber = new Map(movements.map((movement) => [numberOf(movement), movement]));
  const [least, most] = [Math.min(...byNumber.keys()), Math.max(...byNumber.keys())];
  const numbers = Array.from({ length: most - least + 1 }, (_, place) => least + place);
  const listOf = (partOf: (movement: TreasuryMovementFacts) => bigint | boolean) => {
    const values = numbers.map((number) => {
      const movement = byNumber.get(number);
      return movement ? partOf(movement) : 'null';
    });
    return `[${least}:${most}]={${values.join(',')}}`;
  };
  return {
    changes: listOf(({ change }) => change),
    dues: movements.some(({ due, change }) => due !== change) ? listOf(({ due }) => due) : null,
    byAdmin: movements.some(({ byAdmin }) => byAdmin) ? listOf(({ byAdmin = 0n }) => byAdmin) : null,
    dust: movements.some(({ dust }) => dust) ? listOf(({ dust = false }) => dust) : null,
  };
}

/**
 * Returns rows in an order in which of two writers none waits for the other in turn: of those who may write at once, no more
 * than one has events.
 */
function inOrder(rows: readonly EffectRow[]): EffectRow[] {
  const others = rows.filter(({ event }) => !event);
  others.sort((one, other) => (one.signature < other.signature ? -1 : 1));
  return [...rows.filter(({ event }) => event), ...others];
}

/** Writes rows, and returns those of which something is there already. */
async function insertRows(tx: Tx, rows: readonly EffectRow[], at: Date): Promise<EffectRow[]> {
  if (rows.length === 0) return [];
  const events = rows.map(({ event }) => event);
  const { partnerId, seq, kind } = chainEffects;
  // Nearly always all of them are written, and then none has to be named.
  const [written] = await runPrepared<{ some: string[] | null }>(
    tx,
    sql`
    with written as (
      insert into ${chainEffects} (created_at, tx_signature, slot, partner_id, seq, kind, service_signers, changes, dues, by_admin, dust)
      select ${at.toISOString()}::timestamptz, tx_signature, slot, partner_id, seq, kind, service_signers::text[], ${columnsOfMoves}
      from unnest(${linesOfMoves(rows)},
        ${arrayOf(
          partnerId,
          events.map((event) => event?.partnerId),
        )},
        ${arrayOf(
          seq,
          events.map((event) => event?.seq),
        )},
        ${arrayOf(
          kind,
          events.map((event) => event?.kind),
        )},
        ${linesOf(events.map((event) => signersOf(event)))})
        as effects (tx_signature, slot, changes, dues, by_admin, dust, partner_id, seq, kind, service_signers)
      on conflict do nothing returning tx_signature, partner_id, seq
    )
    select case when count(*) < ${rows.length}
      then coalesce(array_agg(concat_ws(' ', encode(tx_signature, 'hex'), partner_id, seq)), '{}') end as some from written`,
  );
  if (!written?.some) return [];
  const keys = new Set(written.some);
  return rows.filter((row) => !keys.has(keyOf(row)));
}

const signersOf = (event: ProgramEventFacts | undefined): string | null =>
  event?.serviceSigners ? `{${event.serviceSigners.join(',')}}` : null;

/** Text that a row has alone. */
function keyOf({ signature, event }: EffectRow): string {
  const hex = Buffer.from(signatureToBytes(signature)).toString('hex');
  return event ? `${hex} ${event.partnerId} ${event.seq}` : hex;
}

const columnsOfMoves = sql`changes::bigint[] as changes, dues::bigint[] as dues, by_admin::bigint[] as by_admin, dust::boolean[] as dust`;

/** Returns what every row has, as arrays: those in arrays have no form in which many rows are written at once, but as text. */
function linesOfMoves(rows: readonly EffectRow[]): SQL {
  const { txSignature, slot } = chainEffects;
  const signatures = rows.map(({ signature }) => signatureToBytes(signature));
  const slots = rows.map((row) => row.slot.toString());
  const lists = (['changes', 'dues', 'byAdmin', 'dust'] as const).map((name) =>
    linesOf(rows.map(({ moves }) => moves?.[name] ?? null)),
  );
  return sql.join([arrayOf(txSignature, signatures), arrayOf(slot, slots), ...lists], sql`, `);
}

/** Writes what transactions moved in place of what is there of them. */
async function replaceMoves(tx: Tx, rows: readonly EffectRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    update ${chainEffects} kept
    set slot = moves.slot, changes = moves.changes, dues = moves.dues, by_admin = moves.by_admin, dust = moves.dust
    from (select tx_signature, slot, ${columnsOfMoves} from unnest(${linesOfMoves(rows)})
      as moves (tx_signature, slot, changes, dues, by_admin, dust)) as moves
    where kept.tx_signature = moves.tx_signature and kept.changes is not null`);
}

/** Forgets what a transaction moved that the chain does not carry after all. */
export async function forgetTreasuryMovements(tx: Tx, signature: TxSignature): Promise<void> {
  const { txSignature, changes, seq } = chainEffects;
  const moved = and(eq(txSignature, signature), isNotNull(changes));
  await tx.delete(chainEffects).where(and(moved, isNull(seq)));
  await tx.update(chainEffects).set({ changes: null, dues: null, byAdmin: null, dust: null }).where(moved);
}

/** Forgets an event of a transaction that the chain does not carry after all, and that its number was recorded. */
export async function forgetProgramEvent(
  tx: Tx,
  event: Pick<ProgramEvent, 'partnerId' | 'seq' | 'txSignature'>,
): Promise<void> {
  const { partnerId, seq, txSignature, changes } = chainEffects;
  const own = and(
    samePartner(partnerId, sql`${event.partnerId}::uuid`),
    eq(seq, event.seq),
    eq(txSignature, event.txSignature),
  );
  await tx.delete(chainEffects).where(and(own, isNull(changes)));
  await tx
    .update(chainEffects)
    .set({ partnerId: null, seq: null, kind: null, serviceSigners: null })
    .where(own);
  await lowerProgramCounter(tx, event);
}

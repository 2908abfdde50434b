import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { SignerMark } from '../../domain/service-signers.js';
import { hasBytes, hashOfPartner, int64, moment, txSignature } from '../columns.js';

/**
 * What transactions of the chain did: a row for each event of the program, and one for a transaction that moved the treasury
 * without an event that is kept. One row of a transaction, nearly always its only one, has by how much it changed the treasury
 * accounts, whether it is one of the service or not. Events are read as the view `program_events`, movements as the view
 * `treasury_movements`. `rules.sql` has the constraint that only one row of a transaction has movements.
 */
export const chainEffects = pgTable(
  'chain_effects',
  {
    // In the order in which they take the least room.
    slot: int64().notNull(),
    createdAt: moment('created_at').notNull(),
    /** Of the event, as are partner, kind and service signers. */
    seq: int64(),
    /** From the chain, hence no foreign key. */
    partnerId: uuid('partner_id').$type<Uuid>(),
    kind: smallint(),
    txSignature: txSignature('tx_signature').notNull(),
    /** Those that came, and behind a minus sign those that went. */
    serviceSigners: text('service_signers').array().$type<SignerMark[]>(),
    /** At the subscript that is the number of a treasury account; null there for one that did not change. */
    changes: int64().array(),
    /** Null where each is the whole change. */
    dues: int64().array(),
    /** Null where the admin moved nothing. */
    byAdmin: int64('by_admin').array(),
    /** Null where nothing is dust. */
    dust: boolean().array(),
  },
  (t) => [
    uniqueIndex('chain_effects_number').on(hashOfPartner(t.partnerId), t.seq),
    index('chain_effects_slot').on(t.slot),
    // Only of what the admin takes out, sweepEscrow and treasuryWithdraw, which are counted; nearly all others are trades.
    index('chain_effects_kind').on(t.kind, t.createdAt).where(sql`${t.kind} in (31, 32)`),
    index('chain_effects_service_signers').on(t.seq).where(sql`${t.serviceSigners} is not null`),
    check('chain_effects_signature_length', hasBytes(t.txSignature, 64)),
    check('chain_effects_seq', sql`${t.seq} > 0`),
    check('chain_effects_kind', sql`${t.kind} between 0 and 255`),
    check('chain_effects_event', sql`num_nulls(${t.seq}, ${t.partnerId}, ${t.kind}) in (0, 3)`),
    check('chain_effects_signers', sql`${t.serviceSigners} is null or ${t.seq} is not null`),
    check('chain_effects_any', sql`${t.seq} is not null or ${t.changes} is not null`),
    check(
      'chain_effects_arrays',
      sql`cardinality(${t.changes}) > 0
        and (${t.dues} is null or array_dims(${t.dues}) is not distinct from array_dims(${t.changes}))
        and (${t.byAdmin} is null or array_dims(${t.byAdmin}) is not distinct from array_dims(${t.changes}))
        and (${t.dust} is null or array_dims(${t.dust}) is not distinct from array_dims(${t.changes}))`,
    ),
  ],
);

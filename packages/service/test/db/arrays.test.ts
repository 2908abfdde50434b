import { sql } from 'drizzle-orm';
import { bigint, boolean, integer, json, numeric, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tx } from '../../src/db/client.js';
import { bytes } from '../../src/db/columns.js';
import { prepare } from '../../src/db/prepared.js';
import { asRows, type GivenRows, placedRows, rowValues } from '../../src/db/rows.js';
import { tradeSide } from '../../src/db/schema.js';
import { type Harness, harness } from '../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const table = pgTable('of_every_type', {
  whole: bigint({ mode: 'bigint' }),
  small: integer(),
  exact: numeric({ precision: 32, scale: 12 }),
  yes: boolean(),
  id: uuid(),
  at: timestamp({ withTimezone: true, precision: 3, mode: 'date' }),
  side: tradeSide(),
  raw: bytes(),
  object: json(),
  words: text(),
});

const odd = `{a,"b"}\\, 'c' ''\t\u2028 NULL null`;
const nothing = {
  ...{ whole: null, small: null, exact: null, yes: null, id: null, at: null, side: null },
  ...{ raw: null, object: null, words: null },
};
const rows: (typeof table.$inferSelect)[] = [
  {
    whole: -(2n ** 63n),
    small: -1,
    exact: '0.000000000001',
    yes: true,
    id: '018f2c5e-6f3a-7c1d-9b2e-3a4b5c6d7e8f',
    at: new Date('2025-01-02T03:04:05.678Z'),
    side: 'buy',
    raw: Uint8Array.of(0, 10, 92, 255),
    object: { odd: `${odd}\n\r\u0000\ud800`, more: [1, null] },
    words: odd,
  },
  nothing,
  {
    ...nothing,
    whole: 0n,
    small: 0,
    exact: '1',
    yes: false,
    raw: new Uint8Array(),
    object: [],
    words: 'null',
  },
];

test.each([
  ['at once', (tx: Tx) => tx.execute(insertion(asRows(table, rows)))],
  [
    'with a statement built before',
    (tx: Tx) => prepare(insertion(placedRows(table)))(tx, rowValues(table, rows)),
  ],
])('rows of every type come to the database as they are, whatever is in them, %s', async (_how, insert) => {
  const found = await h.ctx.db.transaction(async (tx) => {
    await tx.execute(sql`create temporary table of_every_type (whole bigint, small integer, exact numeric(32, 12), yes boolean,
      id uuid, at timestamptz, side trade_side, raw bytea, object json, words text) on commit drop`);
    await insert(tx);
    return tx.select().from(table);
  });
  const [full, none, empty] = rows;
  expect(found).toEqual([full, none, { ...empty, exact: '1.000000000000' }]);
});

const insertion = ({ columns, rows: given }: GivenRows) =>
  sql`insert into of_every_type (${columns}) select * from ${given}`;

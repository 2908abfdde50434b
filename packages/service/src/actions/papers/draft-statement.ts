import type { Context } from '../../context.js';
import { slowTransaction, type Tx } from '../../db/client.js';
import { countDeadLetters, findStatementLines, type Slots } from '../../db/papers/statement-lines.js';
import { findBook, findMonthEnd, findReading } from '../../db/papers/vault-books.js';
import type { Partner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';
import { type Month, monthBefore } from '../../domain/papers/month.js';
import { type Amounts, firstMonthOf, type StatementFacts } from '../../domain/papers/statement.js';
import { unavailable } from '../../errors.js';

/** A month of many lines takes longer than other statements. */
const draftWithinMs = 30_000;
/** In front of every slot, and behind every one. */
const beforeAll = -1n;
const behindAll = 2n ** 63n - 1n;

/** What is known of a month, and where it ends. */
export interface Draft extends StatementFacts {
  slots: Slots;
}

/**
 * Reads what is known of a partner's month. What a vault held at the end of a month is what the chain had later, less what the
 * records say of the time between: opening and closing are the chain's, and a difference is what no record explains. Throws
 * `service_unavailable` in the first minute of a month.
 */
export function draftStatement(
  { db, chain }: Pick<Context, 'db' | 'chain'>,
  partner: Pick<Partner, 'id' | 'name' | 'createdAt'>,
  month: Month,
): Promise<Draft> {
  const { id, name } = partner;
  const vault = chain.program.integrator(id)?.address ?? null;
  return slowTransaction(
    db,
    draftWithinMs,
    async (tx) => {
      const before = monthBefore(month);
      const isFirst = month <= firstMonthOf(partner);
      const after = isFirst ? beforeAll : await findMonthEnd(tx, before);
      if (after === undefined)
        throw unavailable(`It is not known yet where ${before} ends on the chain; try again shortly.`);
      const upTo = await findMonthEnd(tx, month);
      const slots = { after, upTo };
      const opening = isFirst ? { gold: 0n, usdc: 0n } : await balanceAt(tx, id, before, after);
      const closing = await balanceAt(tx, id, month, upTo ?? behindAll);
      const lines = await findStatementLines(tx, id, slots);
      const deadLetters = await countDeadLetters(tx, slots);
      const isCompared = vault === null || (await findReading(tx, id, month)) !== undefined;
      const named = { partner: { id, name }, vault, month };
      return { ...named, slots, opening, closing, lines, deadLetters, isCompared };
    },
    { accessMode: 'read only', isolationLevel: 'repeatable read' },
  );
}

/** Returns what a vault held at the end of a month, by the chain's balance as it was read for that month. */
async function balanceAt(tx: Tx, partner: Uuid, month: Month, slot: bigint): Promise<Amounts> {
  const book = await findBook(tx, partner, slot);
  const reading = await findReading(tx, partner, month);
  if (!reading) return book;
  const then = await findBook(tx, partner, reading.slot);
  return {
    gold: reading.gold - then.gold + book.gold,
    usdc: reading.usdc - then.usdc + book.usdc,
  };
}

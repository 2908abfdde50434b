import type { Context } from '../../context.js';
import type { NewBar } from '../../db/bars/bars.js';
import { decimalNumber } from '../../domain/money.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { hashOf, planChange } from '../approvals/plan-change.js';
import {
  addBars,
  type RefusedBar,
  type ReportedBar,
  type SortedBars,
  sortBars,
  toAuditedBar,
} from './add-bars.js';
import { type BarChanges, changeBar, readBarChange } from './change-bar.js';

/**
 * Plans to take bars into stock, which takes two people: as many tokens can be minted as there are bars for. The plan has those
 * that can be taken, and is of one person where there is none; `refused` are the others.
 */
export async function planNewBars(
  ctx: Context,
  reported: ReportedBar[],
): Promise<{ plan: DatabasePlan<'bars'>; refused: RefusedBar[] }> {
  let sorted: SortedBars = { rows: [], refused: [] };
  const plan = await planChange(ctx, {
    action: 'bar.add',
    describe: async (tx) => {
      sorted = await sortBars(tx, reported);
      const bars = sorted.rows.map(({ row }) => toRequested(row));
      return {
        // The same bars are requested once at a time.
        objectId: Buffer.from(hashOf(bars)).toString('hex'),
        request: { bars },
        before: null,
        state: bars,
        takesTwo: bars.length > 0,
      };
    },
    // Not sorted again: one that can be taken only now would come in by one person.
    apply: async (change) => ({ bars: await addBars(change, sorted) }),
  });
  return { plan, refused: sorted.refused };
}

/** Returns which bars would be refused now, and changes nothing. */
export async function checkBars(ctx: Context, reported: ReportedBar[]): Promise<RefusedBar[]> {
  const { refused } = await ctx.db.transaction((tx) => sortBars(tx, reported));
  return refused;
}

function toRequested({ serial, refiner, fineness, weightG, denominationId, city }: NewBar) {
  const weighed = { fineness: decimalNumber(fineness), weight_g: decimalNumber(weightG) };
  return { serial, refiner, ...weighed, denomination_id: denominationId, city };
}

const valuesOf = (bar: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, bar[name]]));

/**
 * Plans a change of a bar. Withdrawing, moving, reweighing and assaying one takes two people; taking a reserved one back into
 * stock takes one. Throws what `changeBar` throws.
 */
export function planBarChange(ctx: Context, changes: BarChanges): Promise<DatabasePlan<'bar'>> {
  return planChange(ctx, {
    action: changes.status === 'withdrawn' ? 'bar.withdraw' : 'bar.change',
    describe: async (tx) => {
      const { bar, wanted } = await readBarChange(tx, changes);
      const [before, after] = [toAuditedBar(bar), toAuditedBar(wanted)];
      const names = (['status', 'city', 'denomination_id', 'fineness', 'weight_g'] as const).filter(
        (name) => before[name] !== after[name],
      );
      // What an approver knows it by.
      const named = { serial: bar.serial, refiner: bar.refiner };
      return {
        objectId: bar.id,
        request: { ...named, ...valuesOf(after, names), reason: changes.reason ?? null },
        before: { ...named, ...valuesOf(before, names) },
        state: [before, bar.updatedAt.toISOString()],
        takesTwo:
          names.some((name) => name !== 'status') || (names.length > 0 && wanted.status === 'withdrawn'),
      };
    },
    apply: async (change) => ({ bar: await changeBar(change, changes) }),
  });
}

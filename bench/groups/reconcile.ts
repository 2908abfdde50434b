/** How long chain and records take to compare, for a whole history and for what the keeper compares at a time. */
import { slowTransaction } from '../../packages/service/src/db/client.js';
import {
  findEventDifferences,
  findTreasuryDifferences,
} from '../../packages/service/src/db/treasury/treasury-differences.js';
import { sumTreasuryMovements } from '../../packages/service/src/db/treasury/treasury-movements.js';
import { addressNamed } from '../../packages/service/test/named-keys.js';
import type { BenchOptions, Figure } from '../figures.js';
import { fillHistory } from '../tables.js';
import { newDatabase, type World, withDatabase } from '../world.js';

/** Slots that are compared at a time, one trade in each. */
const slice = 51_000;

export async function measure(world: World, { quick }: BenchOptions): Promise<Figure[]> {
  const trades = quick ? 60_000 : 200_000;
  const url = await newDatabase(world.postgres);
  await fillHistory(url, trades, addressNamed);
  const to = BigInt(trades);
  const all = { since: 0n, from: -1n, to };
  const some = { since: 0n, from: to - BigInt(slice), to };
  return withDatabase(url, ({ db }) =>
    slowTransaction(db, 600_000, async (tx) => {
      const timed = async (name: string, work: () => Promise<unknown>): Promise<Figure> => {
        const begun = performance.now();
        const found = await work();
        if (Array.isArray(found) && found.length > 0) throw new Error(`${name}: ${found.length} differences`);
        return { name: `compared: ${name}`, value: performance.now() - begun, unit: 'ms', better: 'lower' };
      };
      return [
        await timed(`movements of ${trades} trades`, () => findTreasuryDifferences(tx, all)),
        await timed(`movements of ${slice} trades of them`, () => findTreasuryDifferences(tx, some)),
        await timed(`events of ${slice} trades of them`, () => findEventDifferences(tx, [8], some)),
        await timed('the sum of an account', () =>
          sumTreasuryMovements(tx, addressNamed('fee_usdc'), { after: -1n, slot: to }),
        ),
      ];
    }),
  );
}

import {
  type Context,
  countries,
  idTypePatterns,
  insertBars,
  insertDenomination,
  insertReport,
  type NewBar,
  partners,
  partnerWallets,
  type Tx,
} from '@karat/service';
import { attestorReport } from './own-chain.js';
import {
  attestedGold,
  barPlans,
  baseUnitsPerToken,
  countryPlans,
  denominationPlans,
  idTypePlans,
  reserveBarPlans,
  reserveDenomination,
} from './seed-plan.js';
import type { World } from './world.js';

/**
 * Countries, identity patterns, partners with their wallets, denominations, and bars in stock. What is there already stays as it is, so that it can run
 * at every start without undoing what people changed.
 */
export async function seedDatabase(ctx: Context, world: World): Promise<void> {
  const now = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await tx.insert(countries).values(countryPlans()).onConflictDoNothing();
    await tx.insert(idTypePatterns).values(idTypePlans).onConflictDoNothing();
    for (const { partnerId, plan, wallet } of world.partners) {
      const { name, feePercentage } = plan;
      const partner = { id: partnerId, name, feePercentage, createdAt: now, updatedAt: now };
      await tx.insert(partners).values(partner).onConflictDoNothing();
      const row = { walletAddress: wallet.address, partnerId, createdAt: now };
      await tx.insert(partnerWallets).values(row).onConflictDoNothing();
    }
    for (const plan of denominationPlans) await insertDenomination(tx, { ...plan, active: true }, now);
    await seedBars(tx, barPlans(), now);
    const report = attestorReport(attestedGold * baseUnitsPerToken);
    await insertReport(tx, { content: report, type: 'text/plain' }, now);
    if (!(await insertDenomination(tx, { ...reserveDenomination, active: false }, now))) return;
    await seedBars(tx, reserveBarPlans(), now);
  });
}

/** As many at once as a request may add: on a busy machine, thousands take longer than the service waits for a statement. */
async function seedBars(tx: Tx, bars: readonly NewBar[], at: Date): Promise<void> {
  for (let from = 0; from < bars.length; from += 500) await insertBars(tx, bars.slice(from, from + 500), at);
}

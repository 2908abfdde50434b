import { type Context, insertDenomination } from '@karat/service';
import { countryPlans, denominationPlans, idTypePlans } from './seed-plan.js';
import type { World } from './world.js';

/**
 * Countries, identity patterns, partners with their wallets, and denominations. What is there already stays as it is, so that it can run
 * at every start without undoing what people changed.
 */
export async function seedDatabase(ctx: Context, world: World): Promise<void> {
  const now = new Date(ctx.clock.now());
  // Text, because drizzle has taken the driver's own way with dates off this connection.
  const at = now.toISOString();
  await ctx.sql.begin(async (tx) => {
    await tx`insert into countries ${tx(countryPlans(), 'code', 'name', 'active')} on conflict do nothing`;
    const patterns = idTypePlans.map((plan) => ({
      country: plan.country,
      id_type: plan.idType,
      pattern: plan.pattern,
    }));
    await tx`insert into id_type_patterns ${tx(patterns)} on conflict do nothing`;
    for (const { partnerId, plan, wallet } of world.partners) {
      const partner = {
        id: partnerId,
        name: plan.name,
        fee_percentage: plan.feePercentage,
        created_at: at,
        updated_at: at,
      };
      await tx`insert into partners ${tx(partner)} on conflict do nothing`;
      const row = { wallet_address: wallet.address, partner_id: partnerId, created_at: at };
      await tx`insert into partner_wallets ${tx(row)} on conflict do nothing`;
    }
  });
  await ctx.db.transaction(async (tx) => {
    for (const plan of denominationPlans) await insertDenomination(tx, { ...plan, active: true }, now);
  });
}

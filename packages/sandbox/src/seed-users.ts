import { type Context, checkNewUser, createUser, findUsers } from '@karat/service';
import { newUuid } from '@karat/service/domain';
import type { SeededUser } from './info.js';
import type { SeededPartner, World } from './world.js';

/** Registers the seeded users that do not exist yet, as a partner would, and returns the ids of all. */
export async function seedUsers(ctx: Context, world: World): Promise<SeededUser[]> {
  const seeded: SeededUser[] = [];
  for (const partner of world.partners) {
    for (const user of partner.users) {
      seeded.push({
        partnerId: partner.partnerId,
        serviceUserId: (await findUser(ctx, partner, user)) ?? (await register(ctx, partner, user)),
        userId: user.plan.userId,
        keyFile: user.key.file,
      });
    }
  }
  return seeded;
}

type User = SeededPartner['users'][number];

async function findUser(ctx: Context, partner: SeededPartner, user: User): Promise<string | undefined> {
  const filter = { partnerId: partner.partnerId, partnerUserId: user.plan.userId };
  const [found] = await findUsers(ctx.db, filter, { limit: 1, after: undefined });
  return found?.id;
}

async function register(ctx: Context, partner: SeededPartner, user: User): Promise<string> {
  const { partnerId } = partner;
  const { plan, key } = user;
  const principal = { keyId: newUuid(), partnerId };
  const checked = await checkNewUser(ctx, principal, {
    userId: plan.userId,
    walletAddress: key.address,
    kyc: {
      country: plan.country,
      fullName: plan.fullName,
      kycProvider: 'sandbox',
      kycLevel: 'full',
      kycVerifiedAt: '2026-01-15T09:30:00Z',
      kycData: plan.kycData,
    },
    requestId: null,
  });
  const planned = { ...checked, user: { ...checked.user, id: plan.serviceUserId } };
  const created = await ctx.db.transaction((tx) => createUser(ctx, tx, planned));
  return created.id;
}

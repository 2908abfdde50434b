import { randomBytes } from 'node:crypto';
import { acceptInvitation, type Context, findPersonByEmail, inChange, inviteMember } from '@karat/service';
import type { PartnerPlan } from './seed-plan.js';

/** A seeded member of a partner, as in `sandbox.json`. */
export interface SeededMember {
  /** Short name of the partner. */
  partner: string;
  email: string;
  role: 'owner' | 'developer' | 'finance' | 'viewer';
  password: string;
}

/** One of each role. */
const plans = [
  { role: 'owner', name: 'Owner' },
  { role: 'developer', name: 'Developer' },
  { role: 'finance', name: 'Finance' },
  { role: 'viewer', name: 'Viewer' },
] as const;

/** Returns the members of the partners of a new sandbox, with passwords of their own. */
export const planMembers = (partners: { slug: string }[]): SeededMember[] =>
  partners.flatMap(({ slug }) =>
    plans.map(({ role }) => ({
      partner: slug,
      email: `${role}@${slug}.test`,
      role,
      password: randomBytes(18).toString('base64url'),
    })),
  );

const seeding = { personId: null, requestId: null };

/** Invites those who are not there yet, and accepts in their name. What people changed since stays as it is. */
export async function seedMembers(
  ctx: Context,
  partners: readonly { partnerId: string; plan: PartnerPlan }[],
  members: SeededMember[],
): Promise<void> {
  for (const { partner: slug, email, role, password } of members) {
    const partner = partners.find(({ plan }) => plan.slug === slug);
    if (!partner || (await findPersonByEmail(ctx.db, 'member', email))) continue;
    const { partnerId } = partner;
    const { url } = await inChange(ctx, seeding, (change) =>
      inviteMember(change, { partnerId, email, role, origin: 'http://localhost' }),
    );
    const name = `${partner.plan.name} ${plans.find((plan) => plan.role === role)?.name}`;
    await acceptInvitation(ctx, { token: new URL(url).hash.slice(1), name, password, requestId: 'sandbox' });
  }
}

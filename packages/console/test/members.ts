import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inChange } from '../../service/src/actions/change.js';
import { inviteMember } from '../../service/src/actions/members/invite-member.js';
import { commandLine } from '../../service/src/domain/audit.js';
import { newUuid, type Uuid } from '../../service/src/domain/ids.js';
import type { MemberRole } from '../../service/src/domain/member.js';
import { type Stage, signIn } from './stage.js';

/** The password of each member here. */
export const password = 'correct horse battery staple';

/** An invitation to a partner, the stage's own by default, by the people who run the service. */
export async function invited(s: Stage, role: MemberRole, partnerId: Uuid = s.partner.partnerId) {
  const email = `${newUuid()}@acme.test`;
  const { url } = await inChange(s.h.ctx, commandLine, (change) =>
    inviteMember(change, { partnerId, email, role, origin: s.portalUrl }),
  );
  return { email, url };
}

/** A member of a partner, who has accepted an invitation over the API. Returns the email. */
export async function givenMember(
  s: Stage,
  role: MemberRole,
  { name = 'Sana Malik', partnerId }: { name?: string; partnerId?: Uuid | undefined } = {},
): Promise<string> {
  const { email, url } = await invited(s, role, partnerId);
  const token = new URL(url).hash.slice(1);
  const accepted = await s.portalApp.inject({
    method: 'POST',
    url: '/v1/members/invitations/accept',
    headers: { host: new URL(s.portalUrl).host, origin: s.portalUrl, 'x-karat-portal': '1' },
    payload: { token, name, password },
  });
  expect(accepted.statusCode).toBe(201);
  return email;
}

/** A window in which a new member of a role has signed in. */
export async function memberSignedIn(
  s: Stage,
  role: MemberRole,
  path = '/',
  { partnerId, ...options }: Parameters<Stage['open']>[0] & { partnerId?: Uuid } = {},
): Promise<Page> {
  const email = await givenMember(s, role, { partnerId });
  const page = await s.open(options, s.portalUrl);
  await page.goto(`${s.portalUrl}/portal${path}`);
  await signIn(page, email, password);
  return page;
}

import { inviteMember } from '../src/actions/members/invite-member.js';
import { commandLine } from '../src/domain/audit.js';
import { newUuid } from '../src/domain/ids.js';
import type { MemberRole } from '../src/domain/member.js';
import { type Client, clientOf, expectStatus, type Harness } from './harness.js';

const origin = 'http://localhost';
/** Headers of the portal's own page. */
export const page = { host: 'localhost', origin, 'x-karat-portal': '1' };
export const password = 'correct horse battery staple';

export const json = (body: unknown) => ({
  headers: { 'content-type': 'application/json' },
  payload: JSON.stringify(body),
});

export function withPage({ headers, payload }: ReturnType<typeof json>) {
  return { headers: { ...page, ...headers }, payload };
}

/** A page of the portal in which nobody is signed in. */
export const open = ({ app }: Pick<Harness, 'app'>): Client => clientOf(app, page);

/** Invites someone as the command line does, and returns the token of the link. */
export async function invited(
  { ctx }: Harness,
  partnerId: string,
  role: MemberRole,
  email = `${newUuid()}@karat.test`,
) {
  const at = new Date(ctx.clock.now());
  const issued = await ctx.db.transaction((tx) =>
    inviteMember({ tx, by: commandLine, at }, { partnerId, email, role, origin }),
  );
  return { ...issued, email, token: issued.url.split('#')[1] ?? '' };
}

export const accept = (h: Harness, token: string, name = 'Sana Malik') =>
  open(h).send({
    method: 'POST',
    url: '/v1/members/invitations/accept',
    ...withPage(json({ token, name, password })),
  });

/** A member of a role, signed in. */
export async function givenMember(h: Harness, partnerId: string, role: MemberRole) {
  const { token, email } = await invited(h, partnerId, role);
  const { member_id: memberId } = expectStatus(await accept(h, token), 201).body;
  const opened = expectStatus(
    await open(h).send({ method: 'POST', url: '/v1/session', ...withPage(json({ email, password })) }),
    200,
  );
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  return { memberId: memberId as string, email, cookie, client: clientOf(h.app, { ...page, cookie }) };
}

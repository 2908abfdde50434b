import type { PeopleSurface } from './surface.js';

/** The portal: how members of partners sign in, on the port of the partner API. */
export const portalSurface: PeopleSurface = {
  kind: 'member',
  cookie: { name: 'karat_portal', path: '/v1' },
  pageHeader: 'x-karat-portal',
  open: { auth: 'none', limit: 'auth' },
  own: { auth: 'partner', permission: 'read', ownAccount: true },
  paths: { session: '/v1/session', account: '/v1/session', factors: '/v1/session/factors' },
  purposes: ['account', 'confirmation'],
  confirmedFor: 'what revokes keys, changes members or shows the secrets of webhooks',
  signedIn({ portalSession: { member: person, sessionHash } }) {
    return { person, sessionHash };
  },
};

import { call } from '../api/client';
import type { Surface } from '../api/surface';
import { api, type SignedInMember } from './api';

/** The API of partners, as a member's session calls it. */
export const partnerSurface: Surface = {
  base: '/v1',
  lists: { keepViews: false, count: false, csv: false },
  changeHeader: 'x-karat-portal',
  takesKey: () => false,
  mePath: '/v1/session',
  readMe: (signal) => call(api.GET('/v1/session', { signal })),
  stream: {
    path: '/v1/events/stream',
    kindOf: (message) => JSON.parse(message).type.split('.')[0],
    // The keys of lists begin with the path of the list.
    shownIn: {
      api_key: ['partner'],
      member: ['members'],
      partner: ['partner'],
      executives: ['orders', 'vault'],
      purchase: ['orders', 'vault', 'webhook-endpoints'],
      redemption: ['redemptions', 'balances', 'webhook-endpoints'],
      sale: ['orders', 'vault', 'webhook-endpoints'],
      trade: ['trades', 'balances', 'partner', 'webhook-endpoints'],
      user: ['users', 'webhook-endpoints'],
      withdrawal: ['orders', 'vault', 'webhook-endpoints'],
      webhook_endpoint: ['partner', 'webhook-endpoints'],
    },
  },
  account: {
    signIn: (body) => call(api.POST('/v1/session', { body })),
    finishSignIn: (body) => call(api.POST('/v1/session/second-factor', { body })),
    signOut: () => call(api.DELETE('/v1/session', {})),
    changePassword: (body) => call(api.PUT('/v1/session/password', { body })),
    readFactors: () => call(api.GET('/v1/session/factors')),
    // Members approve nothing, so nothing else is confirmed.
    challenge: ({ purpose }) => {
      const body = { purpose: purpose === 'account' ? purpose : ('confirmation' as const) };
      return call(api.POST('/v1/session/factors/challenges', { body }));
    },
    confirm: (body) => call(api.POST('/v1/session/factors/confirm', { body })),
    confirmOtherwise: (me) => {
      const { email, name, partner_id } = me as SignedInMember;
      if (email !== null) return undefined;
      return import('./wallets').then(({ confirmWithWallet }) => confirmWithWallet(name, partner_id));
    },
    startPasskey: (body) => call(api.POST('/v1/session/passkeys/options', { body })),
    addPasskey: (body) => call(api.POST('/v1/session/passkeys', { body })),
    renamePasskey: (passkey_id, body) =>
      call(api.PATCH('/v1/session/passkeys/{passkey_id}', { params: { path: { passkey_id } }, body })),
    removePasskey: (passkey_id, body) =>
      call(api.POST('/v1/session/passkeys/{passkey_id}/remove', { params: { path: { passkey_id } }, body })),
    startTotp: (body) => call(api.POST('/v1/session/totp', { body })),
    confirmTotp: (body) => call(api.POST('/v1/session/totp/confirm', { body })),
    removeTotp: (body) => call(api.POST('/v1/session/totp/remove', { body })),
    renewRecoveryCodes: (body) => call(api.POST('/v1/session/recovery-codes', { body })),
  },
};

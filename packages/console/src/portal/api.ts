import { call, createApi } from '../api/client';
import { usePerson } from '../api/live';
import type { Surface } from '../api/surface';
import type { components } from '../generated/partner';
import type { Permission, paths, SignedInMember } from './contract';

export type Schemas = components['schemas'];

export const api = createApi<paths>();

/** Returns the member who is signed in; pages are shown to no one else. */
export const useMe = (): SignedInMember => usePerson<SignedInMember>();

/** Returns whether the member has a permission, as the API says; pages leave out what would be refused. */
export const useMay = (permission: Permission): boolean => useMe().permissions.includes(permission);

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
    challenge: (body) => call(api.POST('/v1/session/factors/challenges', { body })),
    confirm: (body) => call(api.POST('/v1/session/factors/confirm', { body })),
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

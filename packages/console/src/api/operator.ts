import type { components, paths } from '../generated/operator';
import { call, createApi } from './client';
import { usePerson } from './live';
import { goToProvider } from './single-sign-on';
import type { Surface } from './surface';

export type Schemas = components['schemas'];
type Me = Schemas['SignedInOperator'];

export const api = createApi<paths>();

/** Returns the operator who is signed in; pages are shown to no one else. */
export const useMe = (): Me => usePerson<Me>();

/** Returns whether the operator has a permission, as the API says; pages leave out what would be refused. */
export const useMay = (permission: Me['permissions'][number]): boolean =>
  useMe().permissions.includes(permission);

/** What has to do with secrets takes no idempotency key: nothing of them may be stored. */
const withoutKey =
  /\/(session|session\/second-factor|session\/single-sign-on(\/finish)?|me\/.+|partners\/[^/]+\/invitations)$/;

export const operatorSurface: Surface = {
  base: '/operator/v1',
  lists: { keepViews: true, count: true, csv: true },
  changeHeader: 'x-karat-console',
  takesKey: (path) => !withoutKey.test(path),
  mePath: '/operator/v1/me',
  readMe: (signal) => call(api.GET('/operator/v1/me', { signal })),
  stream: {
    path: '/operator/v1/stream',
    kindOf: (message) => JSON.parse(message).object_type,
    shownIn: {
      api_key: ['keys', 'partners'],
      approval: ['approvals', 'redemptions', 'summary'],
      audit: ['audit'],
      bar: ['bars', 'redemptions', 'stock'],
      chain: ['chain', 'summary', 'treasury'],
      country: ['countries'],
      dead_letter: ['dead-letters', 'summary'],
      denomination: ['denominations', 'stock'],
      id_type: ['countries'],
      operation: ['trades'],
      operator: ['operators'],
      operator_token: ['operators'],
      partner: ['partners'],
      purchase: ['orders', 'treasury'],
      redemption: ['bars', 'redemptions', 'stock', 'summary', 'treasury'],
      sale: ['orders', 'treasury'],
      trade: ['summary', 'trades', 'treasury'],
      treasury: ['summary', 'treasury'],
      user: ['users'],
      view: ['views'],
      wallet: ['partners'],
      webhook_endpoint: ['webhook-endpoints'],
      withdrawal: ['orders', 'treasury'],
    },
  },
  account: {
    signIn: (body) => call(api.POST('/operator/v1/session', { body })),
    finishSignIn: (body) => call(api.POST('/operator/v1/session/second-factor', { body })),
    signOut: () => call(api.DELETE('/operator/v1/session', {})),
    changePassword: (body) => call(api.PUT('/operator/v1/me/password', { body })),
    readFactors: () => call(api.GET('/operator/v1/me/second-factor')),
    challenge: (body) => call(api.POST('/operator/v1/me/second-factor/challenges', { body })),
    confirm: (body) => call(api.POST('/operator/v1/me/second-factor/confirm', { body })),
    confirmOtherwise: ({ second_factor_enrolled: isEnrolled }) => {
      if (isEnrolled) return undefined;
      const next = location.pathname + location.search;
      return goToProvider({ fresh: true, next });
    },
    startPasskey: (body) => call(api.POST('/operator/v1/me/passkeys/options', { body })),
    addPasskey: (body) => call(api.POST('/operator/v1/me/passkeys', { body })),
    renamePasskey: (passkey_id, body) =>
      call(api.PATCH('/operator/v1/me/passkeys/{passkey_id}', { params: { path: { passkey_id } }, body })),
    removePasskey: (passkey_id, body) =>
      call(
        api.POST('/operator/v1/me/passkeys/{passkey_id}/remove', { params: { path: { passkey_id } }, body }),
      ),
    startTotp: (body) => call(api.POST('/operator/v1/me/totp', { body })),
    confirmTotp: (body) => call(api.POST('/operator/v1/me/totp/confirm', { body })),
    removeTotp: (body) => call(api.POST('/operator/v1/me/totp/remove', { body })),
    renewRecoveryCodes: (body) => call(api.POST('/operator/v1/me/recovery-codes', { body })),
  },
};

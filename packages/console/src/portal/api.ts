import type { components, paths } from '@karat/sdk';
import { createApi } from '../api/client';
import { usePerson } from '../api/live';

export type Schemas = components['schemas'];
export type SignedInMember = Schemas['PortalSession'];
export type Permission = SignedInMember['permissions'][number];

export const api = createApi<paths>();

/** Returns the member who is signed in; pages are shown to no one else. */
export const useMe = (): SignedInMember => usePerson<SignedInMember>();

/** Returns whether the member has a permission, as the API says; pages leave out what would be refused. */
export const useMay = (permission: Permission): boolean => useMe().permissions.includes(permission);

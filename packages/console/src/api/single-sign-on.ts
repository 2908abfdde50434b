import type { components, paths } from '../generated/operator';
import { call, createApi } from './client';
import { session } from './session';

const api = createApi<paths>();

/** What the page keeps while the browser is at the identity provider: nothing that opens anything. */
const place = 'karat-single-sign-on';

export type SignInMethods = components['schemas']['SignInMethods'];

export const readSignInMethods = (): Promise<SignInMethods> => call(api.GET('/operator/v1/session/methods'));

/**
 * Sends the browser to the identity provider, which sends it back to the page that goes on to `next`; never returns. With
 * `fresh`, the person has to show everything there again, which confirms what is done in the next five minutes.
 */
export async function goToProvider({ fresh, next }: { fresh: boolean; next: string }): Promise<never> {
  const body = { fresh };
  const { authorization_url: url } = await call(api.POST('/operator/v1/session/single-sign-on', { body }));
  sessionStorage.setItem(place, JSON.stringify({ next, fresh }));
  location.assign(url);
  return new Promise<never>(() => {});
}

/** Returns where the browser was to go on to when it left for the identity provider. */
export function takePlace(): { next: string; fresh: boolean } {
  const kept = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  return kept === null ? { next: '/', fresh: false } : JSON.parse(kept);
}

/** Opens the session with what the provider sent back in the address, which this removes. */
export async function finishAtProvider() {
  const sent = new URLSearchParams(location.search);
  history.replaceState(history.state, '', location.pathname);
  const given = (name: string) => {
    const value = sent.get(name);
    return value ? { [name]: value } : {};
  };
  const body = { state: sent.get('state') ?? '-', ...given('code'), ...given('iss'), ...given('error') };
  const done = await session.begin(call(api.POST('/operator/v1/session/single-sign-on/finish', { body })));
  if ('confirmation' in done) session.confirmation = done.confirmation;
  return done;
}

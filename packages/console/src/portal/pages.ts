import { lazyPage } from '../app/lazy-page';

/** The pages of the portal by their paths, for those who are signed in. */
export const pages = {
  '/': lazyPage(() => import('./home'), 'Home'),
  '/account': lazyPage(() => import('./account'), 'Account'),
};

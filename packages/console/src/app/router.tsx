import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRouter,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { ApiError } from '../api/client';
import { meQuery, readMe } from '../api/live';
import { session } from '../api/session';
import { lazyPage } from './lazy-page';
import { NotFound } from './not-found';
import { PageFailure } from './page-failure';

/** What an application is made of, besides what all of them have. */
export interface Application {
  /** Where it is served; empty at `/`. */
  basepath: string;
  SignIn: FunctionComponent;
  /** The frame around pages. */
  Shell: FunctionComponent;
  /** The pages within the frame by their paths, for those who are signed in. */
  pages: Record<string, FunctionComponent>;
  /** Pages without the frame, for everyone. */
  openPages?: Record<string, FunctionComponent>;
}

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

/** Keeps what is text of a query, which is all that pages read from it. */
const texts = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );

const enrol = createRoute({
  getParentRoute: () => root,
  path: '/second-factor',
  validateSearch: texts,
  component: lazyPage(() => import('../pages/second-factor'), 'EnrolPage'),
  beforeLoad: async ({ context }) => {
    await context.queryClient.ensureQueryData(meQuery).catch(() => {
      throw redirect({ to: '/sign-in' });
    });
  },
});

/** Where to go after signing in. The first page needs no mention. */
function nextOf(href: string): Record<string, string> {
  return href === '/' || href.startsWith('/sign-in') ? {} : { next: href };
}

/** Returns the tree of an application's pages. */
function treeOf({ SignIn, Shell, pages, openPages = {} }: Application) {
  const open = Object.entries({ '/sign-in': SignIn, ...openPages }).map(([path, component]) =>
    createRoute({ getParentRoute: () => root, path, validateSearch: texts, component }),
  );
  const app = createRoute({
    getParentRoute: () => root,
    id: 'app',
    component: Shell,
    errorComponent: PageFailure,
    beforeLoad: async ({ context, location }) => {
      try {
        const me = await readMe(context.queryClient);
        if (me.second_factor_required && !me.second_factor_enrolled && !me.second_factor_attested) {
          throw redirect({ to: '/second-factor', search: nextOf(location.href) });
        }
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        throw redirect({ to: '/sign-in', search: nextOf(location.href) });
      }
    },
  });
  const within = Object.entries(pages).map(([path, component]) =>
    createRoute({ getParentRoute: () => app, path, validateSearch: texts, component }),
  );
  return root.addChildren([...open, enrol, app.addChildren(within)]);
}

/** Makes the router of an application, which leads to its page for signing in when the session ends. */
export function createAppRouter(queryClient: QueryClient, application: Application): AnyRouter {
  const router = createRouter({
    routeTree: treeOf(application),
    basepath: application.basepath || '/',
    context: { queryClient },
    defaultPreload: 'intent',
    // Within the frame, whose navigation stays.
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
    // Nothing that a page holds of one thing, such as a document or an open form, is kept for the page of another one.
    defaultRemountDeps: ({ params }) => params,
    // Filters are text and stay readable in the address.
    parseSearch: parseSearchWith((value) => value),
    stringifySearch: stringifySearchWith(String),
  });
  let ending = false;
  session.onEnd = () => {
    // Before signing in there is no session that could end.
    if (ending || queryClient.getQueryData(meQuery.queryKey) === undefined) return;
    ending = true;
    const search = { ...nextOf(router.state.location.href), ended: '1' };
    void router.navigate({ to: '/sign-in', search, replace: true }).finally(() => {
      ending = false;
      queryClient.clear();
    });
  };
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    /** Of either application: paths are text. */
    router: AnyRouter;
  }
}

import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import { ApiError } from '../api/client';
import { meQuery, readMe } from '../api/live';
import { session } from '../api/session';
import { lazyPage } from './lazy-page';
import { NotFound } from './not-found';
import { PageFailure } from './page-failure';
import { Shell } from './shell';
import { SignIn } from './sign-in';

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

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: texts,
  component: SignIn,
});

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  errorComponent: PageFailure,
  beforeLoad: async ({ context, location }) => {
    try {
      const me = await readMe(context.queryClient);
      if (me.second_factor_required && !me.second_factor_enrolled) {
        throw redirect({ to: '/second-factor', search: nextOf(location.href) });
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: nextOf(location.href) });
    }
  },
});

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

const within = { getParentRoute: () => app, validateSearch: texts };

const today = createRoute({
  ...within,
  path: '/',
  component: lazyPage(() => import('../pages/today'), 'Today'),
});
const redemptions = createRoute({
  ...within,
  path: '/redemptions',
  component: lazyPage(() => import('../pages/redemptions'), 'Redemptions'),
});
const redemption = createRoute({
  ...within,
  path: '/redemptions/$id',
  component: lazyPage(() => import('../pages/redemption'), 'RedemptionDetail'),
});
const approvals = createRoute({
  ...within,
  path: '/approvals',
  component: lazyPage(() => import('../pages/approvals'), 'Approvals'),
});

const receipt = createRoute({
  ...within,
  path: '/redemptions/$id/receipt',
  component: lazyPage(() => import('../pages/receipt'), 'ReceiptPage'),
});
const counter = createRoute({
  ...within,
  path: '/counter',
  component: lazyPage(() => import('../pages/counter'), 'Counter'),
});
const stock = createRoute({
  ...within,
  path: '/stock',
  component: lazyPage(() => import('../pages/stock'), 'Stock'),
});
const importBars = createRoute({
  ...within,
  path: '/stock/import',
  component: lazyPage(() => import('../pages/import-bars'), 'ImportBars'),
});
const partners = createRoute({
  ...within,
  path: '/partners',
  component: lazyPage(() => import('../pages/partners'), 'Partners'),
});
const partner = createRoute({
  ...within,
  path: '/partners/$id',
  component: lazyPage(() => import('../pages/partner'), 'PartnerDetail'),
});
const webhooks = createRoute({
  ...within,
  path: '/webhooks',
  component: lazyPage(() => import('../pages/webhooks'), 'Webhooks'),
});
const webhook = createRoute({
  ...within,
  path: '/webhooks/$id',
  component: lazyPage(() => import('../pages/webhook'), 'WebhookDetail'),
});
const users = createRoute({
  ...within,
  path: '/users',
  component: lazyPage(() => import('../pages/users'), 'Users'),
});
const user = createRoute({
  ...within,
  path: '/users/$id',
  component: lazyPage(() => import('../pages/user'), 'UserDetail'),
});
const trades = createRoute({
  ...within,
  path: '/trades',
  component: lazyPage(() => import('../pages/trades'), 'Trades'),
});
const orders = createRoute({
  ...within,
  path: '/orders',
  component: lazyPage(() => import('../pages/orders'), 'Orders'),
});
const treasury = createRoute({
  ...within,
  path: '/treasury',
  component: lazyPage(() => import('../pages/treasury'), 'Treasury'),
});
const settings = createRoute({
  ...within,
  path: '/settings',
  component: lazyPage(() => import('../pages/settings'), 'ProgramSettings'),
});
const catalogue = createRoute({
  ...within,
  path: '/catalogue',
  component: lazyPage(() => import('../pages/catalogue'), 'Catalogue'),
});
const deadLetters = createRoute({
  ...within,
  path: '/dead-letters',
  component: lazyPage(() => import('../pages/dead-letters'), 'DeadLetters'),
});
const audit = createRoute({
  ...within,
  path: '/audit',
  component: lazyPage(() => import('../pages/audit'), 'Audit'),
});
const operators = createRoute({
  ...within,
  path: '/operators',
  component: lazyPage(() => import('../pages/operators'), 'Operators'),
});
const account = createRoute({
  ...within,
  path: '/account',
  component: lazyPage(() => import('../pages/account'), 'Account'),
});

const pages = [
  today,
  redemptions,
  redemption,
  approvals,
  receipt,
  counter,
  stock,
  importBars,
  partners,
  partner,
  webhooks,
  webhook,
  users,
  user,
  trades,
  orders,
  treasury,
  settings,
  catalogue,
  deadLetters,
  audit,
  operators,
  account,
];
const tree = root.addChildren([signIn, enrol, app.addChildren(pages)]);

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    // Within the frame of the console, whose navigation stays.
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
    router: ReturnType<typeof createAppRouter>;
  }
}

import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
  useRouter,
} from '@tanstack/react-router';
import { ApiError } from '../api/client';
import { meQuery, readMe } from '../api/live';
import { session } from '../api/session';
import { Failure } from '../ui/states';
import { NotFound } from './not-found';
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

/** What is shown where the operator could not be read, which `reset` alone would not read again. */
function Unread({ error }: ErrorComponentProps) {
  const router = useRouter();
  return <Failure error={error} retry={() => void router.invalidate()} />;
}

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  errorComponent: Unread,
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
  component: lazyRouteComponent(() => import('../pages/second-factor'), 'EnrolPage'),
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
  component: lazyRouteComponent(() => import('../pages/today'), 'Today'),
});
const redemptions = createRoute({
  ...within,
  path: '/redemptions',
  component: lazyRouteComponent(() => import('../pages/redemptions'), 'Redemptions'),
});
const redemption = createRoute({
  ...within,
  path: '/redemptions/$id',
  component: lazyRouteComponent(() => import('../pages/redemption'), 'RedemptionDetail'),
});
const approvals = createRoute({
  ...within,
  path: '/approvals',
  component: lazyRouteComponent(() => import('../pages/approvals'), 'Approvals'),
});

const receipt = createRoute({
  ...within,
  path: '/redemptions/$id/receipt',
  component: lazyRouteComponent(() => import('../pages/receipt'), 'ReceiptPage'),
});
const counter = createRoute({
  ...within,
  path: '/counter',
  component: lazyRouteComponent(() => import('../pages/counter'), 'Counter'),
});
const stock = createRoute({
  ...within,
  path: '/stock',
  component: lazyRouteComponent(() => import('../pages/stock'), 'Stock'),
});
const importBars = createRoute({
  ...within,
  path: '/stock/import',
  component: lazyRouteComponent(() => import('../pages/import-bars'), 'ImportBars'),
});
const partners = createRoute({
  ...within,
  path: '/partners',
  component: lazyRouteComponent(() => import('../pages/partners'), 'Partners'),
});
const partner = createRoute({
  ...within,
  path: '/partners/$id',
  component: lazyRouteComponent(() => import('../pages/partner'), 'PartnerDetail'),
});
const webhooks = createRoute({
  ...within,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks'), 'Webhooks'),
});
const webhook = createRoute({
  ...within,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('../pages/webhook'), 'WebhookDetail'),
});
const users = createRoute({
  ...within,
  path: '/users',
  component: lazyRouteComponent(() => import('../pages/users'), 'Users'),
});
const user = createRoute({
  ...within,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('../pages/user'), 'UserDetail'),
});
const trades = createRoute({
  ...within,
  path: '/trades',
  component: lazyRouteComponent(() => import('../pages/trades'), 'Trades'),
});
const orders = createRoute({
  ...within,
  path: '/orders',
  component: lazyRouteComponent(() => import('../pages/orders'), 'Orders'),
});
const treasury = createRoute({
  ...within,
  path: '/treasury',
  component: lazyRouteComponent(() => import('../pages/treasury'), 'Treasury'),
});
const settings = createRoute({
  ...within,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings'), 'ProgramSettings'),
});
const catalogue = createRoute({
  ...within,
  path: '/catalogue',
  component: lazyRouteComponent(() => import('../pages/catalogue'), 'Catalogue'),
});
const deadLetters = createRoute({
  ...within,
  path: '/dead-letters',
  component: lazyRouteComponent(() => import('../pages/dead-letters'), 'DeadLetters'),
});
const audit = createRoute({
  ...within,
  path: '/audit',
  component: lazyRouteComponent(() => import('../pages/audit'), 'Audit'),
});
const operators = createRoute({
  ...within,
  path: '/operators',
  component: lazyRouteComponent(() => import('../pages/operators'), 'Operators'),
});
const account = createRoute({
  ...within,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account'), 'Account'),
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

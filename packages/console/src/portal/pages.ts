import { lazyPage } from '../app/lazy-page';

/** The pages of the portal by their paths, for those who are signed in. */
export const pages = {
  '/': lazyPage(() => import('./home'), 'Home'),
  '/trades': lazyPage(() => import('./trades'), 'Trades'),
  '/trades/$id': lazyPage(() => import('./trades'), 'TradeDetail'),
  '/redemptions': lazyPage(() => import('./redemptions'), 'Redemptions'),
  '/redemptions/$id': lazyPage(() => import('./redemptions'), 'RedemptionDetail'),
  '/customers': lazyPage(() => import('./customers'), 'Customers'),
  '/customers/$id': lazyPage(() => import('./customers'), 'CustomerDetail'),
  '/team': lazyPage(() => import('./team'), 'Team'),
  '/account': lazyPage(() => import('./account'), 'Account'),
  '/vault': lazyPage(() => import('./vault'), 'VaultPage'),
  '/statements': lazyPage(() => import('./statements'), 'Statements'),
  '/limits': lazyPage(() => import('./limits'), 'Limits'),
  '/keys': lazyPage(() => import('./keys'), 'Keys'),
  '/requests': lazyPage(() => import('./requests'), 'Requests'),
  '/requests/$id': lazyPage(() => import('./request'), 'RequestDetail'),
  '/webhooks': lazyPage(() => import('./webhooks'), 'Webhooks'),
  '/webhooks/$id': lazyPage(() => import('./webhook'), 'Webhook'),
  '/webhooks/$id/$delivery': lazyPage(() => import('./delivery'), 'DeliveryDetail'),
};

/** Those for everyone. */
export const openPages = {
  '/invitation': lazyPage(() => import('./invitation'), 'AcceptInvitation'),
};

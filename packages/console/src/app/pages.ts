import { lazyPage } from './lazy-page';

/** The pages of the console by their paths. */
export const pages = {
  '/': lazyPage(() => import('../pages/today'), 'Today'),
  '/redemptions': lazyPage(() => import('../pages/redemptions'), 'Redemptions'),
  '/redemptions/$id': lazyPage(() => import('../pages/redemption'), 'RedemptionDetail'),
  '/redemptions/$id/receipt': lazyPage(() => import('../pages/receipt'), 'ReceiptPage'),
  '/approvals': lazyPage(() => import('../pages/approvals'), 'Approvals'),
  '/counter': lazyPage(() => import('../pages/counter'), 'Counter'),
  '/stock': lazyPage(() => import('../pages/stock'), 'Stock'),
  '/stock/import': lazyPage(() => import('../pages/import-bars'), 'ImportBars'),
  '/partners': lazyPage(() => import('../pages/partners'), 'Partners'),
  '/partners/$id': lazyPage(() => import('../pages/partner'), 'PartnerDetail'),
  '/webhooks': lazyPage(() => import('../pages/webhooks'), 'Webhooks'),
  '/webhooks/$id': lazyPage(() => import('../pages/webhook'), 'WebhookDetail'),
  '/users': lazyPage(() => import('../pages/users'), 'Users'),
  '/users/$id': lazyPage(() => import('../pages/user'), 'UserDetail'),
  '/trades': lazyPage(() => import('../pages/trades'), 'Trades'),
  '/orders': lazyPage(() => import('../pages/orders'), 'Orders'),
  '/treasury': lazyPage(() => import('../pages/treasury'), 'Treasury'),
  '/settings': lazyPage(() => import('../pages/settings'), 'ProgramSettings'),
  '/catalogue': lazyPage(() => import('../pages/catalogue'), 'Catalogue'),
  '/dead-letters': lazyPage(() => import('../pages/dead-letters'), 'DeadLetters'),
  '/audit': lazyPage(() => import('../pages/audit'), 'Audit'),
  '/operators': lazyPage(() => import('../pages/operators'), 'Operators'),
  '/account': lazyPage(() => import('../pages/account'), 'Account'),
};

/** Those for everyone. */
export const openPages = {
  '/single-sign-on': lazyPage(() => import('../pages/single-sign-on'), 'SingleSignOn'),
};

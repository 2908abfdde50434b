/** Texts of the portal's frame and of what is shown before signing in. Each page has a file of its own next to this one. */
export const frame = {
  product: 'Karat portal',
  name: 'Partner portal',
  lead: 'Your customers buy, sell and collect gold. See every trade, every bar, every request.',
  nav: {
    business: 'Business',
    integration: 'Integration',
    people: 'People',
    home: 'Home',
    trades: 'Trades',
    redemptions: 'Redemptions',
    customers: 'Customers',
    vault: 'Orders and vault',
    statements: 'Statements',
    limits: 'Limits',
    keys: 'API keys',
    webhooks: 'Webhooks',
    requests: 'Requests',
    team: 'Team',
    account: 'My account',
  },
  roles: {
    owner: 'Owner',
    developer: 'Developer',
    finance: 'Finance',
    viewer: 'Viewer',
  },
};

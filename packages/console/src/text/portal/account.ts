/** Texts of the page about the member who is signed in. */
export const account = {
  title: 'My account',
  lead: 'Who you are here, and how you sign in.',
  who: 'You',
  name: 'Name',
  email: 'Email',
  role: 'Role',
  id: 'Id',
  partner: 'Partner',
  wallet:
    'You signed in with a wallet of the partner. It has no password and no second factor: only the wallet opens this session.',
  roleText: {
    owner: 'You see everything, and manage members, keys and webhooks.',
    developer: 'You see everything but members, and manage keys and webhooks.',
    finance: 'You see trades, redemptions, balances and statements, and change nothing.',
    viewer: 'You see everything but members, keys and bodies of requests, and change nothing.',
  },
};

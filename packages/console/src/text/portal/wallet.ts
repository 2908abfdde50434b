/** Texts of signing in with a wallet. */
export const wallet = {
  action: 'Sign in with a wallet',
  lead: 'Choose a wallet that is registered for your company. It signs a message; nothing is sent to the chain.',
  partner: 'Partner id',
  partnerHint: 'The people who run Karat have given it to you.',
  choose: 'Wallet',
  none: 'No wallet is installed in this browser. Install one that supports the Wallet Standard, such as Phantom or Solflare, and reload this page.',
  mute: '{name} cannot sign messages. Choose another wallet.',
  noAccount: '{name} gave no account. Allow this page to see one, then try again.',
  otherAccount: '{name} has not given access to {address}. Choose that account in it, then try again.',
  refused: '{name} did not sign. Try again, and approve the message.',
  wrong:
    'This wallet is not registered for that partner. Check the partner id, and choose another wallet or account.',
  back: 'Use email and password',
};

/** Texts of the first page. */
export const home = {
  title: 'Home',
  leadNew: 'Five steps to the first live trade of {name}.',
  lead: 'What happens at {name} today.',
  waiting: 'No trade yet. Your developers connect your systems; the first trade appears here by itself.',
  suspended: 'Karat has suspended {name}. You can read everything; changes and API keys are refused.',
  checklist: 'To the first trade',
  done: '{done} of {all} done',
  samples:
    'Each sample is a program that runs as it stands: with the SDK installed, the key in KARAT_API_KEY, and the key files of your wallet and of a customer’s as wallet.json and customer.json.',
  guides: { 'partner-guide': 'Partner guide', sdk: 'TypeScript', 'sdk-python': 'Python', 'sdk-go': 'Go' },
  guidesLabel: 'Guides',
  language: 'Language of the sample',
  steps: {
    wallet: {
      title: 'A wallet that signs for you',
      open: 'Karat registers the wallet of your company. Send its address to the people who run Karat.',
      done: 'Registered: {wallets}',
    },
    key: {
      title: 'An API key',
      open: 'Your wallet signs a challenge, and gets a key for your server.',
      done: 'There is a key that works.',
    },
    quote: {
      title: 'The first quote',
      open: 'Register a customer, then request a price for gold.',
      done: 'A quote was made.',
    },
    webhook: {
      title: 'The first webhook',
      open: 'Your server receives each change as it happens, and need not poll for it. Put its address in place of the one here.',
      done: 'An endpoint receives your events.',
    },
    trade: {
      title: 'The first trade',
      open: 'Your wallet and the customer sign the quote. It is on chain seconds later.',
      done: 'It is on chain.',
    },
  },
  state: { done: 'Done', open: 'To do' },
  tiles: {
    trades: 'Trades today',
    bought: 'Bought today',
    sold: 'Sold today',
    redemptions: 'Redemptions under way',
  },
  tilesMore: { more: 'at least', none: 'None', failed: '{count} failed' },
  latestTrades: 'Latest trades',
  latestRedemptions: 'Latest redemptions',
  problems: 'Open problems',
  noProblems: 'Nothing needs you.',
  failedTrade: 'A trade failed: {reason}',
  disabledWebhook: 'A webhook endpoint is disabled: {url}',
  cancellation: 'A cancellation waits for Karat: {item}',
};

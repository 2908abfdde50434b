// Every word of the shop, in one place. Another language is another object with the same keys.

const locale = 'en-GB';

/** How numbers, times and names are written; amounts of GOLD are troy ounces. */
export const format = {
  usdc: (value) => `${decimals(value, 2, 2)} USDC`,
  exactUsdc: (value) => `${decimals(value, 2, 6)} USDC`,
  bareUsdc: (value) => decimals(value, 2, 2),
  dollars: (value) => `$${decimals(value, 2, 2)}`,
  bareGold: (value) => decimals(value, 0, 6),
  gold: (value) => `${decimals(value, 0, 6)} oz`,
  weights: (ounces) => `${decimals(ounces * 31.1034768, 0, 2)} g · ${decimals(ounces * (8 / 3), 0, 2)} tola`,
  time: (at) => new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' }),
  date: (at) => new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
  compare: new Intl.Collator(locale).compare,
};

const isThisYear = (at) => new Date(at).getFullYear() === new Date().getFullYear();
const isToday = (at) => new Date(at).toDateString() === new Date().toDateString();

/** The same of the chart; see price-chart.d.ts of the console, which has it too. */
export const chartFormat = {
  dollars: (price, places) => `$${decimals(price, places, places)}`,
  percent: (share) => `${share < 0 ? '−' : '+'}${decimals(Math.abs(share) * 100, 2, 2)} %`,
  fee: (bps) => `${decimals(bps / 100, 2, 2)} %`,
  time: format.time,
  day: (at) => new Date(at).toLocaleDateString(locale, { day: 'numeric', month: 'short' }),
  date: (at) =>
    isThisYear(at) ? chartFormat.day(at) : new Date(at).toLocaleDateString(locale, { dateStyle: 'medium' }),
  moment: (at) => (isToday(at) ? format.time(at) : `${chartFormat.date(at)}, ${format.time(at)}`),
};
function decimals(value, minimumFractionDigits, maximumFractionDigits) {
  return Number(value).toLocaleString('en-US', { minimumFractionDigits, maximumFractionDigits });
}

/** What stands in index.html, by the `data-text` of its element. */
const page = {
  title: 'Gold shop',
  sandbox: 'Sandbox.',
  sandboxHint:
    'Nothing here is worth anything. This page has the key of its test wallet: never do that with a real one.',
  goldPrice: 'Gold, troy ounce',
  welcome: 'Gold you hold yourself.',
  lead: 'Buy any amount. Sell it at any time. Or turn it into a bar, and pick it up in your city.',
  noWallet: 'No wallet was found in this browser. Install one, then reload this page.',
  who: 'Who are you?',
  whoHint: 'Gold is sold to people whose identity is known. This shop takes your word for it.',
  fullName: 'Full name',
  country: 'Country',
  register: 'Register',
  signOut: 'Sign out',
  yourGold: 'Your gold',
  ounces: 'oz',
  worth: 'worth',
  usdc: 'USDC',
  wallet: 'Wallet',
  trade: 'Trade',
  buy: 'Buy',
  sell: 'Sell',
  redeem: 'Redeem',
  amountUsdc: 'Amount in USDC',
  amountGold: 'Amount of gold in ounces',
  max: 'Max',
  getPrice: 'Get a price',
  city: 'City',
  bar: 'Bar',
  sign: 'Sign in wallet',
  back: 'Back',
  price: 'Price of gold',
  hour: '1 hour',
  day: '1 day',
  month: '1 month',
  year: '1 year',
  fees: 'Your buy and sell price',
  bars: 'Your bars',
  trades: 'Latest trades',
};

const newPrice = 'Get a new price.';
const later = 'Try again in a moment.';
const nothing = 'Nothing was exchanged.';

/** What goes wrong, by Karat's reason or code: what happened, and what to do next. */
const problems = {
  insufficient_usdc: ({ have }) =>
    have === undefined ? 'You have too little USDC.' : `You have only ${format.exactUsdc(have)}. Enter less.`,
  insufficient_gold: ({ have, need, kind }) => {
    if (have === undefined) return 'You have too little gold.';
    if (kind !== 'redeem') return `You have only ${format.gold(have)}. Enter less.`;
    return `This bar takes ${format.gold(need)}, and you have ${format.gold(have)}. Choose a smaller one, or buy gold first.`;
  },
  token_account_missing: 'Your wallet does not hold what this takes.',
  invalid_amount: 'This amount is too small, too large, or has more than six decimals.',
  invalid_request: 'Something you entered cannot be used. Check it and try again.',
  quote_expired: `This price has ended. ${nothing} ${newPrice}`,
  slippage_exceeded: `The price has just moved. ${nothing} ${newPrice}`,
  price_moved: `The price has just moved. ${nothing} ${newPrice}`,
  market_closed: `The market for gold is closed. ${nothing} Come back when it opens.`,
  trading_paused: `The shop is not trading just now. ${nothing} Try again later.`,
  pricing_unavailable: `There is no price of gold at this moment. ${later}`,
  price_unavailable: `There was no price of gold at that moment. ${nothing} ${newPrice}`,
  price_stale: `There is no price of gold at this moment. ${later}`,
  price_unreachable: `There is no price of gold at this moment. ${later}`,
  price_out_of_band: 'The price of gold moves too much to trade just now. Try again later.',
  usdc_off_peg:
    'USDC is not worth a dollar just now, so nothing can be bought with it. You can sell and redeem.',
  limit_exceeded: 'This is more than you can trade today. Enter less, or come back tomorrow.',
  treasury_short: 'The shop cannot take this much at once. Enter less, or try again later.',
  not_backed: 'No gold is sold until the latest bars are counted. You can sell and redeem.',
  opposite_side_too_early: `The shop cannot take this just now. ${later}`,
  wallet_not_allowed: 'This wallet cannot be used here. Contact the shop.',
  user_suspended: 'Your account is on hold. Contact the shop.',
  partner_suspended: 'The shop is closed just now. Try again later.',
  user_already_exists: 'This wallet is registered already. Reload the page.',
  invalid_city: 'This bar is not handed over in this city any more. Choose another one.',
  invalid_denomination: 'This bar is not offered any more. Choose another one.',
  rate_limited: `Too many people are trading just now. ${later}`,
  transaction_altered: `Your wallet has changed what was to be signed. ${nothing} Turn that off in the wallet, or use another one.`,
  signature_missing: `Your wallet did not sign this. ${nothing}`,
  signature_invalid: `Your wallet did not sign this. ${nothing}`,
  network_error: `The shop cannot reach the vault just now. ${later}`,
  unexpected_response: `The shop cannot reach the vault just now. ${later}`,
  service_unavailable: `The shop cannot do this just now. ${later}`,
  signed_out: 'You have been signed out. Sign in again to go on.',
  unanswered: `The shop does not respond. ${later}`,
  unsure:
    'No response arrived, so this may or may not have been done. Look at your balance and your trades before you try again.',
  rejected: 'You rejected it in your wallet.',
  wallet_failed: `Your wallet could not sign this. ${nothing}`,
  no_account: 'The wallet has no account.',
  other: `That did not work. ${later}`,
};

/** Returns what a customer is told of an error: never words of an API, a chain or a program. */
function problem(error, kind) {
  const amount = error.code === 'invalid_request' && /_amount$/.test(error.field ?? '') && 'invalid_amount';
  const known = [error.reason, amount, error.code].find((key) => problems[key]) ?? 'other';
  const words = problems[known];
  return typeof words === 'function' ? words({ ...error, kind }) : words;
}

export const text = {
  page,
  problem,
  pageTitle: (name) => `${name}: gold`,
  continueWith: (name) => `Continue with ${name}`,
  /** By the type of the event. */
  happened: {
    'trade.confirmed': 'Done: the chain has confirmed it.',
    'trade.failed': `The trade did not go through. ${nothing}`,
    'trade.expired': `The trade came too late. ${nothing}`,
    'redemption.submitted': 'Paid. We prepare your bar.',
    'redemption.preparing': 'Your bar is on its way to the counter.',
    'redemption.ready': 'Your bar is ready.',
    'redemption.collected': 'Your bar was handed over.',
    'redemption.cancelled': 'Your redemption was cancelled.',
    'redemption.refunded': 'Your gold is back in your wallet.',
    'redemption.failed': `The payment did not go through. ${nothing}`,
  },
  waitingForWallet: 'Waiting for your wallet…',
  sent: 'Sent. Waiting for the chain…',
  neverSent: `Your last order never reached the shop. ${nothing}`,
  holds: (seconds) => `This price holds for ${seconds} s, then you see a new one.`,
  renewed: (time) => `A new price, of ${time}.`,
  priceEnded: `This price has ended. ${newPrice}`,
  lost: (since, of) =>
    `No connection since ${since}. Prices and balances are of ${of}, and nothing can be bought, sold or redeemed now.`,
  quote: {
    pay: 'You pay',
    get: 'You get',
    give: 'You give',
    atLeast: 'At least',
    perOunce: 'Price per ounce',
    barValue: 'Worth of the bar',
    fee: 'Fee, included',
  },
  noBars: 'No bar yet.',
  noTrades: 'No trade yet.',
  bought: (amount) => `Bought ${amount}`,
  sold: (amount) => `Sold ${amount}`,
  anOunce: (dollars) => `${dollars} an ounce`,
  tradeFailed: 'Not done',
  explorer: 'Explorer',
  steps: { submitted: 'Paid', preparing: 'Preparing', ready: 'Ready', collected: 'Collected' },
  ended: {
    cancellation_requested: 'You have asked for your gold back.',
    cancelled: 'Cancelled: your gold is back in your wallet.',
    failed: `The payment did not go through. ${nothing}`,
  },
  bring: 'Bring an identity card and this code: ',
  qr: 'Pickup code as a QR code',
  barChoice: (label, weight) => `${label} (${weight})`,
  chart: {
    none: `There is no price of gold at this moment. ${later}`,
    resting: 'The market is closed, and there are too few prices for a chart. Choose a longer time.',
    from: (when) => `There are too few prices for a chart yet. There will be one from ${when}.`,
    change: (percent, since) => `${percent} since ${since}`,
    summary: (change, lowest, highest) => `Price of gold: ${change}, lowest ${lowest}, highest ${highest}`,
    at: (price, when) => `${price} at ${when}`,
    bands: (buy, sell) => `you buy at ${buy}, you sell at ${sell}`,
    price: 'Price',
    fees: (open, closed) =>
      open === closed
        ? `Your buy and sell price (fee ${open})`
        : `Your buy and sell price (fee ${open}, while the market is closed ${closed})`,
    closed: 'Market closed',
    open: 'Open',
    shut: 'Closed',
    table: 'Prices as a table',
    columns: { time: 'Time', price: 'Price', buy: 'You buy', sell: 'You sell', market: 'Market' },
  },
};

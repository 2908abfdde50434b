// The page of the shop: finds wallets (Wallet Standard), has them sign, and shows what happens.

const el = (id) => document.getElementById(id);
const number = (value, digits) => value.toLocaleString('en-US', { maximumFractionDigits: digits });
const dollars = (value) => value.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
const gramsPerOunce = 31.1034768;

/** Whether the shop's server responds, and since when it does not: prices and balances are of before. */
const lostAfterMs = 5_000;
let heardAt = Date.now();
let failing; // { since, timer } from the first failure on
let lost = false;
function heard() {
  heardAt = Date.now();
  clearTimeout(failing?.timer);
  failing = undefined;
  if (!lost) return;
  showConnection(false);
  // What happened meanwhile; a server that was started again may know neither session nor stream.
  if (account?.registered) refresh().then(follow, signInAgain);
}
function failed() {
  failing ??= { since: Date.now(), timer: setTimeout(() => showConnection(true), lostAfterMs) };
}
const time = (at) => new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
function showConnection(isLost) {
  lost = isLost;
  el('connection').hidden = !isLost;
  el('connection').textContent = isLost
    ? `No connection since ${time(failing.since)}. Prices and balances are of ${time(heardAt)}, and nothing can be bought, sold or redeemed now.`
    : '';
  showButtons();
}
let working = false;
function showButtons() {
  for (const button of document.querySelectorAll('main button')) button.disabled = working || lost;
}
function signInAgain(error) {
  if (error.status !== 401) return;
  el('error').textContent = 'You have been signed out. Sign in again to go on.';
  show('welcome');
}

const unanswered = {
  GET: 'The shop does not respond. Try again in a moment.',
  POST: 'No response arrived, so this may or may not have been done. Look at your balance and your trades before you try again.',
};

/** Calls the shop's server. Throws an error with its message. */
async function api(method, path, body, signal) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/api/${path}`, { method, signal, ...json }).catch(() => undefined);
  const result = await response?.json().catch(() => undefined);
  if (result === undefined || (method === 'GET' && response.status >= 500)) failed();
  else heard();
  if (result === undefined) throw new Error(unanswered[method]);
  if (!response.ok) throw Object.assign(new Error(result.message), { status: response.status });
  return result;
}
const get = (path, signal) => api('GET', path, undefined, signal);
const post = (path, body = {}) => api('POST', path, body);

const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** Builds an element; what comes from a server is only ever text. */
function make(tag, attributes, ...children) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

let shop;
let wallet;
let account;
let price;
let offer;

/** Wallets that this page can use, as they make themselves known. */
const wallets = [];
function register(...found) {
  for (const one of found) {
    const signs = 'solana:signTransaction' in one.features && 'solana:signMessage' in one.features;
    if (signs && 'standard:connect' in one.features && one.chains.includes(shop.chain)) wallets.push(one);
  }
  showWallets();
  return () => {};
}
function findWallets() {
  window.addEventListener('wallet-standard:register-wallet', ({ detail }) => detail({ register }));
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
}

function showWallets() {
  el('no-wallet').hidden = wallets.length > 0;
  el('wallets').replaceChildren(
    ...wallets.map((one) =>
      make(
        'button',
        { className: 'primary', onclick: () => busy(() => signIn(one)) },
        `Continue with ${one.name}`,
      ),
    ),
  );
}

/** Connects a wallet, which proves by a signature that it is the customer's. */
async function signIn(chosen) {
  await connect(chosen);
  const { message } = await post('challenge', { wallet: wallet.account.address });
  const [{ signature }] = await chosen.features['solana:signMessage'].signMessage({
    account: wallet.account,
    message: new TextEncoder().encode(message),
  });
  await post('session', { wallet: wallet.account.address, signature: toBase64(signature) });
  localStorage.setItem('wallet', chosen.name);
  await enter();
}

async function connect(chosen) {
  const { accounts } = await chosen.features['standard:connect'].connect();
  if (!accounts[0]) throw new Error('The wallet has no account.');
  wallet = { chosen, account: accounts[0] };
}

/** Shows what comes next for a customer who has signed in, and follows what happens from then on. */
async function enter() {
  await refresh();
  show(account.registered ? 'account' : 'register');
  if (account.registered) follow();
}

function show(id) {
  for (const one of ['welcome', 'register', 'account']) el(one).hidden = one !== id;
}

const texts = {
  'trade.confirmed': 'Done: the chain has confirmed it.',
  'trade.failed': 'The trade failed on chain. Nothing was exchanged.',
  'trade.expired': 'The trade expired. Nothing was exchanged.',
  'redemption.submitted': 'Paid. We prepare your bar.',
  'redemption.preparing': 'Your bar is on its way to the counter.',
  'redemption.ready': 'Your bar is ready.',
  'redemption.collected': 'Your bar was handed over.',
  'redemption.cancelled': 'Your redemption was cancelled.',
  'redemption.refunded': 'Your gold is back in your wallet.',
  'redemption.failed': 'The payment failed on chain. Nothing was exchanged.',
};

let live;
function follow() {
  live?.close(); // it may be that of a session that has ended
  live = new EventSource('/api/live');
  live.onopen = () => refresh().catch(() => {});
  live.onerror = failed;
  live.onmessage = ({ data }) => {
    const { type } = JSON.parse(data);
    if (texts[type]) el('status').textContent = texts[type];
    refresh().catch(() => {});
  };
}

let requested = 0;
let shown = 0;
async function refresh() {
  requested += 1;
  const turn = requested;
  const found = await Promise.all([get('account'), get('price')]);
  // What was requested later may have come first, and is newer.
  if (turn < shown) return;
  shown = turn;
  [account, price] = found;
  showPrice();
  if (!account.registered) return;
  const { balances, trades, redemptions } = account;
  el('gold').textContent = number(balances.gold, 6);
  el('grams').textContent = `${number(balances.gold * gramsPerOunce, 2)} g`;
  el('usdc').textContent = number(balances.usdc, 2);
  el('wallet').textContent = `${account.wallet.slice(0, 4)}…${account.wallet.slice(-4)}`;
  el('bars').replaceChildren(...orNone(redemptions.map(barOf), 'No bar yet.'));
  el('trades').replaceChildren(...orNone(trades.map(tradeOf), 'No trade yet.'));
}

const orNone = (items, text) => (items.length > 0 ? items : [make('li', { className: 'empty' }, text)]);

function showPrice() {
  el('price').textContent = dollars(price.price_per_troy_oz);
  if (account?.registered) el('worth').textContent = dollars(account.balances.gold * price.price_per_troy_oz);
}

function tradeOf({ side, status, gold_amount, usdc_amount }) {
  const what = `${side === 'buy' ? 'Bought' : 'Sold'} ${number(gold_amount, 6)} oz`;
  const amount = status === 'confirmed' ? `${number(usdc_amount, 2)} USDC` : status;
  return make('li', { className: 'line' }, make('span', {}, what), make('span', {}, amount));
}

const steps = { submitted: 'Paid', preparing: 'Preparing', ready: 'Ready', collected: 'Collected' };

function barOf({ redemption_id, denomination, city, status, pickup_code }) {
  const head = make('div', { className: 'line' }, make('b', {}, denomination), make('span', {}, city));
  const reached = Object.keys(steps).indexOf(status);
  if (reached < 0)
    return make('li', {}, head, make('p', { className: 'muted' }, status.replaceAll('_', ' ')));
  const list = make('ol', { className: 'steps' });
  for (const [at, text] of Object.values(steps).entries()) {
    const step = make('li', { className: at <= reached ? 'done' : '' }, text);
    if (at === reached) step.setAttribute('aria-current', 'step');
    list.append(step);
  }
  const item = make('li', {}, head, list);
  if (pickup_code)
    item.append(make('p', {}, 'Bring an identity card and this code: ', make('b', {}, pickup_code)));
  const next = { submitted: 'ready', preparing: 'ready', ready: 'collected' }[status];
  if (shop.test_wallet && next) {
    item.append(make('code', {}, `npx karat trigger redemption.${next} --redemption ${redemption_id}`));
  }
  return item;
}

/** Asks for a price, and shows it with what it means. */
async function ask(kind, form) {
  const { amount, ...desired } = Object.fromEntries(new FormData(form));
  offer = { kind, ...(await post(kind, amount === undefined ? desired : { amount: Number(amount) })) };
  const { quote } = offer;
  const rows = {
    buy: () => [
      ['You pay', `${number(quote.usdc_amount, 2)} USDC`],
      ['You get', `${number(quote.gold_amount, 6)} oz`],
      ['At least', `${number(quote.min_gold_out, 6)} oz`],
    ],
    sell: () => [
      ['You give', `${number(quote.gold_amount, 6)} oz`],
      ['You get', `${number(quote.usdc_amount, 2)} USDC`],
      ['At least', `${number(quote.min_usdc_out, 2)} USDC`],
    ],
    redeem: () => [
      ['You give', `${number(Number(quote.tokens_required), 6)} oz`],
      ['Worth of the bar', dollars(quote.gold_value_usd)],
    ],
  }[kind]();
  rows.push(['Fee, included', dollars(quote.fee_usd)]);
  el('offer').firstElementChild.replaceChildren(
    ...rows.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
  showForm('offer');
}

/** Has the wallet sign the offer, and sends it. Its confirmation comes as an event. */
async function confirm() {
  el('status').textContent = 'Waiting for your wallet…';
  const { chosen, account: signer } = wallet;
  const [{ signedTransaction }] = await chosen.features['solana:signTransaction'].signTransaction({
    account: signer,
    chain: shop.chain,
    transaction: fromBase64(offer.transaction),
  });
  el('status').textContent = 'Sent. Waiting for the chain…';
  const { kind, id } = offer;
  showForm(kind);
  await post('submit', { kind, id, transaction: toBase64(signedTransaction) });
}

function showForm(kind) {
  for (const form of document.querySelectorAll('[data-form]')) form.hidden = form.dataset.form !== kind;
  el('offer').hidden = kind !== 'offer';
  for (const tab of document.querySelectorAll('[data-tab]')) {
    if (kind !== 'offer') tab.setAttribute('aria-pressed', String(tab.dataset.tab === kind));
  }
}

/** Does something with the buttons off; what goes wrong is shown. */
async function busy(act) {
  working = true;
  showButtons();
  el('error').textContent = '';
  try {
    await act();
  } catch (error) {
    el('status').textContent = '';
    el('error').textContent = error.message;
    if (error.status === 401) show('welcome');
  } finally {
    working = false;
    showButtons();
  }
}

const options = (select, entries) =>
  select.replaceChildren(...entries.map(([value, text]) => make('option', { value }, text)));

let bars = [];
async function chooseCountry() {
  const { country, city } = document.forms.redeem.elements;
  bars = await get(`bars?country=${country.value}`);
  options(
    city,
    [...new Set(bars.map((bar) => bar.city))].map((name) => [name, name]),
  );
  chooseCity();
}
function chooseCity() {
  const { city, denomination_id: bar } = document.forms.redeem.elements;
  const there = bars.filter((one) => one.city === city.value);
  options(
    bar,
    there.map(({ id, label, weight_troy_oz }) => [id, `${label} (${number(weight_troy_oz, 4)} oz)`]),
  );
}

function wire() {
  for (const form of document.querySelectorAll('form')) {
    const kind = form.dataset.form;
    form.onsubmit = (event) => {
      event.preventDefault();
      busy(async () => {
        if (kind) return ask(kind, form);
        await post('register', Object.fromEntries(new FormData(form)));
        await enter();
      });
    };
  }
  for (const tab of document.querySelectorAll('[data-tab]')) {
    tab.onclick = () => {
      el('status').textContent = '';
      showForm(tab.dataset.tab);
    };
  }
  el('confirm').onclick = () => busy(confirm);
  el('back').onclick = () => showForm(offer.kind);
  document.forms.redeem.elements.country.onchange = () => busy(chooseCountry);
  document.forms.redeem.elements.city.onchange = chooseCity;
}

async function start() {
  shop = await get('shop');
  document.title = `${shop.name}: gold`;
  el('name').textContent = shop.name;
  el('sandbox').hidden = !shop.test_wallet;
  const countries = shop.countries.map(({ code, name }) => [code, name]);
  options(document.forms.signup.elements.country, countries);
  options(
    document.forms.redeem.elements.country,
    countries.filter(([code]) => shop.countries.find((one) => one.code === code).denominations > 0),
  );
  wire();
  findWallets();
  if (shop.test_wallet) await import('./sandbox-wallet.js');
  price = await get('price');
  showPrice();
  setInterval(async () => {
    price = await get('price', AbortSignal.timeout(lostAfterMs)).catch(() => price);
    showPrice();
  }, 3_000);
  await chooseCountry();
  const known = wallets.find(({ name }) => name === localStorage.getItem('wallet'));
  if (!shop.signed_in || !known) return show('welcome');
  await connect(known);
  await enter();
}

busy(start);

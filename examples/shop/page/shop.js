// The page of the shop: finds wallets (Wallet Standard), has them sign, and shows what happens.
import { loadUPlot, makePriceChart, priceRanges } from './price-chart.js';
import { chartFormat, format, showLanguage, text } from './text.js';

const el = (id) => document.getElementById(id);
const fail = (code) => Object.assign(new Error(code), { code });

let shop;
let wallet;
let account;
let price;
let offer;

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
  // What happened meanwhile.
  if (account?.registered) refresh().then(follow, signInAgain);
}
function failed() {
  failing ??= { since: Date.now(), timer: setTimeout(() => showConnection(true), lostAfterMs) };
}
function showConnection(isLost) {
  lost = isLost;
  el('connection').hidden = !isLost;
  el('connection').textContent = isLost ? text.lost(format.time(failing.since), format.time(heardAt)) : '';
  showButtons();
}
let working = false;
function showButtons() {
  for (const button of document.querySelectorAll('main button')) button.disabled = working || lost;
}
function signInAgain(error) {
  if (error.status !== 401) return;
  el('error').textContent = text.problem({ code: 'signed_out' });
  show('welcome');
}

/** Calls the shop's server. Throws an error with what the response says, for which the page has words. */
async function api(method, path, body, signal) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/api/${path}`, { method, signal, ...json }).catch(() => undefined);
  const result = await response?.json().catch(() => undefined);
  if (result === undefined || (method === 'GET' && response.status >= 500)) failed();
  else heard();
  if (path === 'submit' && !(response?.status < 500)) throw fail('unsure');
  if (result === undefined) throw fail('unanswered');
  if (!response.ok) throw Object.assign(new Error(result.message), { ...result, status: response.status });
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
        text.continueWith(one.name),
      ),
    ),
  );
}

/** Has a wallet do something. What it throws has words of its own, which are often those of a program. */
async function byWallet(act) {
  try {
    return await act();
  } catch (cause) {
    throw fail(/reject|declin|denied|cancel/i.test(cause?.message) ? 'rejected' : 'wallet_failed');
  }
}

/** Connects a wallet, which proves by a signature that it is the customer's. */
async function signIn(chosen) {
  await connect(chosen);
  const { challenge, message } = await post('challenge', { wallet: wallet.account.address });
  const [{ signature }] = await byWallet(() =>
    chosen.features['solana:signMessage'].signMessage({
      account: wallet.account,
      message: new TextEncoder().encode(message),
    }),
  );
  await post('session', { challenge, signature: toBase64(signature) });
  localStorage.setItem('wallet', chosen.name);
  await enter();
}

async function connect(chosen) {
  const { accounts } = await byWallet(() => chosen.features['standard:connect'].connect());
  if (!accounts[0]) throw fail('no_account');
  wallet = { chosen, account: accounts[0] };
}

async function signOut() {
  await post('sign-out');
  live?.close();
  localStorage.removeItem('wallet');
  account = undefined;
  showForm('buy');
  el('status').textContent = '';
  show('welcome');
}

/** Shows what comes next for a customer who has signed in, and follows what happens from then on. */
async function enter() {
  await refresh();
  show(account.registered ? 'account' : 'register');
  if (account.registered) follow();
}

function show(id) {
  for (const one of ['welcome', 'register', 'account']) el(one).hidden = one !== id;
  (id === 'account' ? document.querySelector('.trade') : el('welcome')).after(el('market'));
  el('market').hidden = id === 'register';
  showChart();
}

let live;
function follow() {
  live?.close(); // it may be that of a session that has ended
  live = new EventSource('/api/live');
  live.onopen = () => refresh().catch(() => {});
  live.onerror = failed;
  live.onmessage = ({ data }) => {
    const { type, id, reason } = JSON.parse(data);
    const isTrade = type.startsWith('trade.') || type === 'redemption.submitted';
    if (isTrade || type === 'redemption.failed') settle((one) => one.offer.includes(id));
    report(type, reason);
    refresh().catch(() => {});
  };
}

function report(type, reason) {
  if (text.happened[type]) el('status').textContent = reason ? text.problem({ reason }) : text.happened[type];
}

/** What was signed, until it is known what became of it: kept when the page or the shop is restarted. */
let pending = JSON.parse(localStorage.getItem('pending') ?? '[]');
function keepPending(orders) {
  pending = orders;
  localStorage.setItem('pending', JSON.stringify(pending));
}
const forget = (isThis) => keepPending(pending.filter((one) => !isThis(one)));
/** Of an order whose outcome is known there is no doubt any more. */
function settle(isThis) {
  forget(isThis);
  if (el('error').textContent === text.problem({ code: 'unsure' })) el('error').textContent = '';
}
/** How long after its end an unknown order may still be on its way. */
const graceMs = 15_000;
async function askOutcomes() {
  for (const one of pending) {
    const { status, reason } = await get(`outcome?offer=${one.offer}`).catch((error) => {
      if (error.status !== 404) throw error;
      return { status: 'foreign' };
    });
    const of = one.kind === 'redeem' ? 'redemption' : 'trade';
    const paid = of === 'trade' ? 'trade.confirmed' : 'redemption.submitted';
    const type = { confirmed: paid, finalized: paid, failed: `${of}.failed`, expired: 'trade.expired' }[
      status
    ];
    const isLost = status === 'unknown' && Date.now() > one.endMs + graceMs;
    if (type === undefined && !isLost && status !== 'foreign') continue;
    settle(({ offer }) => offer === one.offer);
    if (isLost) el('status').textContent = text.neverSent;
    else report(type, reason);
    await refresh();
  }
}

let requested = 0;
let shown = 0;
async function refresh() {
  requested += 1;
  const turn = requested;
  const found = await Promise.all([get('account'), get('price').catch(() => price)]);
  // What was requested later may have come first, and is newer.
  if (turn < shown) return;
  // Another page of this browser may have signed another wallet in.
  if (found[0].wallet !== wallet.account.address) throw Object.assign(fail('signed_out'), { status: 401 });
  shown = turn;
  [account, price] = found;
  showPrice();
  if (!account.registered) return;
  const { balances, trades, redemptions } = account;
  el('gold').textContent = format.bareGold(balances.gold);
  el('weights').textContent = format.weights(balances.gold);
  el('usdc').textContent = format.bareUsdc(balances.usdc);
  el('wallet').textContent = `${account.wallet.slice(0, 4)}…${account.wallet.slice(-4)}`;
  el('bars').replaceChildren(...orNone(redemptions.map(barOf), text.noBars));
  el('trades').replaceChildren(...orNone(trades.map(tradeOf), text.noTrades));
}

const orNone = (items, words) => (items.length > 0 ? items : [make('li', { className: 'empty' }, words)]);

function showPrice() {
  if (!price) return;
  el('price').textContent = format.dollars(price.price_per_troy_oz);
  if (account?.registered)
    el('worth').textContent = format.dollars(account.balances.gold * price.price_per_troy_oz);
}

let range = 'hour';
let past; // of the range
let chart;
let making;
let hasFees = true;
function showChart() {
  if (el('market').hidden || past?.range !== range) return;
  const { candles, closures, open_fee_bps, closed_fee_bps } = past;
  const point = price && [Date.parse(price.as_of), price.price_per_troy_oz];
  chart.show({
    range,
    opens: candles.map(({ at, open }) => [Date.parse(at), open]),
    live: price && { point, isClosed: price.market === 'closed' },
    closures: closures.map(({ from, to }) => [Date.parse(from), Date.parse(to)]),
    fees: hasFees && open_fee_bps !== null ? { openBps: open_fee_bps, closedBps: closed_fee_bps } : undefined,
  });
}
async function makeChart() {
  const { default: uPlot } = await loadUPlot(() => import('/uplot.js'));
  return makePriceChart(el('chart'), { uPlot, format: chartFormat, words: text.chart });
}
async function readPast() {
  const of = range;
  const { interval, lengthMs } = priceRanges[of];
  const from = new Date(Date.now() - lengthMs).toISOString();
  const found = await get(`history?interval=${interval}&from=${from}`);
  making ??= makeChart().catch((error) => {
    making = undefined; // the next time loads it again
    throw error;
  });
  chart = await making;
  if (of === range) past = { range, ...found };
  showChart();
}
async function chooseRange(chosen) {
  range = chosen;
  for (const one of document.querySelectorAll('[data-range]'))
    one.setAttribute('aria-pressed', String(one.dataset.range === range));
  await readPast();
}
function toggleFees() {
  hasFees = !hasFees;
  el('fees').setAttribute('aria-pressed', String(hasFees));
  showChart();
}

function explorerLink(hash) {
  const href = shop.explorer.replace('{signature}', hash);
  return make('a', { href, target: '_blank', rel: 'noreferrer' }, text.explorer);
}

const line = (...children) => make('div', { className: 'line' }, ...children);
const details = (...children) => make('div', { className: 'line muted' }, ...children);
const span = (words) => make('span', {}, words);

function tradeOf(trade) {
  const { side, status, gold_amount, usdc_amount, price_per_troy_oz, created_at, submitted_tx_hash } = trade;
  const what = (side === 'buy' ? text.bought : text.sold)(format.gold(gold_amount));
  const amount = status === 'confirmed' ? format.exactUsdc(usdc_amount) : text.tradeFailed;
  const rate = text.anOunce(format.dollars(price_per_troy_oz));
  const when = span(`${format.date(created_at)} · ${rate}`);
  return make('li', {}, line(span(what), span(amount)), details(when, explorerLink(submitted_tx_hash)));
}

function qrOf({ size, path }) {
  const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const named = { class: 'qr', role: 'img', 'aria-label': text.qr, viewBox: `-4 -4 ${size + 8} ${size + 8}` };
  for (const [name, value] of Object.entries(named)) picture.setAttribute(name, value);
  const dark = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  dark.setAttribute('d', path);
  picture.append(dark);
  return picture;
}

function barOf(redemption) {
  const { redemption_id, denomination, city, status, created_at, submitted_tx_hash, pickup_code, qr } =
    redemption;
  const when = details(
    span(format.date(created_at)),
    submitted_tx_hash ? explorerLink(submitted_tx_hash) : '',
  );
  const head = [line(make('b', { dir: 'auto' }, denomination), make('span', { dir: 'auto' }, city)), when];
  const reached = Object.keys(text.steps).indexOf(status);
  if (reached < 0) return make('li', {}, ...head, make('p', {}, text.ended[status]));
  const list = make('ol', { className: 'steps' });
  for (const [at, words] of Object.values(text.steps).entries()) {
    const step = make('li', { className: at <= reached ? 'done' : '' }, words);
    if (at === reached) step.setAttribute('aria-current', 'step');
    list.append(step);
  }
  const item = make('li', {}, ...head, list);
  if (pickup_code) item.append(make('p', { className: 'pickup' }, text.bring, make('b', {}, pickup_code)));
  if (qr) item.append(qrOf(qr));
  const next = { submitted: 'ready', preparing: 'ready', ready: 'collected' }[status];
  if (shop.test_wallet && next) {
    item.append(make('code', {}, `npx karat trigger redemption.${next} --redemption ${redemption_id}`));
  }
  return item;
}

/** What a quote says, and what it means. */
const rowsOf = {
  buy: (quote) => [
    [text.quote.pay, format.exactUsdc(quote.usdc_amount)],
    [text.quote.get, format.gold(quote.gold_amount)],
    [text.quote.atLeast, format.gold(quote.min_gold_out)],
    [text.quote.perOunce, format.dollars(quote.price_per_troy_oz)],
  ],
  sell: (quote) => [
    [text.quote.give, format.gold(quote.gold_amount)],
    [text.quote.get, format.exactUsdc(quote.usdc_amount)],
    [text.quote.atLeast, format.exactUsdc(quote.min_usdc_out)],
    [text.quote.perOunce, format.dollars(quote.price_per_troy_oz)],
  ],
  redeem: (quote) => [
    [text.quote.give, format.gold(quote.tokens_required)],
    [text.quote.barValue, format.dollars(quote.gold_value_usd)],
    [text.quote.perOunce, format.dollars(quote.spot_price_usd)],
  ],
};

/** Asks for a price, and shows it with what it means. */
async function ask(kind, wanted) {
  const { ms, ...quoted } = await post(kind, wanted);
  offer = { kind, wanted, endMs: Date.now() + ms, ...quoted };
  const rows = [...rowsOf[kind](offer.quote), [text.quote.fee, format.dollars(offer.quote.fee_usd)]];
  el('offer').firstElementChild.replaceChildren(
    ...rows.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
  showForm('offer');
}

/** A price is replaced this long before its end: signing and sending take time, too. */
const marginMs = 10_000;
const maxRenewals = 5;
let renewals = 0;
let counting;
/** Counts a price down; at its end comes a new one, if somebody looks. */
function count() {
  clearTimeout(counting);
  if (el('offer').hidden || working) return;
  const seconds = Math.ceil((offer.endMs - marginMs - Date.now()) / 1_000);
  const hasEnded = offer.ended || seconds <= 0;
  if (hasEnded && !offer.ended && !lost && !document.hidden && renewals < maxRenewals) {
    renewals += 1;
    return busy(renew);
  }
  el('confirm').hidden = hasEnded;
  el('renew').hidden = !hasEnded;
  el('holds').textContent = hasEnded ? text.priceEnded : text.holds(seconds);
  if (!hasEnded) counting = setTimeout(count, 500);
}
async function renew() {
  offer.ended = true; // until there is a new one
  await ask(offer.kind, offer.wanted);
  el('status').textContent = text.renewed(format.time(Date.now()));
}

/** Has the wallet sign the offer, and sends it. Its confirmation comes as an event. */
async function confirm() {
  el('status').textContent = text.waitingForWallet;
  const { chosen, account: signer } = wallet;
  const { kind, endMs, offer: sealed } = offer;
  const [{ signedTransaction }] = await byWallet(() =>
    chosen.features['solana:signTransaction'].signTransaction({
      account: signer,
      chain: shop.chain,
      transaction: fromBase64(offer.transaction),
    }),
  );
  if (Date.now() > endMs) throw fail('quote_expired');
  el('status').textContent = text.sent;
  showForm(kind);
  keepPending([...pending, { kind, endMs, offer: sealed }]);
  try {
    await post('submit', { offer: sealed, transaction: toBase64(signedTransaction) });
  } catch (error) {
    const isPending = pending.some((one) => one.offer === sealed);
    if (error.code !== 'unsure') forget((one) => one.offer === sealed);
    else if (!isPending) return; // its event was faster
    throw error;
  }
}

function showForm(kind) {
  for (const form of document.querySelectorAll('[data-form]')) form.hidden = form.dataset.form !== kind;
  el('offer').hidden = kind !== 'offer';
  for (const tab of document.querySelectorAll('[data-tab]')) {
    if (kind !== 'offer') tab.setAttribute('aria-pressed', String(tab.dataset.tab === kind));
  }
}
const chosenTab = () => document.querySelector('[data-tab][aria-pressed=true]').dataset.tab;

/** Does something with the buttons off; what goes wrong is shown. */
async function busy(act) {
  working = true;
  showButtons();
  el('error').textContent = '';
  try {
    await act();
  } catch (error) {
    el('status').textContent = '';
    if (!error.code && !error.status) console.error(error);
    el('error').textContent = text.problem(error, chosenTab());
    if (error.status === 401) signInAgain(error);
  } finally {
    working = false;
    showButtons();
    count();
  }
}

const options = (select, entries) =>
  select.replaceChildren(...entries.map(([value, words]) => make('option', { value }, words)));

/** Offers the countries by name, the customer's own first. */
function fillCountries() {
  const own = localStorage.getItem('country') ?? /-([A-Z]{2})\b/.exec(navigator.language)?.[1];
  const sorted = shop.countries.toSorted(
    (one, other) =>
      (other.code === own) - (one.code === own) ||
      format.compare(format.country(one.code), format.country(other.code)),
  );
  const entries = (countries) => countries.map(({ code }) => [code, format.country(code)]);
  options(document.forms.signup.elements.country, entries(sorted));
  options(document.forms.redeem.elements.country, entries(sorted.filter((one) => one.denominations > 0)));
  return chooseCountry();
}

let bars = [];
async function chooseCountry() {
  const { country, city } = document.forms.redeem.elements;
  bars = await get(`bars?country=${country.value}`);
  const cities = [...new Set(bars.map((bar) => bar.city))].toSorted(format.compare);
  options(
    city,
    cities.map((name) => [name, name]),
  );
  chooseCity();
}
function chooseCity() {
  const { city, denomination_id: bar } = document.forms.redeem.elements;
  const there = bars.filter((one) => one.city === city.value);
  options(
    bar,
    there.map(({ id, label, weight_troy_oz }) => [id, text.barChoice(label, format.gold(weight_troy_oz))]),
  );
}

async function enroll(form) {
  const { full_name, country } = Object.fromEntries(new FormData(form));
  await post('register', { full_name, country });
  localStorage.setItem('country', country);
  await fillCountries();
  await enter();
}

function wire() {
  document.forms.signup.onsubmit = (event) => {
    event.preventDefault();
    busy(() => enroll(event.target));
  };
  for (const form of document.querySelectorAll('[data-form]')) {
    form.onsubmit = (event) => {
      event.preventDefault();
      const { amount, ...wanted } = Object.fromEntries(new FormData(form));
      renewals = 0;
      el('status').textContent = '';
      busy(() => ask(form.dataset.form, amount === undefined ? wanted : { amount: format.read(amount) }));
    };
  }
  for (const tab of document.querySelectorAll('[data-tab]')) {
    tab.onclick = () => {
      el('status').textContent = '';
      el('error').textContent = '';
      showForm(tab.dataset.tab);
    };
  }
  for (const one of document.querySelectorAll('[data-max]')) {
    one.onclick = () => {
      one.form.elements.amount.value = String(account.balances[one.dataset.max]);
    };
  }
  for (const one of document.querySelectorAll('[data-range]')) {
    one.onclick = () => chooseRange(one.dataset.range).catch(() => {});
  }
  el('fees').onclick = toggleFees;
  el('confirm').onclick = () => busy(confirm);
  el('renew').onclick = () => {
    renewals = 0;
    busy(renew);
  };
  el('back').onclick = () => {
    el('status').textContent = '';
    showForm(offer.kind);
  };
  el('sign-out').onclick = () => busy(signOut);
  document.forms.redeem.elements.country.onchange = () => busy(chooseCountry);
  document.forms.redeem.elements.city.onchange = chooseCity;
}

async function followPrice() {
  price = await get('price', AbortSignal.timeout(lostAfterMs)).catch(() => price);
  showPrice();
  showChart();
  if (account?.registered) await askOutcomes().catch(() => {});
}

/** A page that is opened while the shop does not respond goes on by itself. */
async function open() {
  for (;;) {
    try {
      shop = await get('shop');
      el('error').textContent = '';
      return;
    } catch (error) {
      el('error').textContent = text.problem(error);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
  }
}

async function start() {
  await open();
  document.title = text.pageTitle(shop.name);
  el('name').textContent = shop.name;
  el('sandbox').hidden = !shop.test_wallet;
  wire();
  findWallets();
  if (shop.test_wallet) await import('./sandbox-wallet.js');
  await followPrice();
  setInterval(followPrice, 3_000);
  setInterval(() => readPast().catch(() => {}), 60_000);
  readPast().catch(() => {});
  await fillCountries();
  const known = wallets.find(({ name }) => name === localStorage.getItem('wallet'));
  if (!shop.signed_in || !known) return show('welcome');
  await connect(known);
  await enter();
}

showLanguage(el('language'));
busy(start);

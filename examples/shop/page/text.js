// How the shop speaks: its words are in text/, a file for each language, and numbers, dates and countries come from `Intl`.
import {
  chooseLanguage,
  fillIn,
  formatsOf,
  gramsPerTola,
  languages,
  plainDigits,
} from '../../../packages/console/src/text/language.js';

const gramsPerOunce = 31.1034768;

const decimalsOf = (locale) => (value, minimumFractionDigits, maximumFractionDigits) =>
  Number(value).toLocaleString(locale, { minimumFractionDigits, maximumFractionDigits });

/** Returns how a language writes numbers, times and names; amounts of GOLD are troy ounces. */
function makeFormat(language, words) {
  const { locale } = languages[language];
  const decimals = decimalsOf(locale);
  const unit = (name, value) => fillIn('en', words.units[name], { value });
  return {
    usdc: (value) => unit('usdc', decimals(value, 2, 2)),
    exactUsdc: (value) => unit('usdc', decimals(value, 2, 6)),
    bareUsdc: (value) => decimals(value, 2, 2),
    dollars: (value) => unit('dollars', decimals(value, 2, 2)),
    bareGold: (value) => decimals(value, 0, 6),
    gold: (value) => unit('gold', decimals(value, 0, 6)),
    weights: (ounces) =>
      fillIn('en', words.units.weights, {
        grams: decimals(ounces * gramsPerOunce, 0, 2),
        tola: decimals((ounces * gramsPerOunce) / gramsPerTola, 0, 2),
      }),
    count: (value) => decimals(value, 0, 0),
    time: (at) => new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' }),
    date: (at) => new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
    country: formatsOf(language).country,
    compare: new Intl.Collator(locale).compare,
    /** Returns what was typed as a number, in whichever digits. */
    read: (typed) => Number(plainDigits(typed).replace('٫', '.')),
  };
}

const isThisYear = (at) => new Date(at).getFullYear() === new Date().getFullYear();
const isToday = (at) => new Date(at).toDateString() === new Date().toDateString();

/** The same of the chart; see price-chart.d.ts of the console, which has it too. */
function makeChartFormat(language, words, { time }) {
  const { locale, dir } = languages[language];
  const decimals = decimalsOf(locale);
  const percents = { style: 'percent', minimumFractionDigits: 2 };
  const isTurned = dir === 'rtl';
  const dayOf = (at, parts) => new Date(at).toLocaleDateString(locale, parts);
  const day = (at) => dayOf(at, { day: 'numeric', month: 'short' });
  const date = (at) => (isThisYear(at) ? day(at) : dayOf(at, { dateStyle: 'medium' }));
  return {
    ...{ time, day, date },
    dollars: (price, places) => fillIn('en', words.units.dollars, { value: decimals(price, places, places) }),
    percent: (share) =>
      isTurned
        ? share.toLocaleString(locale, { ...percents, signDisplay: 'always' })
        : `${share < 0 ? '−' : '+'}${decimals(Math.abs(share) * 100, 2, 2)} %`,
    fee: (bps) =>
      isTurned ? (bps / 10_000).toLocaleString(locale, percents) : `${decimals(bps / 100, 2, 2)} %`,
    moment: (at) =>
      isToday(at) ? time(at) : fillIn(language, words.chart.moment, { date: date(at), time: time(at) }),
  };
}

/** Returns what a customer is told of an error: never words of an API, a chain or a program. */
function makeProblem({ problems, shortOf }, format, fill) {
  const short = {
    insufficient_usdc: ({ have }) => fill(shortOf.usdc, { have: format.exactUsdc(have) }),
    insufficient_gold: ({ have, need, kind }) =>
      kind === 'redeem'
        ? fill(shortOf.bar, { have: format.gold(have), need: format.gold(need) })
        : fill(shortOf.gold, { have: format.gold(have) }),
  };
  return (error, kind) => {
    const amount = error.code === 'invalid_request' && /_amount$/.test(error.field ?? '') && 'invalid_amount';
    const known = [error.reason, amount, error.code].find((key) => problems[key]) ?? 'other';
    return short[known] && error.have !== undefined ? short[known]({ ...error, kind }) : problems[known];
  };
}

/** Returns the formats and the text of a language, of which `words` is the file. */
export function makeText(language, words) {
  const format = makeFormat(language, words);
  const fill = (template, values) => fillIn(language, template, values);
  const { page, happened, quote, steps, ended, chart } = words;
  const text = {
    ...{ page, happened, quote, steps, ended },
    problem: makeProblem(words, format, fill),
    pageTitle: (name) => fill(words.pageTitle, { name }),
    continueWith: (name) => fill(words.continueWith, { name }),
    waitingForWallet: words.waitingForWallet,
    sent: words.sent,
    neverSent: words.neverSent,
    holds: (seconds) => fill(words.holds, { seconds: format.count(seconds) }),
    renewed: (time) => fill(words.renewed, { time }),
    priceEnded: words.priceEnded,
    lost: (since, of) => fill(words.lost, { since, of }),
    noBars: words.noBars,
    noTrades: words.noTrades,
    bought: (amount) => fill(words.bought, { amount }),
    sold: (amount) => fill(words.sold, { amount }),
    anOunce: (price) => fill(words.anOunce, { price }),
    tradeFailed: words.tradeFailed,
    explorer: words.explorer,
    bring: words.bring,
    qr: words.qr,
    barChoice: (bar, weight) => fill(words.barChoice, { bar, weight }),
    chart: {
      ...chart,
      from: (when) => fill(chart.from, { when }),
      change: (percent, since) => fill(chart.change, { percent, since }),
      summary: (change, lowest, highest) => fill(chart.summary, { change, lowest, highest }),
      at: (price, when) => fill(chart.at, { price, when }),
      bands: (buy, sell) => fill(chart.bands, { buy, sell }),
      fees: (open, closed) => fill(open === closed ? chart.fee : chart.fees, { open, closed }),
    },
  };
  return { format, chartFormat: makeChartFormat(language, words, format), text };
}

/** The language of this browser, unless another one was chosen here. */
const chosen = globalThis.localStorage?.getItem('language');
export const language = chooseLanguage([chosen ?? [], globalThis.navigator?.languages ?? []].flat());
const { default: words } = await import(`./text/${language}.json`, { with: { type: 'json' } });
export const { format, chartFormat, text } = makeText(language, words);

/** Shows the page's own words in the language, in its direction, with a choice of the others. */
export function showLanguage(select) {
  document.documentElement.lang = language;
  document.documentElement.dir = languages[language].dir;
  for (const one of document.querySelectorAll('[data-text]')) one.textContent = text.page[one.dataset.text];
  select.setAttribute('aria-label', text.page.language);
  select.replaceChildren(
    ...Object.entries(languages).map(([value, { name }]) =>
      Object.assign(document.createElement('option'), { value, textContent: name, lang: value }),
    ),
  );
  select.value = language;
  select.onchange = () => {
    localStorage.setItem('language', select.value);
    location.reload();
  };
}

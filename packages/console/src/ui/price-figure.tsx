import 'uplot/dist/uPlot.min.css';
import './price-chart.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { text } from '../text';
import { fill } from '../text/en';
import { bpsToPercent, formatClock } from './format';
import { type ChartFormat, type ChartWords, makePriceChart, type PriceCourse } from './price-chart.js';

const t = text.priceChart;
const locale = 'en-GB';
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });

const format: ChartFormat = {
  dollars: (price, decimals) =>
    price.toLocaleString('en-US', {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }),
  percent: (share) => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(2)} %`,
  fee: (bps) => `${bpsToPercent(bps)} %`,
  time: (at) => time.format(at),
  day: (at) => day.format(at),
  date: (at) => (new Date(at).getFullYear() === new Date().getFullYear() ? day : dayOfYear).format(at),
  moment: formatClock,
};
const words: ChartWords = {
  ...t.words,
  from: (when) => fill(t.from, { when }),
  change: (percent, since) => fill(t.change, { percent, since }),
  summary: (change, lowest, highest) => fill(t.summary, { change, lowest, highest }),
  at: (price, when) => fill(t.at, { price, when }),
  bands: (buy, sell) => fill(t.bands, { buy, sell }),
  fees: (open, closed) => fill(open === closed ? t.oneFee : t.twoFees, { open, closed }),
};

/** The price of gold as it was and is; see `price-chart.js`. */
export function PriceFigure({ course }: { course: PriceCourse }) {
  const figure = useRef<HTMLElement>(null);
  const chart = useRef<ReturnType<typeof makePriceChart>>(undefined);
  useEffect(() => {
    if (!figure.current) return;
    const made = makePriceChart(figure.current, { uPlot, format, words });
    chart.current = made;
    return () => {
      chart.current = undefined;
      made.end();
    };
  }, []);
  useEffect(() => chart.current?.show(course), [course]);
  return <figure className="price-chart" ref={figure} />;
}

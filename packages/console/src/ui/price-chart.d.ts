import type uPlot from 'uplot';

/** A moment in Unix milliseconds, and a price in USD per troy ounce. */
export type PricePoint = [atMs: number, price: number];
export type PriceRange = 'hour' | 'day' | 'month' | 'year';

/** How long each range is, and the candles that it is drawn of. */
export const priceRanges: Record<PriceRange, { interval: '1m' | '5m' | '1h' | '1d'; lengthMs: number }>;

/** What a chart is drawn of. */
export interface PriceCourse {
  range: PriceRange;
  /** Where each candle begins, oldest first. */
  opens: PricePoint[];
  /** The price of now, which is the last point; undefined when there is none. */
  live: { point: PricePoint; isClosed: boolean } | undefined;
  /** When the market is closed. */
  closures: [fromMs: number, toMs: number][];
  /** Fees in basis points, by which the buy and the sell price are drawn; without them, neither is. */
  fees: { openBps: number; closedBps: number } | undefined;
}

/** How a page writes numbers and moments. */
export interface ChartFormat {
  dollars(price: number, decimals: number): string;
  /** With its sign. */
  percent(share: number): string;
  fee(bps: number): string;
  /** The hour and minute. */
  time(atMs: number): string;
  /** The day without the hour, as short as an axis needs it. */
  day(atMs: number): string;
  /** The day, with the year where it is another one. */
  date(atMs: number): string;
  /** A moment to the minute, with the day where it is another one. */
  moment(atMs: number): string;
}

/** What a page says around the drawing. */
export interface ChartWords {
  /** What no price at all means. */
  none: string;
  /** Too few prices for a chart, and no more before the market opens. */
  resting: string;
  /** Too few prices for a chart, and from when there are enough. */
  from(when: string): string;
  change(percent: string, since: string): string;
  /** All of the chart in a sentence. */
  summary(change: string, lowest: string, highest: string): string;
  at(price: string, when: string): string;
  bands(buy: string, sell: string): string;
  price: string;
  fees(open: string, closed: string): string;
  closed: string;
  /** The market in a cell of the table. */
  open: string;
  shut: string;
  table: string;
  columns: { time: string; price: string; buy: string; sell: string; market: string };
}

export interface PriceChart {
  show(course: PriceCourse): void;
  end(): void;
}

/**
 * Loads uPlot, or what imports it. It fails where `navigator.language` names no language, which is so in Chromium where the
 * system has none (`en-US@posix`): such a one is taken for English from then on.
 */
export function loadUPlot<Code>(load: () => Promise<Code>): Promise<Code>;

/** Draws a chart of the price into an empty `figure`: its caption, the drawing, a legend and a table of the same. */
export function makePriceChart(
  figure: HTMLElement,
  page: { uPlot: typeof uPlot; format: ChartFormat; words: ChartWords },
): PriceChart;

/**
 * The chart of the price of gold, drawn by uPlot, which the page loads. Plain JavaScript, because the shop of the sandbox
 * draws with it too, and nothing builds that page. Everything written around the drawing comes from what is drawn.
 */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const priceRanges = {
  hour: { interval: '1m', lengthMs: hourMs },
  day: { interval: '5m', lengthMs: dayMs },
  month: { interval: '1h', lengthMs: 30 * dayMs },
  year: { interval: '1d', lengthMs: 365 * dayMs },
};
const intervalMs = { '1m': minuteMs, '5m': 5 * minuteMs, '1h': hourMs, '1d': dayMs };

/** Fewer are no chart. */
const minPoints = 3;
/** The least height of the drawing as a share of the price: a calm hour must not look like a storm. */
const minSpan = 0.002;
const heightPx = 220;
/** Rows of the table, which has the first point, the last one and some between them. */
const maxRows = 12;
/** How far a large step of the keyboard goes. */
const pageSteps = 10;
const bpsScale = 10_000;

/**
 * Returns the points of a course with what a customer pays and gets at each; the live price is the last one. A buy takes its
 * fee from what is paid, and a sell from what is got.
 */
function pointsOf({ opens, live, closures, fees }) {
  const isClosed = (at) => closures.some(([from, to]) => from <= at && at < to);
  const drawn = live ? [...opens.filter(([at]) => at < live.point[0]), live.point] : opens;
  return drawn.map((point) => {
    const [at, price] = point;
    const closed = point === live?.point ? live.isClosed : isClosed(at);
    const kept = fees && 1 - (closed ? fees.closedBps : fees.openBps) / bpsScale;
    return { at, price, closed, buy: kept && price / kept, sell: kept && price * kept };
  });
}

/** Returns the first moment at which there can be enough points: each interval begins with one. */
function enoughFrom(range, count, nowMs) {
  const length = intervalMs[priceRanges[range].interval];
  return (Math.floor(nowMs / length) + minPoints - count) * length;
}

/** Returns the ends of the vertical axis. */
function spanOf(lowest, highest) {
  const middle = (lowest + highest) / 2;
  const half = (Math.max(highest - lowest, middle * minSpan) * 1.1) / 2;
  return [middle - half, middle + half];
}

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export async function loadUPlot(load) {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
  return await load();
}

export function makePriceChart(figure, { uPlot, format, words }) {
  const caption = make('figcaption');
  const reading = make('p', { class: 'price-reading' });
  const frame = make('div', { class: 'price-plot', role: 'slider', tabindex: '0', dir: 'ltr' });
  const legend = make('ul', { class: 'price-legend' });
  const table = make('table');
  const details = make('details', {}, make('summary', {}, words.table), table);
  figure.replaceChildren(caption, reading, frame, legend, details);

  let points = [];
  let course;
  let plot;
  /** The moment of the point that is looked at; undefined: the last one. */
  let chosen;

  const momentOf = (at) => (course.range === 'year' ? format.date(at) : format.moment(at));
  const dollars = (price) => format.dollars(price, 2);

  /** Shows the point at an index in words. */
  function read(index) {
    const { at, price, closed, buy, sell } = points[index];
    const bands = buy === undefined ? [] : [words.bands(dollars(buy), dollars(sell))];
    const parts = [words.at(dollars(price), momentOf(at)), ...bands, ...(closed ? [words.closed] : [])];
    reading.textContent = parts.join(' · ');
    frame.setAttribute('aria-valuenow', index);
    frame.setAttribute('aria-valuetext', reading.textContent);
  }
  function chosenIndex() {
    if (chosen === undefined) return points.length - 1;
    const after = points.findIndex(({ at }) => at >= chosen);
    return after < 0 ? points.length - 1 : after;
  }
  function choose(index) {
    chosen = points[index].at;
    plot.setCursor({ left: plot.valToPos(chosen, 'x'), top: plot.valToPos(points[index].price, 'y') });
  }
  const steps = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -pageSteps,
    PageUp: pageSteps,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  frame.onkeydown = (event) => {
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(Math.min(Math.max(chosenIndex() + step, 0), points.length - 1));
  };
  const unchoose = () => {
    chosen = undefined;
    plot?.setCursor({ left: -10, top: -10 });
  };
  frame.onblur = unchoose;

  const colour = (name) => getComputedStyle(figure).getPropertyValue(`--chart-${name}`).trim();

  function drawClosures({ ctx, bbox, valToPos }) {
    ctx.save();
    ctx.fillStyle = colour('closed');
    for (const [from, to] of course.closures) {
      const [left, right] = [from, to].map((at) =>
        Math.min(Math.max(valToPos(at, 'x', true), bbox.left), bbox.left + bbox.width),
      );
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  }
  function drawLive({ ctx, valToPos }) {
    const { at, price } = points.at(-1);
    ctx.save();
    ctx.fillStyle = colour('line');
    ctx.beginPath();
    ctx.arc(valToPos(at, 'x', true), valToPos(price, 'y', true), 4 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fill();
    ctx.restore();
  }

  function makePlot(data) {
    const font = `12px ${getComputedStyle(figure).fontFamily}`;
    const axis = { font, stroke: () => colour('muted'), ticks: { show: false } };
    const edge = { stroke: () => colour('edge'), width: 1, points: { show: false } };
    const timeLabels = (_plot, splits, _axis, _space, stepMs) => {
      const isMidnight = (at) => new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0;
      return splits.map((at) => (stepMs >= dayMs || isMidnight(at) ? format.day(at) : format.time(at)));
    };
    return new uPlot(
      {
        width: frame.clientWidth,
        height: heightPx,
        ms: 1,
        padding: [8, null, null, 20],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 9, fill: () => colour('line') } },
        scales: { x: { time: true }, y: { range: (_plot, lowest, highest) => spanOf(lowest, highest) } },
        axes: [
          { ...axis, grid: { show: false }, size: 30, space: 72, values: timeLabels },
          {
            ...axis,
            side: 1,
            size: 76,
            space: 32,
            grid: { stroke: () => colour('grid'), width: 1 },
            values: (_plot, splits, _axis, _space, step) =>
              splits.map((price) => format.dollars(price, step < 1 ? 2 : 0)),
          },
        ],
        series: [{}, { stroke: () => colour('line'), width: 2, points: { show: false } }, edge, edge],
        bands: [{ series: [2, 3], fill: () => colour('band') }],
        hooks: {
          drawClear: [drawClosures],
          draw: [drawLive],
          setCursor: [({ cursor }) => read(cursor.idx ?? points.length - 1)],
        },
      },
      data,
      frame,
    );
  }

  function fillLegend() {
    const { fees, closures } = course;
    const entries = [['line', words.price]];
    if (fees) entries.push(['band', words.fees(format.fee(fees.openBps), format.fee(fees.closedBps))]);
    if (closures.length > 0) entries.push(['closed', words.closed]);
    const swatch = (kind) => make('span', { class: `price-${kind}`, 'aria-hidden': 'true' });
    legend.replaceChildren(...entries.map(([kind, text]) => make('li', {}, swatch(kind), text)));
  }

  function fillTable() {
    const { time, price, buy, sell, market } = words.columns;
    const names = [time, price, ...(course.fees ? [buy, sell] : [])];
    const isEverClosed = points.some(({ closed }) => closed);
    if (isEverClosed) names.push(market);
    const last = points.length - 1;
    const count = Math.min(points.length, maxRows);
    const shown = Array.from({ length: count }, (_, at) => points[Math.round((at * last) / (count - 1))]);
    const head = make('tr', {}, ...names.map((name) => make('th', { scope: 'col' }, name)));
    const rows = shown.map((point) => {
      const prices = [point.price, ...(course.fees ? [point.buy, point.sell] : [])].map(dollars);
      const cells = isEverClosed ? [...prices, point.closed ? words.shut : words.open] : prices;
      const named = make('th', { scope: 'row' }, momentOf(point.at));
      return make('tr', {}, named, ...cells.map((text) => make('td', {}, text)));
    });
    table.replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows));
  }

  /** Returns what there is in place of a chart. */
  function lackOf({ range, live }, count) {
    if (!live) return words.none;
    return live.isClosed ? words.resting : words.from(format.moment(enoughFrom(range, count, Date.now())));
  }

  function describe() {
    const [first, last] = [points[0], points.at(-1)];
    // Two decimals of a percentage are shown: less than that is no change, of either sign.
    const share = Math.round((last.price / first.price - 1) * bpsScale) / bpsScale;
    const isLong = last.at - first.at > 2 * dayMs;
    const since = isLong ? format.date(first.at) : format.moment(first.at);
    const prices = points.map(({ price }) => price);
    caption.textContent = words.change(format.percent(share), since);
    frame.setAttribute(
      'aria-label',
      words.summary(caption.textContent, dollars(Math.min(...prices)), dollars(Math.max(...prices))),
    );
    frame.setAttribute('aria-valuemin', 0);
    frame.setAttribute('aria-valuemax', points.length - 1);
  }

  function show(shown) {
    course = shown;
    points = pointsOf(course);
    const isEnough = points.length >= minPoints;
    for (const part of [reading, frame, legend, details]) part.hidden = !isEnough;
    if (!isEnough) {
      caption.textContent = lackOf(course, points.length);
      return;
    }
    describe();
    fillLegend();
    fillTable();
    const data = ['at', 'price', 'buy', 'sell'].map((part) => points.map((point) => point[part] ?? null));
    if (plot) plot.setData(data);
    else plot = makePlot(data);
    if (chosen === undefined) read(points.length - 1);
    else choose(chosenIndex());
  }

  const size = new ResizeObserver(() => {
    if (frame.clientWidth > 0) plot?.setSize({ width: frame.clientWidth, height: heightPx });
  });
  size.observe(frame);
  // A drawing has no styles: it is drawn again when the colours of the page are others.
  const redraw = () => plot?.redraw(false);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', redraw);
  const scheme = new MutationObserver(redraw);
  scheme.observe(document.documentElement, { attributes: true });
  return {
    show,
    end() {
      size.disconnect();
      scheme.disconnect();
      dark.removeEventListener('change', redraw);
      frame.onblur = null;
      plot?.destroy();
      figure.replaceChildren();
    },
  };
}

// The chart of the price: what is drawn, and words that are computed from just that.
import { format, text } from './text.js';

const height = 200;
const edge = { top: 12, right: 72, bottom: 26, left: 4 };
/** The least height of the picture as a share of the price: a calm hour must not look like a storm. */
const leastSpan = 0.002;
const dayMs = 86_400_000;
const anchors = { 0: 'start', 0.5: 'middle', 1: 'end' };

/** Returns two to four round prices between two others. */
function levelsIn(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, at) => first + at * step);
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Draws [time, price] points, oldest first, into a figure with a `svg` and a caption. Fewer than three are no chart. Pointing
 * at it shows the price of that time.
 */
export function drawChart(figure, points) {
  const [picture, caption] = [figure.querySelector('svg'), figure.querySelector('figcaption')];
  picture.toggleAttribute('hidden', points.length < 3);
  if (points.length < 3) {
    caption.textContent = text.chart.empty;
    return;
  }
  const prices = points.map(([, price]) => price);
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)];
  const [[begin, first], [end, last]] = [points[0], points.at(-1)];
  const isLong = end - begin > dayMs;
  const when = end - begin > 2 * dayMs ? format.day : format.time;
  const change = text.chart.since(
    format.percent(last / first - 1),
    (isLong ? format.date : format.time)(begin),
  );
  const summary = text.chart.summary(format.dollars(lowest), format.dollars(highest), change);

  const width = Math.max(figure.clientWidth, 200);
  const middle = (lowest + highest) / 2;
  const span = Math.max(highest - lowest, middle * leastSpan) * 1.1;
  const x = (at) => edge.left + ((at - begin) / (end - begin)) * (width - edge.left - edge.right);
  const y = (price) => edge.top + (0.5 - (price - middle) / span) * (height - edge.top - edge.bottom);
  const line = points.map(([at, price]) => `${x(at).toFixed(1)},${y(price).toFixed(1)}`);
  const levels = levelsIn(middle - span / 2, middle + span / 2);
  const labels = (width < 360 ? [0, 1] : [0, 0.5, 1]).map((place) => [
    place,
    when(begin + place * (end - begin)),
  ]);
  const times = labels.filter(([, words], at) => at === labels.findLastIndex((other) => other[1] === words));
  const marker = svg('circle', { r: 4, cx: x(end), cy: y(last), class: 'now' });

  picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
  picture.setAttribute('height', height);
  picture.removeAttribute('aria-labelledby');
  picture.setAttribute('aria-label', summary);
  picture.replaceChildren(
    ...levels.map((price) =>
      svg('line', { x1: edge.left, x2: width - edge.right, y1: y(price), y2: y(price), class: 'level' }),
    ),
    ...levels.map((price) =>
      svg('text', { x: width - edge.right + 8, y: y(price) + 4 }, format.dollars(price)),
    ),
    ...times.map(([place, words]) =>
      svg(
        'text',
        { x: x(begin + place * (end - begin)), y: height - 6, 'text-anchor': anchors[place] },
        words,
      ),
    ),
    svg('polygon', {
      points: `${x(begin)},${height - edge.bottom} ${line.join(' ')} ${x(end)},${height - edge.bottom}`,
      class: 'area',
    }),
    svg('polyline', { points: line.join(' '), class: 'course' }),
    marker,
  );
  const point = ([at, price], words) => {
    marker.setAttribute('cx', x(at));
    marker.setAttribute('cy', y(price));
    caption.textContent = words;
  };
  point([end, last], change);
  picture.onpointermove = ({ offsetX }) => {
    const nearest = points.reduce((best, one) =>
      Math.abs(x(one[0]) - offsetX) < Math.abs(x(best[0]) - offsetX) ? one : best,
    );
    point(
      nearest,
      text.chart.at(format.dollars(nearest[1]), (isLong ? format.date : format.time)(nearest[0])),
    );
  };
  picture.onpointerleave = () => point([end, last], change);
}

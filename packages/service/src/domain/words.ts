const smallNumbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Returns a count as prose writes it: `five`, and `12` beyond ten. */
export function countInWords(count: number): string {
  return smallNumbers[count] ?? String(count);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Returns a text with a capital, for the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a span as prose writes it: `an hour`, `12 hours`, `30 minutes`. Takes milliseconds of whole minutes from two minutes on. */
export function spanInWords(ms: number): string {
  if (ms === hourMs) return 'an hour';
  return ms % hourMs === 0 ? `${ms / hourMs} hours` : `${ms / minuteMs} minutes`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Returns a span as prose writes it: `an hour`, `12 hours`, `30 minutes`. Takes milliseconds of whole minutes from two minutes on. */
export function spanInWords(ms: number): string {
  if (ms === hourMs) return 'an hour';
  return ms % hourMs === 0 ? `${ms / hourMs} hours` : `${ms / minuteMs} minutes`;
}

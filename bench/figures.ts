/** One line of the table. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The value divided by something that was measured in the same run. */
  ratio?: { to: string; value: number };
  /** What the ratio, or the value where there is none, is held to. */
  required?: number;
  aim?: number;
  /** Whether more is better. */
  better: 'higher' | 'lower';
  /** Everything else that was measured along with it. */
  detail?: Record<string, unknown>;
}

/** The options of a run. */
export interface BenchOptions {
  /** Shorter rounds and smaller tables, to try a change. */
  quick: boolean;
  /** Rows of the table of trades that is listed. */
  rows: number;
  /** Users that the table of users grows to. */
  users: number;
  /** Minutes of full load during which memory is watched. */
  minutes: number;
}

/**
 * Seconds of load before anything counts, as a service that is measured has run for days: until then V8 compiles, which took a fifth
 * of the processor time of the first seconds.
 */
export const warmUpSeconds = ({ quick }: BenchOptions) => (quick ? 2 : 8);

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Returns the value below which that share of the values lies; NaN without any. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Writes what is being measured. */
export function report(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

/** Returns the number as it is read: three digits that count, thousands with a comma. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** Returns whether a figure is as it is required; undefined where nothing is. */
export function isMet({ value, ratio, required, better }: Figure): boolean | undefined {
  if (required === undefined) return undefined;
  const judged = ratio?.value ?? value;
  return better === 'higher' ? judged >= required : judged <= required;
}

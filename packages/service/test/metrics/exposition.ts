/** One line of values. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  name: string;
  help: string;
  type: string;
}

export interface Exposition {
  families: Map<string, Family>;
  samples: Sample[];
  /** The value of the one sample with that name and exactly these labels. */
  find(name: string, labels: Record<string, string>): number | undefined;
}

/**
 * Reads the text format of Prometheus as its documentation has it. Throws for a line that is none, for a sample without
 * a family, for one that stands there twice, and for a family without help or type.
 */
export function parseExposition(text: string): Exposition {
  const families = new Map<string, Family>();
  const samples = new Map<string, Sample>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (comment) {
      const [, what, name = '', rest = ''] = comment;
      const family = families.get(name) ?? { name, help: '', type: '' };
      families.set(name, what === 'HELP' ? { ...family, help: rest } : { ...family, type: rest });
      continue;
    }
    const sample = readSample(line);
    const family = families.get(sample.name) ?? families.get(sample.name.replace(/_(bucket|sum|count)$/, ''));
    if (!family?.help || !family.type) throw new Error(`${sample.name} has no help or no type`);
    const key = keyOf(sample.name, sample.labels);
    if (samples.has(key)) throw new Error(`${line} stands there twice`);
    samples.set(key, sample);
  }
  return {
    families,
    samples: [...samples.values()],
    find: (name, labels) => samples.get(keyOf(name, labels))?.value,
  };
}

function readSample(line: string): Sample {
  const [, name = '', , labelText = '', valueText = ''] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const value = readValue(valueText);
  if (name === '' || value === undefined) throw new Error(`no line of the text format: ${line}`);
  const pairs = [...labelText.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
  if (pairs.map(([whole]) => whole).join('') !== labelText) throw new Error(`broken labels: ${line}`);
  return { name, labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])), value };
}

/** As Go reads numbers, which is what Prometheus is written in; undefined for what is none. */
function readValue(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (/^\+inf$/i.test(text)) return Number.POSITIVE_INFINITY;
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

function keyOf(name: string, labels: Record<string, string>): string {
  const pairs = Object.entries(labels).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([name, pairs]);
}

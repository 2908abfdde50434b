import { text } from '../text';
import { fill } from '../text/en';
import { humanize, withUnit } from './format';

const t = text.approvals;

type Fields = Record<string, unknown>;

/** What is to be changed, as an approval has it. */
export interface RequestedChange {
  action: string;
  request: Fields;
  before?: Fields | null;
}

/** A change in words: a sentence for each thing that it does, and what these do not say. */
export interface ChangeWords {
  sentences: string[];
  rest: [name: string, value: string][];
  reason: string | undefined;
}

/** What the sentence of an action says without naming it, or what says nothing: the object itself, or its state. */
const covered: Record<string, readonly string[]> = {
  'redemption.refund': ['redemption_id', 'status'],
  'redemption.burn': ['redemption_id', 'status'],
  'redemption.cancel_burn': ['redemption_id', 'status'],
  'redemption.collect': ['redemption_id', 'without_code'],
  'redemption.reissue_code': ['redemption_id'],
  'denomination.create': ['id'],
  'partner.resume': ['status'],
  'operator.disable': ['status'],
  'operator.enable': ['status'],
  'bar.add': ['bars'],
  'bar.change': ['serial', 'refiner'],
  'bar.withdraw': ['status'],
  'chain.status': ['paused', 'market'],
};

/** Actions whose request is the whole of what holds afterwards: what it leaves out is removed. */
const whole = new Set(['limits.change']);

/** Says what a change does, and nothing of what stays. Each field of the request is in a sentence, or in `rest`. */
export function changeWords({ action, request, before }: RequestedChange): ChangeWords {
  const old = before ?? {};
  const values = {
    ...Object.fromEntries(Object.entries(old).map(([name, value]) => [`old_${name}`, show(name, value)])),
    ...Object.fromEntries(Object.entries(request).map(([name, value]) => [name, show(name, value)])),
  };
  const template = t.changes[action === 'partner.onchain' && before ? '' : action];
  const said = new Set(['reason', ...(covered[action] ?? []), ...placesOf(template ?? '')]);
  const names = new Set([...Object.keys(request), ...(whole.has(action) ? Object.keys(old) : [])]);
  const open = [...names].filter(
    (name) => !said.has(name) && !isNothing(request[name] ?? old[name]) && !isSame(request[name], old[name]),
  );
  const isChange = (name: string) => name in old || whole.has(action);
  const [changed, rest] = [open.filter(isChange), open.filter((name) => !isChange(name))];
  const object = t.objects[action];
  const of = object === undefined ? '' : fill(t.of, { object: fill(object, values) });
  const sentences = [
    ...(template ? [fill(template, { ...values, count: countOf(request.bars) })] : []),
    ...statusSentences(action, request),
    ...changed.map((name) => fieldSentence(name, { now: request[name], old: old[name], of })),
  ];
  if (before || sentences.length === 0) sentences.push(t.nothingElse);
  return {
    sentences,
    rest: [
      ...rest.map((name): [string, string] => [labelOf(name), show(name, request[name])]),
      ...barsOf(request.bars),
    ],
    reason: reasonOf(request),
  };
}

const placesOf = (template: string) =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, place]) => place as string);

const isNothing = (value: unknown) => value === null || value === undefined || value === '';
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const countOf = (bars: unknown) => (Array.isArray(bars) ? bars.length : 0);

function reasonOf({ reason, without_code: withoutCode }: Fields): string | undefined {
  const given = reason ?? (withoutCode as Fields | undefined)?.reason;
  return typeof given === 'string' && given !== '' ? given : undefined;
}

function fieldSentence(name: string, { now, old, of }: { now: unknown; old: unknown; of: string }): string {
  const values = { field: t.fields[name] ?? humanize(name).toLowerCase(), of };
  if (isNothing(now)) return fill(t.removeField, { ...values, old: show(name, old) });
  const set = { ...values, now: show(name, now) };
  return isNothing(old) ? fill(t.setField, set) : fill(t.changeField, { ...set, old: show(name, old) });
}

/** What a change of the program pauses, resumes, opens or closes. */
function statusSentences(action: string, request: Fields): string[] {
  if (action !== 'chain.status') return [];
  const parts = Object.entries((request.paused ?? {}) as Record<string, boolean>);
  return [
    ...parts.map(([part, paused]) =>
      fill(paused ? t.pause : t.resume, { part: t.parts[part] ?? humanize(part).toLowerCase() }),
    ),
    ...(typeof request.market === 'string' ? [t.markets[request.market] ?? request.market] : []),
  ];
}

/** Bars one by one, as each is taken into stock. */
function barsOf(bars: unknown): [string, string][] {
  if (!Array.isArray(bars)) return [];
  return bars.map((bar: Fields): [string, string] => {
    const { serial, refiner, ...others } = bar;
    return [
      `${serial}, ${refiner}`,
      Object.entries(others)
        .map(([name, value]) => show(name, value))
        .join(', '),
    ];
  });
}

const labelOf = (name: string) => {
  const words = t.fields[name] ?? humanize(name);
  const bare = words.replace(/^the /, '');
  return bare.charAt(0).toUpperCase() + bare.slice(1);
};

const lamportsPerSol = 1_000_000_000;
const percent = (value: number) => `${value.toFixed(4).replace(/\.?0{1,2}$/, '')} %`;

/** A value of the API as people read it. */
function show(name: string, value: unknown): string {
  if (isNothing(value)) return text.common.none;
  if (typeof value === 'boolean') return value ? text.common.yes : text.common.no;
  if (Array.isArray(value)) return value.map((one) => show('', one)).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  const known = t.values[String(value)];
  if (known !== undefined && typeof value === 'string' && valued.has(name)) return known;
  if (name === 'tokens') return withUnit(String(value), 'GOLD');
  if (typeof value !== 'number') return String(value);
  if (name === 'fee_percentage') return percent(value * 100);
  if (name.endsWith('_bps')) return percent(value / 100);
  if (name.endsWith('_usdc')) return withUnit(value, 'USDC');
  if (name.endsWith('_gold')) return withUnit(value, 'GOLD');
  if (name === 'weight_g') return withUnit(value, 'g');
  if (name === 'fee_budget_lamports_per_hour') return `${value / lamportsPerSol} SOL`;
  return String(value);
}

/** Fields whose values are words of the API. */
const valued = new Set(['role', 'status', 'daily_limit_usdc']);

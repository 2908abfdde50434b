import { eventTypes } from './event.js';
import { nearest } from './nearest.js';

/**
 * What the log of requests may hold of their bodies. Nothing is shown but what a list names: a field by its name, and only if
 * its value has the form that the field has. Whatever else a body holds, wherever and however it is written, is hidden, so
 * that a field that is added, misspelt or filled with the wrong thing shows nothing until the list names it.
 */
export const redacted = '[redacted]';

/** Returns what of a value is shown; undefined: nothing. */
type Form = (value: unknown) => unknown;

const text =
  (pattern: RegExp): Form =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;

const idPattern = /^(?:[a-z]{2,3}_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const addressPattern = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Whether a text is an identifier of Karat's, which is never a secret. */
export const isLoggedId = (value: string): boolean => idPattern.test(value);

const secretPattern = /service_(?:partner|tradebook)_|karat_operator_|whsec_/i;

/** Whether a text has the beginning of a key or secret of Karat's in it. */
export const isSecretLike = (value: string): boolean => secretPattern.test(value);

const id = text(idPattern);
const address = text(addressPattern);
const time = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/);
const number: Form = (value) => (typeof value === 'number' ? value : undefined);
const flag: Form = (value) => (typeof value === 'boolean' ? value : undefined);
const one = (...words: readonly string[]): Form => {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? value : undefined);
};
/** A word that the service itself has written, of a closed list in its schema; no key or code has its form. */
const word = text(
  /^(?:[a-z]{1,20}(?:_[a-z]{1,20}){0,5}|[A-Z]{1,20}(?:_[A-Z]{1,20}){0,5}|(?:[A-Z][a-z]{1,20}){1,6})$/,
);
/** The page about an error, without the host, which is the caller's word. */
const errorPage: Form = (value) =>
  typeof value === 'string' ? /\/(?:errors|reasons)\/[a-z_0-9]{1,64}$/.exec(value)?.[0] : undefined;

type Fields = Readonly<Record<string, Form>>;

const named = (form: Form, ...names: string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, form]));

/** Fields of requests, in snake_case, with the form in which they are shown. */
const requestFields: Fields = {
  ...named(id, 'service_user_id', 'endpoint_id', 'event_id', 'key_id', 'partner_id'),
  ...named(address, 'wallet_address', 'add', 'remove'),
  ...named(
    number,
    'usdc_amount',
    'gold_amount',
    'min_gold_out',
    'min_usdc_out',
    'max_usdc_amount',
    'minimum_usdc_amount',
    'amount',
    'slippage_bps',
    'overlap_hours',
    'expiration_days',
  ),
  ...named(time, 'from', 'to'),
  types: one(...eventTypes),
  status: one('active', 'disabled'),
  token_type: one('GOLD', 'USDC'),
};

/** The same of responses, which the service writes itself: those of requests, and more. */
const responseFields: Fields = {
  ...requestFields,
  ...named(id, 'id', 'trade_id', 'redemption_id', 'purchase_id', 'sell_id', 'withdrawal_id', 'delivery_id'),
  ...named(address, 'owner', 'address', 'fee_payer', 'signers'),
  ...named(
    number,
    'max_gold_out',
    'max_usdc_out',
    'price_per_troy_oz',
    'fee_bps',
    'fee_usd',
    'last_valid_block_height',
    'weight_g',
    'spot_price_usd',
    'gold_value_usd',
    'total_usd',
    'status_code',
    'duration_ms',
    'resent',
    'quote_usdc_amount',
    'quoted_gold_price',
    'estimated_usdc_amount',
    'gold_price_per_ounce',
    'period_hours',
    'used',
    'reserved',
    'requested',
    'attempts_left',
  ),
  ...named(time, 'created_at', 'updated_at', 'revoked_at', 'expires_at', 'timestamp', 'available_at'),
  ...named(flag, 'success', 'delivered', 'deleted', 'ok', 'signed'),
  ...named(
    word,
    'error',
    'code',
    'limit',
    'reason',
    'status',
    'side',
    'kind',
    'role',
    'token',
    'program',
    'scope',
    'wallet_type',
    'program_error_name',
  ),
  ...named(text(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/), 'tx_hash'),
  ...named(errorPage, 'doc_url'),
};

/** Objects of bodies that are looked into. Of any other nothing is shown, such as `kyc`, `metadata` and `fields`. */
const containers = new Set([
  'quote',
  'data',
  'error',
  'details',
  'transaction',
  'signing_instructions',
  'signers',
  'problems',
  'simulation',
  'changes',
  'results',
]);

/** Fields, parameters and headers whose names alone are shown, next to those above. */
const hiddenFields = [
  'Idempotency-Key',
  'Last-Event-ID',
  'after',
  'api_key',
  'city',
  'country',
  'created_from',
  'created_to',
  'cursor',
  'denomination',
  'denomination_id',
  'description',
  'field',
  'format',
  'instructions',
  'interval',
  'key_name',
  'kyc',
  'message',
  'metadata',
  'method',
  'month',
  'name',
  'object_id',
  'partially_signed_transaction',
  'path',
  'pickup_code',
  'refiner',
  'secret',
  'serial',
  'serialized_tx',
  'signature',
  'signed_transaction',
  'signed_transactions',
  'signed_tx',
  'summary',
  'tokens_required',
  'tx_signature',
  'url',
  'user_id',
  'wait',
];
const knownNames = new Set([...Object.keys(responseFields), ...containers, ...hiddenFields]);

/** A field of the tradebook API by the name that the partner API would give it. */
const snakeCase = (name: string) =>
  name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isKnown = (name: string): boolean => knownNames.has(snakeCase(name));

/** No known name is longer, nor is one that is nearly known. */
const maxNameLength = 64;

/** Returns the name of a field if it is known or nearly so, for a name may be anything, too. */
function shownName(name: string): string {
  if (isKnown(name)) return name;
  const isNear = name.length <= maxNameLength && nearest(snakeCase(name), knownNames) !== undefined;
  return isNear ? name : redacted;
}

/** What is hidden of a request, so that it is hidden in messages about it, too. */
export type Hidden = Set<string>;

/** Less than that is in every sentence, and no secret. */
const minHiddenLength = 3;
/** How much of a text a message quotes, in characters. */
const quotedLength = 40;

/** Adds a value and all that it holds, and names that are not known. */
export function hide(value: unknown, hidden: Hidden): void {
  const stack = [value];
  while (stack.length > 0) {
    const part = stack.pop();
    if (typeof part === 'string') addText(part, hidden);
    else if (typeof part === 'number') addText(String(part), hidden);
    else if (typeof part === 'object' && part !== null) {
      for (const [name, inner] of Object.entries(part)) {
        if (!Array.isArray(part) && !isKnown(name)) addText(name, hidden);
        stack.push(inner);
      }
    }
  }
}

function addText(value: string, hidden: Hidden): void {
  if (value.trim().length >= minHiddenLength) hidden.add(value);
  // A message may quote a part of it.
  if (!value.includes('://') || !URL.canParse(value)) return;
  const { hostname, username, password, pathname, search } = new URL(value);
  for (const part of [hostname, username, password, pathname, search])
    if (part.length >= minHiddenLength) hidden.add(part);
}

/** Returns a text as messages quote it: whole or cut, and as it is or as JSON has it. */
function quotesOf(value: string): string[] {
  const cut = [...value.slice(0, 2 * quotedLength)].slice(0, quotedLength).join('');
  return [value, cut].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
}

/** Returns whether a message may quote a text, by the beginning that all quotes of it have. */
function mayQuote(message: string, value: string): boolean {
  const start = value.slice(0, quotedLength / 2);
  return message.includes(start) || message.includes(JSON.stringify(start).slice(1, -1));
}

/** Returns what of the body of a request may be stored, and adds all else to `hidden`. */
export function redactRequest(body: unknown, hidden: Hidden): unknown {
  return redactRoot(body, {
    fields: requestFields,
    conceal: (value) => hide(value, hidden),
    concealName: (name) => addText(name, hidden),
    namesLeft: maxUnknownNames,
  });
}

/** Returns what of the body of a response may be stored; `hidden` is what must not be shown of its request. */
export function redactResponse(body: unknown, hidden: Hidden): unknown {
  const fields: Fields = {
    ...responseFields,
    message: (value) => (typeof value === 'string' ? redactMessage(value, hidden) : undefined),
    field: (value) => (typeof value === 'string' ? redactPath(value) : undefined),
  };
  return redactRoot(body, { fields, namesLeft: maxUnknownNames });
}

interface Rules {
  fields: Fields;
  /** Takes what is not shown. */
  conceal?(value: unknown): void;
  concealName?(name: string): void;
  /** How many more names are looked for among those that are known. */
  namesLeft: number;
}

/** More than these in one body are no slips of the pen, and would take long to compare. */
const maxUnknownNames = 32;

/** Bodies of requests are no deeper, nor are those of responses. */
const maxDepth = 32;

function redactRoot(value: unknown, rules: Rules, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return concealed(value, rules);
  if (Array.isArray(value)) return value.map((item) => redactRoot(item, rules, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const shown = nameIn(rules, name);
      if (shown === redacted) rules.concealName?.(name);
      return [shown, redactNamed(snakeCase(name), inner, rules, depth + 1)];
    }),
  );
}

function nameIn(rules: Rules, name: string): string {
  if (isKnown(name)) return name;
  rules.namesLeft -= 1;
  return rules.namesLeft < 0 ? redacted : shownName(name);
}

function redactNamed(name: string, value: unknown, rules: Rules, depth: number): unknown {
  if (value === null) return null;
  if (depth > maxDepth) return concealed(value, rules);
  if (Array.isArray(value)) return value.map((item) => redactNamed(name, item, rules, depth + 1));
  if (typeof value === 'object')
    return containers.has(name) ? redactRoot(value, rules, depth) : concealed(value, rules);
  const form = Object.hasOwn(rules.fields, name) ? rules.fields[name] : undefined;
  return form?.(value) ?? concealed(value, rules);
}

function concealed(value: unknown, rules: Rules): string {
  rules.conceal?.(value);
  return redacted;
}

/** Stands for what is hidden while a message is searched, and is in no message. */
const gap = '\u0000';
/** What may be a key, a signature or a hash: too long for a word, and not an identifier or address. */
const opaquePattern = /[A-Za-z0-9+_=-]{20,}/g;
const wordPattern = /^(?:[A-Z]?[a-z]+|[a-z]+(?:[_-][a-z]+)+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+)$/;

/** Returns a sentence about a request without what is hidden of that, which it may quote, and without anything like a key. */
export function redactMessage(message: string, hidden: Hidden): string {
  let shown = message.replaceAll(gap, ' ');
  const quotes = [...hidden].filter((value) => mayQuote(message, value)).flatMap(quotesOf);
  for (const quote of quotes.sort((a, b) => b.length - a.length)) shown = shown.replaceAll(quote, gap);
  shown = shown.replace(opaquePattern, (token) => (isPlain(token) ? token : gap));
  return shown.replaceAll(gap, redacted);
}

const isPlain = (token: string) =>
  idPattern.test(token) || addressPattern.test(token) || wordPattern.test(token);

/** Returns the path of a field, whose parts are names and places in lists. */
function redactPath(path: string): string {
  const parts = path.split('.').map((part) => (/^\d{1,3}$/.test(part) ? part : shownName(part)));
  return parts.join('.');
}

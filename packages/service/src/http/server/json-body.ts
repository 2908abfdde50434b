import { AppError } from '../../errors.js';

/** Nesting deeper than this has no use and would overflow the stack of what works on it later. */
const maxDepth = 32;
const forbiddenKeys = new Set(['__proto__', 'constructor']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the value of a JSON body; undefined for an empty one. Throws `invalid_request` for what is no UTF-8 or no
 * JSON, for the keys `__proto__` and `constructor` anywhere, and for nesting of more than 32 levels.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new AppError('invalid_request', 'The body is not valid JSON.', { cause: withoutText(cause) });
  }
  refuseUnsafeParts(value);
  return value;
}

interface Part {
  value: object;
  path: string;
  depth: number;
}

/** Walks without recursion, so that no nesting can exhaust the stack. */
function refuseUnsafeParts(root: unknown): void {
  const stack: Part[] = isObject(root) ? [{ value: root, path: '', depth: 1 }] : [];
  for (let part = stack.pop(); part; part = stack.pop()) {
    for (const [key, value] of Object.entries(part.value)) {
      const path = part.path === '' ? key : `${part.path}.${key}`;
      if (forbiddenKeys.has(key)) {
        throw new AppError('invalid_request', `The key ${key} is not allowed.`, { field: shorten(path) });
      }
      if (!isObject(value)) continue;
      if (part.depth >= maxDepth) {
        throw new AppError('invalid_request', `The body is nested deeper than ${maxDepth} levels.`, {
          field: shorten(path.split('.')[0] ?? ''),
        });
      }
      stack.push({ value, path, depth: part.depth + 1 });
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shorten(path: string): string {
  return path.slice(0, 200);
}

/** Returns the message of a syntax error without its quote of the body, which must not be logged. */
function withoutText(cause: unknown): string {
  return cause instanceof Error ? cause.name : 'unknown';
}

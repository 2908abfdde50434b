import type { OpenApiDocument } from '../src/http/openapi/conventions.js';

/** The document with everything that it refers to in its place. */
export function expanded<Document extends OpenApiDocument>(document: Document): Document {
  const inPlace = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inPlace);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, ...others } = part as { $ref?: unknown };
    const own = Object.fromEntries(Object.entries(others).map(([name, inner]) => [name, inPlace(inner)]));
    return typeof $ref === 'string' ? merged(inPlace(at($ref)), own) : own;
  };
  const at = (ref: string): unknown =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
  return inPlace(document) as Document;
}

/** What stands beside a reference narrows what it refers to, at any depth. */
function merged(base: unknown, more: unknown): unknown {
  if (!isObject(base) || !isObject(more)) return more ?? base;
  const names = Object.keys({ ...base, ...more });
  return Object.fromEntries(names.map((name) => [name, merged(base[name], more[name])]));
}

const isObject = (part: unknown): part is Record<string, unknown> =>
  typeof part === 'object' && part !== null && !Array.isArray(part);

interface Schema {
  anyOf?: Schema[];
  type?: unknown;
  items?: unknown;
  examples?: unknown;
  additionalProperties?: unknown;
}

/**
 * Returns a document in which what may be null is written in the short form of JSON Schema, `type: [string, "null"]`, where
 * nothing but its type is said of it, or of its items: readers and generators know it better than a choice between two
 * schemas, and the reference shows an array that way alone.
 */
export function withShortNull<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withShortNull) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([name, value]) => [name, withShortNull(value)]);
  const { anyOf, ...rest } = Object.fromEntries(entries) as Schema;
  const [one, none, ...others] = anyOf ?? [];
  if (!one || others.length > 0 || !isBare(one) || !none || !isBare(none) || none.type !== 'null') {
    return { ...rest, ...(anyOf && { anyOf }) } as Part;
  }
  return {
    ...rest,
    ...one,
    ...(rest.examples !== undefined && { examples: rest.examples }),
    type: [one.type, 'null'],
  } as Part;
}

/** Whether nothing but the type of a value is given, of an array its items, and of an object that it may have any property. */
function isBare({ type, items: _, examples: _examples, additionalProperties, ...rest }: Schema): boolean {
  const isFree = additionalProperties === undefined || additionalProperties === true;
  return typeof type === 'string' && isFree && Object.keys(rest).length === 0;
}

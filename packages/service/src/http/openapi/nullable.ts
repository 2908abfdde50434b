interface Schema {
  anyOf?: Schema[];
  type?: unknown;
  items?: unknown;
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
  return { ...rest, ...one, type: [one.type, 'null'] } as Part;
}

/** Whether nothing but the type of a value is given, and of an array its items. */
function isBare({ type, items: _, ...rest }: Schema): boolean {
  return typeof type === 'string' && Object.keys(rest).length === 0;
}

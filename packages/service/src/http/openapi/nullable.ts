interface Schema {
  anyOf?: Schema[];
  type?: unknown;
}

/**
 * Returns a document in which what may be null is written in the short form of JSON Schema, `type: [string, "null"]`, where
 * nothing but its type is said of it: readers and generators know it better than a choice between two schemas.
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
  return { ...rest, type: [one.type, 'null'] } as Part;
}

/** Whether nothing but the type of a value is given. */
function isBare(schema: Schema): boolean {
  return typeof schema.type === 'string' && Object.keys(schema).length === 1;
}

interface Schema {
  type?: unknown;
  format?: unknown;
}

/** Generators of clients take a number without a format for one of 32 bits, in which amounts are not exact. */
const formats: Readonly<Record<string, string>> = { number: 'double', integer: 'int64' };

/** Returns a document in which every number has a format. One that a schema has already is kept. */
export function withNumberFormats<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withNumberFormats) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, withNumberFormats(value)]),
  ) as Schema;
  const format = [inner.type].flat().flatMap((type) => formats[String(type)] ?? [])[0];
  return (format === undefined ? inner : { ...inner, format: inner.format ?? format }) as Part;
}

/**
 * Returns JSON text that is the same for equal values whatever the order of their fields: object keys are sorted by
 * UTF-16 code units, as RFC 8785 does. Fields that are undefined are left out. Throws for what JSON cannot express,
 * such as a bigint.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  const text = JSON.stringify(value);
  if (text === undefined) throw new Error(`JSON cannot express ${typeof value}`);
  return text;
}

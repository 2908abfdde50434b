/**
 * Returns JSON text with exact integers: a bigint is written as a bare number (`18446744073709551615`), which
 * JSON.stringify cannot do. Undefined fields are left out, as JSON.stringify does.
 */
export function toJson(value: unknown): string {
  try {
    // Many times as quick where there is no bigint, as in the long lists of a history.
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return exactJson(value);
  }
}

function exactJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? arrayJson(value) : objectJson(value as Record<string, unknown>);
    case 'undefined':
    case 'function':
    case 'symbol':
      return 'null';
    default:
      return JSON.stringify(value);
  }
}

function arrayJson(items: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < items.length; i += 1) text += (i > 0 ? ',' : '') + exactJson(items[i]);
  return `${text}]`;
}

function objectJson(object: Record<string, unknown>): string {
  let text = '{';
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    text += `${(text.length > 1 ? ',' : '') + JSON.stringify(key)}:${exactJson(member)}`;
  }
  return `${text}}`;
}

/** Bytes of UTF-8 that wallets show, as Metaplex's standard has them; the issuer is a field of our own. */
const maxBytes = { name: 32, symbol: 10, uri: 200, issuer: 64 } as const;

export type MetadataField = keyof typeof maxBytes;

/**
 * Returns what a text of the token's metadata must be, to follow "must be"; undefined when it is that. `anyHost`: on a
 * network of one's own the document may also be at an `http:` address.
 */
export function metadataFault(
  field: MetadataField,
  text: string,
  { anyHost = false } = {},
): string | undefined {
  const limit = maxBytes[field];
  const bytes = Buffer.byteLength(text, 'utf8');
  // Controls, and what reverses the direction of a text, would make it look like another one.
  const isPlain = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text) && text.trim() === text;
  if (!isPlain || bytes > limit) return `1 to ${limit} bytes of plain text`;
  if (field !== 'uri' || isAllowed(text, anyHost)) return undefined;
  return anyHost ? 'an http or https URL' : 'an https URL';
}

function isAllowed(uri: string, anyHost: boolean): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (anyHost && protocol === 'http:');
}

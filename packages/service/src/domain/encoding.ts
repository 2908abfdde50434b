/**
 * Returns the bytes of strict base64: standard alphabet, padding, no white space, no stray bits. Undefined for anything
 * else. Whatever `Buffer` forgives does not survive the way back.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Returns whether PostgreSQL can store a text unchanged: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !/\p{Cs}/u.test(text) && !text.includes('\0');
}

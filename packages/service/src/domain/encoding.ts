/**
 * Returns the bytes of strict base64: standard alphabet, padding, no white space, no stray bits. Undefined for anything
 * else. Whatever `Buffer` forgives does not survive the way back.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Returns why a text is no strict base64, as the rest of a sentence about it. */
export function base64Fault(text: string): string {
  if (text === '') return 'it is empty';
  if (/\s/.test(text)) return 'it has white space';
  if (/^[A-Za-z0-9_-]+=*$/.test(text) && /[-_]/.test(text))
    return 'it is of the URL-safe alphabet: write + and / for - and _';
  if (isBase58(text)) return 'it is base58';
  if (/^[A-Za-z0-9+/]+$/.test(text)) return 'it lacks the padding with =';
  return 'it has other characters';
}

/** Whether a text looks like base58: chance does not spare the six other characters of base64 for so long. */
function isBase58(text: string): boolean {
  return text.length >= 32 && /^[1-9A-HJ-NP-Za-km-z]+$/.test(text);
}

/** Returns whether PostgreSQL can store a text unchanged: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !/\p{Cs}/u.test(text) && !text.includes('\0');
}

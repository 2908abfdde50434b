const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Reads base58 of so many bytes; undefined for any other text. */
export function decodeBase58(text: string, size: number): Uint8Array | undefined {
  const bytes = new Uint8Array(size);
  let rest = 0n;
  for (const letter of text) {
    const digit = alphabet.indexOf(letter);
    if (digit < 0) return undefined;
    rest = rest * 58n + BigInt(digit);
  }
  for (let at = size - 1; at >= 0; at -= 1, rest >>= 8n) bytes[at] = Number(rest & 255n);
  // As it is written by those who made it: neither longer, nor with another number of zeros.
  return rest === 0n && encodeBase58(bytes) === text ? bytes : undefined;
}

/** Returns bytes in base58, as the API takes signatures. */
export function encodeBase58(bytes: Uint8Array): string {
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = '';
  while (rest > 0n) {
    digits = alphabet.charAt(Number(rest % 58n)) + digits;
    rest /= 58n;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + digits;
}

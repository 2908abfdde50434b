/** Returns the bytes of a text in base32 (RFC 4648), which may have spaces. */
export function fromBase32(text: string): Buffer {
  const bits = [...text.replace(/\s/g, '')]
    .map((deadLetter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(deadLetter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

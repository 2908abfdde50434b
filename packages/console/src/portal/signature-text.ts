import { decodeBase58 } from './base58';

const signatureBytes = 64;

export const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** Reads a signature in base58, as the Solana CLI prints it, or base64, and returns base64; undefined for any other text. */
export function readSignature(typed: string): string | undefined {
  const text = typed.trim();
  if (/^[A-Za-z0-9+/]{86}==$/.test(text)) return text;
  const bytes = decodeBase58(text, signatureBytes);
  return bytes && toBase64(bytes);
}

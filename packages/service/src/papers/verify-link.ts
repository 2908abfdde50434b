import { deflateRawSync } from 'node:zlib';

/**
 * Returns the address of the page that verifies a paper in the browser. What was signed and the signature stand behind the `#`, so
 * that they reach no server: the version of this form, the JSON compressed by deflate, and the signature, each in base64url. One
 * that was not signed ends with a dot.
 */
export function verifyLink(origin: string, body: string, signature: Uint8Array | undefined): string {
  const encoded = deflateRawSync(body, { level: 9 }).toString('base64url');
  const signed = signature === undefined ? '' : Buffer.from(signature).toString('base64url');
  return `${origin}/papers/verify#1.${encoded}.${signed}`;
}

import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/** Length of a key of AES-256. */
export const sealKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts with AES-256-GCM and returns nonce, ciphertext and tag. `about` says what the content belongs to, such as the id of
 * a user: the same text is needed to open it, so that a sealed value is of no use in another row.
 */
export function seal(key: KeyObject, content: Uint8Array, about: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the content of a sealed value; undefined if it was changed, or sealed with another key or about something else. */
export function unseal(key: KeyObject, sealed: Uint8Array, about: string): Uint8Array | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const end = sealed.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(end));
  const content = decipher.update(sealed.subarray(nonceBytes, end));
  try {
    return Buffer.concat([content, decipher.final()]);
  } catch {
    return undefined;
  }
}

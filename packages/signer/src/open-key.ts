import { loadSigner } from './key-file.js';
import { keyFileOf, schemeOf } from './key-url.js';
import { type Signer, SignerError } from './signer.js';

/** What opens keys that are kept elsewhere. */
export interface KeyOptions {
  /** Where the services of `@solana/keychain` find their secrets. */
  env: Readonly<Record<string, string | undefined>>;
  /** A signature that takes longer fails. */
  withinMs: number;
}

/**
 * Opens the key at a URL: `file:`, or a path without a scheme; `pkcs11:`, a hardware security module; `keychain:`, a
 * service that `@solana/keychain` knows. Throws a `SignerError`, whose message ends a sentence about the URL.
 */
export async function openKey(url: string, { env, withinMs }: KeyOptions): Promise<Signer> {
  const path = keyFileOf(url);
  if (path !== undefined) return loadSigner(path);
  const scheme = schemeOf(url);
  if (scheme === 'pkcs11') return (await import('./pkcs11.js')).openPkcs11(url, withinMs);
  if (scheme === 'keychain') return (await import('./keychain.js')).openKeychain(url, env, withinMs);
  throw new SignerError(`starts with ${scheme}:, where file:, pkcs11: and keychain: are known`);
}

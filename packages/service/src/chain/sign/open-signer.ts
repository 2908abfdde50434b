import { type KeyName, keyFileOf, loadSigner, schemeOf } from '@karat/signer';
import type { Address } from '@solana/kit';
import { type Signer, SignerError } from './signer.js';

/**
 * Opens the key at a URL: `file:`, or a path without a scheme; `socket:`, a process of `karat-signer`, which opens keys in
 * all other places. `name` says which of its keys. Throws a `SignerError`, whose message ends a sentence about the URL.
 */
export async function openSigner(url: string, name: KeyName): Promise<Signer> {
  const path = keyFileOf(url);
  if (path !== undefined) return loadSigner(path);
  const scheme = schemeOf(url);
  if (scheme === 'socket') return (await import('./socket.js')).openSocket(url, name);
  if (scheme === 'pkcs11' || scheme === 'keychain') {
    throw new SignerError('karat-signer opens: give it this URL, and name its socket here');
  }
  throw new SignerError(`starts with ${scheme}:, where file: and socket: are known`);
}

/** Throws a `SignerError` unless the key at a URL signs. One in a file does: `openSigner` has read it. */
export async function proveSigner(url: string, name: KeyName, address: Address): Promise<void> {
  if (schemeOf(url) === 'socket') await (await import('./socket.js')).proveSocket(url, name, address);
}

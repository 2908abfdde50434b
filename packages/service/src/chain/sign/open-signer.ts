import { fileURLToPath } from 'node:url';
import type { Secret } from '../../config.js';
import { loadSigner } from './key-file.js';
import type { KeyName } from './key-settings.js';
import { type Signer, SignerError } from './signer.js';

export interface SignerSecrets {
  /** Which key it is, for a process that holds several. */
  name: KeyName;
  /** PIN of PKCS#11 tokens whose URL names no file of it. */
  pkcs11Pin: Secret | undefined;
  /** Where the services of `@solana/keychain` find their secrets. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the key at a URL: `file:`, or a path without a scheme; `pkcs11:`, a hardware security module; `keychain:`, a
 * service that `@solana/keychain` knows; `socket:`, a process of `karat sign`. Throws a `SignerError`, whose message ends a sentence about the URL.
 */
export async function openSigner(url: string, { name, pkcs11Pin, env }: SignerSecrets): Promise<Signer> {
  const scheme = schemeOf(url);
  switch (scheme) {
    case undefined:
    case 'file':
      return loadSigner(pathOf(url));
    case 'pkcs11':
      return (await import('./pkcs11.js')).openPkcs11(url, pkcs11Pin);
    case 'keychain':
      return (await import('./keychain.js')).openKeychain(url, env);
    case 'socket':
      return (await import('./socket.js')).openSocket(url, name);
    default:
      throw new SignerError(`starts with ${scheme}:, where file:, pkcs11:, keychain: and socket: are known`);
  }
}

/** Returns the path of a key file that a URL names; undefined for a key that is kept elsewhere. */
export function keyFileOf(url: string): string | undefined {
  const scheme = schemeOf(url);
  return scheme === undefined || scheme === 'file' ? pathOf(url) : undefined;
}

/** Returns what errors show of a URL, which may hold a secret by mistake: its scheme, and the path that names a key. */
export function shownOf(url: string): string {
  const scheme = schemeOf(url);
  if (keyFileOf(url) !== undefined || scheme === 'socket') return url;
  if (scheme === 'keychain') return /^keychain:[a-z-]*/i.exec(url)?.[0] ?? 'keychain:';
  if (scheme !== 'pkcs11') return `${scheme}:`;
  const [path = ''] = url.slice('pkcs11:'.length).split(/[?&]/);
  return `pkcs11:${path
    .split(';')
    .filter((part) => /^(token|serial|object|id|type)=/.test(part))
    .join(';')}`;
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase();
}

function pathOf(url: string): string {
  if (/^file:\/\//i.test(url)) {
    try {
      return fileURLToPath(url);
    } catch {
      throw new SignerError('is not a file: URL of this machine');
    }
  }
  return url.replace(/^file:/i, '');
}

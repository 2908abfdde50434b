import { fileURLToPath } from 'node:url';
import { SignerError } from './signer.js';

/** Returns the scheme of a key's URL; undefined for a path. */
export function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase();
}

/** Returns the path of a key file that a URL names; undefined for a key that is kept elsewhere. Throws a `SignerError`. */
export function keyFileOf(url: string): string | undefined {
  const scheme = schemeOf(url);
  if (scheme !== undefined && scheme !== 'file') return undefined;
  if (!/^file:\/\//i.test(url)) return url.replace(/^file:/i, '');
  try {
    return fileURLToPath(url);
  } catch {
    throw new SignerError('is not a file: URL of this machine');
  }
}

/** Returns what errors show of a URL, which may hold a secret by mistake: its scheme, and the path that names a key. */
export function shownOf(url: string): string {
  const scheme = schemeOf(url);
  if (scheme === undefined || scheme === 'file' || scheme === 'socket') return url;
  if (scheme === 'keychain') return /^keychain:[a-z-]*/i.exec(url)?.[0] ?? 'keychain:';
  if (scheme !== 'pkcs11') return `${scheme}:`;
  const [path = ''] = url.slice('pkcs11:'.length).split(/[?&]/);
  return `pkcs11:${path
    .split(';')
    .filter((part) => /^(token|serial|object|id|type)=/.test(part))
    .join(';')}`;
}

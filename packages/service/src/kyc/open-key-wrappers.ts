import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { keyFileOf, readPrivateFile, SignerError, shownOf } from '@karat/signer';
import type { WrappingKey } from '@karat/signer/wrapping-key';
import { type Config, ConfigError } from '../config.js';
import { seal, sealKeyBytes, unseal } from '../domain/sealed.js';

/** The settings that name keys of KYC data: the first one wraps, both unwrap. */
export const kycKeySettings = [
  { setting: 'kycKeyUrl', variable: 'KARAT_KYC_KEY' },
  { setting: 'otherKycKeyUrl', variable: 'KARAT_OTHER_KYC_KEY' },
] as const;

export type KycKeyConfig = Pick<Config, (typeof kycKeySettings)[number]['setting']>;

/** Where services find their secrets. */
type Env = Readonly<Record<string, string | undefined>>;

/** Opens the keys of KYC data that the configuration names. Throws a `ConfigError` for one that cannot be used. */
export async function openKeyWrappers(config: KycKeyConfig, env: Env = process.env): Promise<WrappingKey[]> {
  const wrappers: WrappingKey[] = [];
  for (const { setting, variable } of kycKeySettings) {
    const url = config[setting];
    if (url === undefined) continue;
    try {
      wrappers.push(await openKeyWrapper(url, env));
    } catch (error) {
      if (!(error instanceof SignerError)) throw error;
      throw new ConfigError(`${variable} names ${shownOf(url)}, which ${error.message}`);
    }
  }
  return wrappers;
}

/**
 * Opens the key at a URL: `file:`, or a path; `pkcs11:`, a hardware security module; `keychain:vault`, Vault's transit engine.
 * Throws a `SignerError`, whose message ends a sentence about the URL.
 */
async function openKeyWrapper(url: string, env: Env): Promise<WrappingKey> {
  const path = keyFileOf(url);
  if (path !== undefined) return new FileKey(parseKey(readPrivateFile(path)));
  if (/^pkcs11:/i.test(url)) return (await import('@karat/signer/wrapping-key')).openPkcs11Key(url);
  if (/^keychain:vault(\?|$)/i.test(url)) return (await import('./vault-key.js')).openVaultKey(url, env);
  throw new SignerError('is none of file:, pkcs11: and keychain:vault, where keys of KYC data can be');
}

function parseKey(text: string): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64');
  // Not of every text: Buffer skips what is not base64.
  if (key.length === sealKeyBytes && /^(?:[0-9a-f]{64}|[A-Za-z0-9+/]{43}=?)$/i.test(trimmed)) return key;
  throw new SignerError(`does not hold ${sealKeyBytes} random bytes as 64 hex digits or base64`);
}

/** A key in a file of this machine. */
class FileKey implements WrappingKey {
  readonly name: string;
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.name = `file:${createHmac('sha256', key).update('karat kyc key name').digest('hex').slice(0, 16)}`;
    this.#key = createSecretKey(key);
    key.fill(0);
  }

  async wrap(key: Uint8Array, about: string): Promise<Uint8Array> {
    return seal(this.#key, key, about);
  }

  async unwrap(wrapped: Uint8Array, about: string): Promise<Uint8Array | undefined> {
    return unseal(this.#key, wrapped, about);
  }
}

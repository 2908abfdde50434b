import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { readPrivateFile } from '../chain/sign/key-file.js';
import { keyFileOf, shownOf } from '../chain/sign/open-signer.js';
import { SignerError } from '../chain/sign/signer.js';
import { type Config, ConfigError } from '../config.js';
import { seal, sealKeyBytes, unseal } from '../domain/sealed.js';

/** A key that encrypts other keys and never leaves its place. */
export interface KeyWrapper {
  /** Stored with what it wrapped, and says nothing of the key. */
  readonly name: string;
  /** Encrypts a data key; only the same `about` opens it. */
  wrap(key: Uint8Array, about: string): Promise<Uint8Array>;
  /** Returns a data key; undefined if this key did not wrap it so. */
  unwrap(wrapped: Uint8Array, about: string): Promise<Uint8Array | undefined>;
}

/** The settings that name keys of KYC data: the first one wraps, both unwrap. */
export const kycKeySettings = [
  { setting: 'kycKeyUrl', variable: 'KARAT_KYC_KEY' },
  { setting: 'otherKycKeyUrl', variable: 'KARAT_OTHER_KYC_KEY' },
] as const;

export type KycKeyConfig = Pick<Config, (typeof kycKeySettings)[number]['setting']>;

/** Opens the keys of KYC data that the configuration names. Throws a `ConfigError` for one that cannot be used. */
export async function openKeyWrappers(config: KycKeyConfig): Promise<KeyWrapper[]> {
  const wrappers: KeyWrapper[] = [];
  for (const { setting, variable } of kycKeySettings) {
    const url = config[setting];
    if (url === undefined) continue;
    try {
      wrappers.push(openKeyWrapper(url));
    } catch (error) {
      if (!(error instanceof SignerError)) throw error;
      throw new ConfigError(`${variable} names ${shownOf(url)}, which ${error.message}`);
    }
  }
  return wrappers;
}

/** Opens the key at a URL: `file:`, or a path. Throws a `SignerError`, whose message ends a sentence about the URL. */
export function openKeyWrapper(url: string): KeyWrapper {
  const path = keyFileOf(url);
  if (path === undefined) throw new SignerError('is no file: URL, and keys of KYC data are read from files');
  return new FileKey(parseKey(readPrivateFile(path)));
}

function parseKey(text: string): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64');
  // Not of every text: Buffer skips what is not base64.
  if (key.length === sealKeyBytes && /^(?:[0-9a-f]{64}|[A-Za-z0-9+/]{43}=?)$/i.test(trimmed)) return key;
  throw new SignerError(`does not hold ${sealKeyBytes} random bytes as 64 hex digits or base64`);
}

/** A key in a file of this machine. */
class FileKey implements KeyWrapper {
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

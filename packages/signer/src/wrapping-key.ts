import { randomBytes } from 'node:crypto';
import { attributes, type Cryptoki, CryptokiError, loadCryptoki } from './cryptoki.js';
import { SignerError } from './signer.js';
import {
  closeIgnoringErrors,
  findKey,
  type KeyKind,
  openSession,
  type Pkcs11Uri,
  readPin,
  readUri,
} from './token.js';

const aesKey: KeyKind = { class: 0x4, type: 0x1f, called: 'AES key' };
const nonceBytes = 12;
/** Of AES-256. */
const keyBytes = 32;

/** A key that encrypts other keys and never leaves its place. */
export interface WrappingKey {
  /** Stored with what it wrapped, and says nothing of the key. */
  readonly name: string;
  /** Encrypts a data key; only the same `about` opens it. Throws a `SignerError` while the key cannot be used. */
  wrap(key: Uint8Array, about: string): Promise<Uint8Array>;
  /** Returns a data key; undefined if this key did not wrap it so. Throws a `SignerError` while the key cannot be used. */
  unwrap(wrapped: Uint8Array, about: string): Promise<Uint8Array | undefined>;
}

/**
 * Opens an AES-256 key of a hardware security module, which encrypts with CKM_AES_GCM; `uri` is one of RFC 7512, as for
 * keys that sign. Throws a `SignerError`.
 */
export async function openPkcs11Key(uri: string): Promise<WrappingKey> {
  const named = readUri(uri);
  const token = new Token(loadCryptoki(named.module), named, readPin(named));
  return new Pkcs11Key(token, await token.use(readName));
}

/** Returns the label of a key, else its id: whichever of them the URI names, the name stays the same. */
async function readName(cryptoki: Cryptoki, session: number, key: number): Promise<string> {
  const length = await cryptoki.read(session, key, attributes.valueLength);
  if (length?.[0] !== keyBytes) throw new SignerError('names an AES key that does not have 256 bits');
  const label = await cryptoki.read(session, key, attributes.label);
  if (label && label.length > 0) return `pkcs11:${Buffer.from(label).toString('utf8')}`;
  const id = await cryptoki.read(session, key, attributes.id);
  return `pkcs11:${Buffer.from(id ?? []).toString('hex')}`;
}

type Use<T> = (cryptoki: Cryptoki, session: number, key: number) => Promise<T>;

/** A key of a token, with a session for each use: there are few, most of them at the start. */
class Token {
  readonly #cryptoki: Cryptoki;
  readonly #uri: Pkcs11Uri;
  readonly #pin: Uint8Array;

  constructor(cryptoki: Cryptoki, uri: Pkcs11Uri, pin: Uint8Array) {
    this.#cryptoki = cryptoki;
    this.#uri = uri;
    this.#pin = pin;
  }

  async use<T>(use: Use<T>): Promise<T> {
    try {
      const session = await openSession(this.#cryptoki, this.#uri, this.#pin);
      try {
        return await use(this.#cryptoki, session, await findKey(this.#cryptoki, this.#uri, session, aesKey));
      } finally {
        await closeIgnoringErrors(this.#cryptoki, session);
      }
    } catch (error) {
      if (error instanceof CryptokiError) throw new SignerError(`cannot be used, because ${error.message}`);
      throw error;
    }
  }
}

class Pkcs11Key implements WrappingKey {
  readonly name: string;
  readonly #token: Token;

  constructor(token: Token, name: string) {
    this.#token = token;
    this.name = name;
  }

  async wrap(key: Uint8Array, about: string): Promise<Uint8Array> {
    const gcm = { nonce: randomBytes(nonceBytes), about: Buffer.from(about) };
    const sealed = await this.#token.use((cryptoki, session, wrapping) =>
      cryptoki.encryptGcm(session, wrapping, gcm, key),
    );
    return Buffer.concat([gcm.nonce, sealed]);
  }

  async unwrap(wrapped: Uint8Array, about: string): Promise<Uint8Array | undefined> {
    if (wrapped.length <= nonceBytes) return undefined;
    const gcm = { nonce: wrapped.slice(0, nonceBytes), about: Buffer.from(about) };
    const sealed = wrapped.slice(nonceBytes);
    return this.#token.use(async (cryptoki, session, wrapping) => {
      try {
        return await cryptoki.decryptGcm(session, wrapping, gcm, sealed);
      } catch (error) {
        // Modules return various errors for what another key encrypted, and the same ones when they are broken.
        if (error instanceof CryptokiError && (await works(cryptoki, session, wrapping))) return undefined;
        throw error;
      }
    });
  }
}

/** Returns whether a key decrypts what it encrypts. */
async function works(cryptoki: Cryptoki, session: number, key: number): Promise<boolean> {
  const gcm = { nonce: randomBytes(nonceBytes), about: Buffer.from('a trial') };
  const content = randomBytes(keyBytes);
  try {
    const sealed = await cryptoki.encryptGcm(session, key, gcm, content);
    return content.equals(await cryptoki.decryptGcm(session, key, gcm, sealed));
  } catch (error) {
    if (error instanceof CryptokiError) return false;
    throw error;
  }
}

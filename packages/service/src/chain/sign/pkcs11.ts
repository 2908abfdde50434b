import { getAddressDecoder, type SignatureBytes } from '@solana/kit';
import type { Secret } from '../../config.js';
import { toInteger } from '../../domain/integer.js';
import { coalesce } from './coalesce.js';
import {
  attributes,
  type Cryptoki,
  CryptokiError,
  edwardsKey,
  loadCryptoki,
  privateKey,
  publicKey,
} from './cryptoki.js';
import { readPrivateFile } from './key-file.js';
import { type Signer, SignerError, type SigningBackend, verifySignature } from './signer.js';

/** What a URI of RFC 7512 names. */
interface Pkcs11Uri {
  module: string;
  token: string | undefined;
  serial: string | undefined;
  label: string | undefined;
  id: Uint8Array | undefined;
  pinFile: string | undefined;
  /** How many signatures the token is asked for at once. */
  sessions: number;
}

/** Tokens take several sessions; more than a few only wait for each other inside. */
const usualSessions = 4;

/**
 * Opens an Ed25519 key of a hardware security module. `uri` follows RFC 7512:
 * `pkcs11:token=karat;object=service?module-path=/usr/lib/softhsm/libsofthsm2.so`. The PIN is in the file that
 * `pin-source` names, else it is `pin`. Throws a `SignerError`.
 */
export async function openPkcs11(uri: string, pin: Secret | undefined): Promise<Signer> {
  const named = readUri(uri);
  const cryptoki = loadCryptoki(named.module);
  try {
    const backend = new Pkcs11Backend(cryptoki, named, readPin(named, pin));
    await backend.prove();
    return coalesce(backend);
  } catch (error) {
    if (error instanceof CryptokiError) {
      const remedy = error.call === 'C_Login' ? ': check the PIN' : '';
      throw new SignerError(`cannot be used, because ${error.message}${remedy}`);
    }
    throw error;
  }
}

/** Reads a URI of RFC 7512, as far as it names a private key. */
function readUri(uri: string): Pkcs11Uri {
  const [path = '', query = ''] = uri.slice('pkcs11:'.length).split('?', 2);
  const values = new Map<string, string>();
  for (const part of [...path.split(';'), ...query.split('&')].filter((each) => each !== '')) {
    const [name = '', value = ''] = part.split('=', 2);
    if (name === 'pin-value') {
      throw new SignerError('holds a PIN: name a file with pin-source, or set KARAT_PKCS11_PIN');
    }
    if (!known.has(name))
      throw new SignerError(`has the attribute ${name}; known are ${[...known].join(', ')}`);
    if (values.has(name)) throw new SignerError(`has the attribute ${name} twice`);
    values.set(name, value);
  }
  const text = (name: string) => {
    const value = values.get(name);
    return value === undefined ? undefined : Buffer.from(bytesOf(value)).toString('utf8');
  };
  const module = text('module-path');
  if (!module) throw new SignerError('has no module-path, the file of the PKCS#11 module');
  const id = values.get('id');
  const label = text('object');
  if (id === undefined && label === undefined) throw new SignerError('has neither object nor id of the key');
  const sessions = values.get('sessions') ?? String(usualSessions);
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(sessions)) throw new SignerError('must have from 1 to 64 sessions');
  return {
    module,
    token: text('token'),
    serial: text('serial'),
    label,
    id: id === undefined ? undefined : bytesOf(id),
    pinFile: text('pin-source')?.replace(/^file:(\/\/)?/, ''),
    sessions: toInteger(sessions),
  };
}

const known = new Set(['token', 'serial', 'object', 'id', 'type', 'module-path', 'pin-source', 'sessions']);

/** Decodes `%…`, which may stand for any byte. */
function bytesOf(text: string): Uint8Array {
  const parts = text.match(/%[0-9a-fA-F]{2}|[^%]/gu);
  if (text !== '' && parts?.join('') !== text)
    throw new SignerError('has a % that no two hexadecimal digits follow');
  return Buffer.concat(
    (parts ?? []).map((part) =>
      part.length === 3 && part.startsWith('%') ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part),
    ),
  );
}

function readPin({ pinFile }: Pkcs11Uri, pin: Secret | undefined): Uint8Array {
  if (pinFile !== undefined) {
    try {
      return Buffer.from(readPrivateFile(pinFile).replace(/\r?\n$/, ''));
    } catch (error) {
      if (error instanceof SignerError)
        throw new SignerError(`has its PIN in ${pinFile}, which ${error.message}`);
      throw error;
    }
  }
  if (!pin) throw new SignerError('needs a PIN: name its file with pin-source, or set KARAT_PKCS11_PIN');
  return Buffer.from(pin.reveal());
}

/** What is open at a token: its handles are void as soon as the token was away. */
interface Opened {
  sessions: number[];
  key: number;
}

/** One key of one token, over several sessions. */
class Pkcs11Backend implements SigningBackend {
  readonly address;
  readonly #cryptoki: Cryptoki;
  readonly #uri: Pkcs11Uri;
  readonly #pin: Uint8Array;
  readonly #publicKey: Uint8Array;
  /** Undefined after a failure, so that the next batch opens everything again. */
  #opened: Opened | undefined;

  constructor(cryptoki: Cryptoki, uri: Pkcs11Uri, pin: Uint8Array) {
    this.#cryptoki = cryptoki;
    this.#uri = uri;
    this.#pin = pin;
    this.#opened = this.#open();
    this.#publicKey = this.#readPublicKey(this.#opened);
    this.address = getAddressDecoder().decode(this.#publicKey);
  }

  /** Signs a text that is no transaction. Throws a `SignerError` unless the signature is that of the key. */
  async prove(): Promise<void> {
    const text = Buffer.from('Karat checks that this key signs.');
    const [signature] = await this.signBatch([text]);
    if (signature && verifySignature(this.#publicKey, text, signature)) return;
    throw new SignerError('signs with another key than the one whose public key has the same name');
  }

  /** Opens everything once more when a call fails: tokens end sessions that were idle, or go away for a moment. */
  async signBatch(messages: readonly Uint8Array[]): Promise<SignatureBytes[]> {
    try {
      return await this.#sign(messages);
    } catch (error) {
      if (!(error instanceof CryptokiError)) throw error;
      return this.#sign(messages);
    }
  }

  async #sign(messages: readonly Uint8Array[]): Promise<SignatureBytes[]> {
    this.#opened ??= this.#open();
    const opened = this.#opened;
    const signed: SignatureBytes[] = [];
    let next = 0;
    const work = async (session: number) => {
      for (let index = next++; index < messages.length; index = next++) {
        const message = messages[index] ?? new Uint8Array();
        signed[index] = (await this.#cryptoki.signEdDsa(
          session,
          opened.key,
          message,
        )) as Uint8Array as SignatureBytes;
      }
    };
    const free = opened.sessions.splice(0);
    // A batch that comes while all sessions are busy gets one of its own.
    const sessions = free.length > 0 ? free : [this.#openSession()];
    const ends = await Promise.allSettled(sessions.map(work));
    const failed = ends.find((end) => end.status === 'rejected');
    if (!failed) {
      opened.sessions.push(...sessions);
      return signed;
    }
    if (this.#opened === opened) this.#opened = undefined;
    this.#close(sessions);
    throw failed.reason;
  }

  async close(): Promise<void> {
    this.#close(this.#opened?.sessions ?? []);
    this.#opened = undefined;
    this.#pin.fill(0);
  }

  #open(): Opened {
    const first = this.#openSession();
    try {
      this.#login(first);
      const key = this.#find(first, privateKey);
      const others = Array.from({ length: this.#uri.sessions - 1 }, () => this.#openSession());
      return { sessions: [first, ...others], key };
    } catch (error) {
      this.#close([first]);
      throw error;
    }
  }

  #login(session: number): void {
    this.#cryptoki.login(session, this.#pin);
  }

  #openSession(): number {
    return this.#cryptoki.openSession(this.#findSlot());
  }

  #findSlot(): number {
    const { token, serial } = this.#uri;
    const slots = this.#cryptoki.slots().filter((slot) => {
      const { label, serial: number } = this.#cryptoki.tokenOf(slot);
      return (token ?? label) === label && (serial ?? number) === number;
    });
    const [slot] = slots;
    if (slot === undefined) throw new SignerError('names a token that the module does not have');
    if (slots.length > 1 && (token ?? serial) === undefined) {
      throw new SignerError('names no token, and the module has several');
    }
    return slot;
  }

  #find(session: number, kind: number): number {
    const { label, id } = this.#uri;
    const objects = this.#cryptoki.find(session, [
      { type: attributes.class, value: numberBytes(kind) },
      { type: attributes.keyType, value: numberBytes(edwardsKey) },
      ...(label === undefined ? [] : [{ type: attributes.label, value: Buffer.from(label) }]),
      ...(id === undefined ? [] : [{ type: attributes.id, value: id }]),
    ]);
    const [object] = objects;
    const named = kind === privateKey ? 'private key' : 'public key';
    if (object === undefined) throw new SignerError(`names an Ed25519 ${named} that the token does not have`);
    if (objects.length > 1) throw new SignerError(`names more than one Ed25519 ${named} of the token`);
    return object;
  }

  /** Reads the public key next to the private one: its 32 bytes, or a DER string of them. */
  #readPublicKey({ sessions: [session = 0] }: Opened): Uint8Array {
    const point = this.#cryptoki.read(session, this.#find(session, publicKey), attributes.point);
    if (point?.length === 32) return Uint8Array.from(point);
    if (point?.length === 34 && point[0] === 0x04 && point[1] === 32)
      return Uint8Array.from(point.subarray(2));
    throw new SignerError('has a public key that is not one of Ed25519');
  }

  #close(sessions: readonly number[]): void {
    for (const session of sessions) {
      try {
        this.#cryptoki.closeSession(session);
      } catch {
        // It ended with what failed.
      }
    }
  }
}

/** Returns a CK_ULONG as it lies in memory. */
function numberBytes(value: number): Uint8Array {
  return new Uint8Array(new BigUint64Array([BigInt(value)]).buffer);
}

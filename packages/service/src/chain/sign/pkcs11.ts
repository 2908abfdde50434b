import { createHash } from 'node:crypto';
import { getAddressDecoder, type SignatureBytes } from '@solana/kit';
import type { Secret } from '../../config.js';
import { toInteger } from '../../domain/integer.js';
import {
  attributes,
  type Cryptoki,
  CryptokiError,
  edwardsKey,
  loadCryptoki,
  privateKey,
  publicKey,
} from './cryptoki.js';
import { type SingleBackend, signEach } from './each.js';
import { readPrivateFile } from './key-file.js';
import { type Signer, SignerError, verifySignature } from './signer.js';

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
/** Quotes that wait for a signature need a response. */
const signWithinMs = 3_000;

/**
 * Opens an Ed25519 key of a hardware security module. `uri` follows RFC 7512:
 * `pkcs11:token=karat;object=service?module-path=/usr/lib/softhsm/libsofthsm2.so`. The PIN is in the file that
 * `pin-source` names, else it is `pin`. Throws a `SignerError`.
 */
export async function openPkcs11(uri: string, pin: Secret | undefined): Promise<Signer> {
  const named = readUri(uri);
  const cryptoki = loadCryptoki(named.module);
  try {
    const backend = await Pkcs11Backend.open(cryptoki, named, readPin(named, pin));
    return signEach(backend, named.sessions, signWithinMs);
  } catch (error) {
    if (error instanceof CryptokiError) throw new SignerError(`cannot be used, because ${error.message}`);
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

/** What a lane has open at the token: handles are void as soon as the token was away. */
interface Opened {
  session: number;
  key: number;
}

/** One key of one token, with a session for each lane. */
class Pkcs11Backend implements SingleBackend {
  readonly address;
  readonly #cryptoki: Cryptoki;
  readonly #uri: Pkcs11Uri;
  readonly #pin: Uint8Array;
  readonly #publicKey: Uint8Array;
  /** By lane; a failure empties its lane, and the next message opens it again. */
  readonly #lanes: (Opened | undefined)[];
  #closed = false;

  private constructor(
    cryptoki: Cryptoki,
    uri: Pkcs11Uri,
    pin: Uint8Array,
    lanes: Opened[],
    publicKey: Uint8Array,
  ) {
    this.#cryptoki = cryptoki;
    this.#uri = uri;
    this.#pin = pin;
    this.#lanes = lanes;
    this.#publicKey = publicKey;
    this.address = getAddressDecoder().decode(publicKey);
  }

  /** Opens all sessions, or none. Throws a `SignerError` unless the key signs. */
  static async open(cryptoki: Cryptoki, uri: Pkcs11Uri, pin: Uint8Array): Promise<Pkcs11Backend> {
    const lanes: Opened[] = [];
    try {
      for (let lane = 0; lane < uri.sessions; lane += 1) lanes.push(await openLane(cryptoki, uri, pin));
      const publicKey = await readPublicKey(cryptoki, uri, lanes[0]?.session ?? 0);
      const backend = new Pkcs11Backend(cryptoki, uri, pin, lanes, publicKey);
      await backend.#prove();
      return backend;
    } catch (error) {
      await Promise.all(lanes.map(({ session }) => closeQuietly(cryptoki, session)));
      throw error;
    }
  }

  /** Signs a text that is no transaction. Throws a `SignerError` unless the signature is that of the key. */
  async #prove(): Promise<void> {
    const text = Buffer.from('Karat checks that this key signs.');
    if (verifySignature(this.#publicKey, text, await this.sign(text, 0))) return;
    throw new SignerError('signs with another key than the one whose public key has the same name');
  }

  /** Opens the session once more when a call fails: tokens end sessions that were idle, or go away for a moment. */
  async sign(message: Uint8Array, lane: number): Promise<SignatureBytes> {
    try {
      return await this.#signOnce(message, lane);
    } catch (error) {
      if (!(error instanceof CryptokiError)) throw error;
      return this.#signOnce(message, lane);
    }
  }

  async #signOnce(message: Uint8Array, lane: number): Promise<SignatureBytes> {
    if (this.#closed) throw new Error('the key was closed');
    const opened = this.#lanes[lane] ?? (await openLane(this.#cryptoki, this.#uri, this.#pin));
    this.#lanes[lane] = opened;
    try {
      return (await this.#cryptoki.signEdDsa(opened.session, opened.key, message)) as SignatureBytes;
    } catch (error) {
      this.#lanes[lane] = undefined;
      await closeQuietly(this.#cryptoki, opened.session);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#lanes.splice(0).map((opened) => opened && closeQuietly(this.#cryptoki, opened.session)),
    );
    this.#pin.fill(0);
  }
}

async function openLane(cryptoki: Cryptoki, uri: Pkcs11Uri, pin: Uint8Array): Promise<Opened> {
  const { slot, serial } = await findToken(cryptoki, uri);
  const session = await cryptoki.openSession(slot);
  try {
    await login(cryptoki, session, serial, pin);
    return { session, key: await find(cryptoki, uri, session, privateKey) };
  } catch (error) {
    await closeQuietly(cryptoki, session);
    throw error;
  }
}

/**
 * Logs in, one session after the other. A PIN that the token refused is not tried again before a restart: tokens lock
 * after a few wrong ones.
 */
function login(cryptoki: Cryptoki, session: number, serial: string, pin: Uint8Array): Promise<void> {
  const known = createHash('sha256').update(`${serial}\n`).update(pin).digest('hex');
  return cryptoki.inTurn(async () => {
    const refusal = cryptoki.refusedPins.get(known);
    if (refusal) throw refusal;
    try {
      await cryptoki.login(session, pin);
    } catch (error) {
      if (!(error instanceof CryptokiError && error.code.startsWith('CKR_PIN_'))) throw error;
      const refused = new SignerError(
        `has a PIN that the token refuses (${error.code}): correct it and restart; it is not tried again, because tokens lock`,
      );
      cryptoki.refusedPins.set(known, refused);
      throw refused;
    }
  });
}

async function findToken(
  cryptoki: Cryptoki,
  { token, serial }: Pkcs11Uri,
): Promise<{ slot: number; serial: string }> {
  const found: { slot: number; serial: string }[] = [];
  for (const slot of await cryptoki.slots()) {
    const { label, serial: number } = await cryptoki.tokenOf(slot);
    if ((token ?? label) === label && (serial ?? number) === number) found.push({ slot, serial: number });
  }
  const [first] = found;
  if (first === undefined) throw new SignerError('names a token that the module does not have');
  if (found.length > 1 && (token ?? serial) === undefined) {
    throw new SignerError('names no token, and the module has several');
  }
  return first;
}

async function find(
  cryptoki: Cryptoki,
  { label, id }: Pkcs11Uri,
  session: number,
  kind: number,
): Promise<number> {
  const objects = await cryptoki.find(session, [
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
async function readPublicKey(cryptoki: Cryptoki, uri: Pkcs11Uri, session: number): Promise<Uint8Array> {
  const object = await find(cryptoki, uri, session, publicKey);
  const point = await cryptoki.read(session, object, attributes.point);
  if (point?.length === 32) return Uint8Array.from(point);
  if (point?.length === 34 && point[0] === 0x04 && point[1] === 32) return Uint8Array.from(point.subarray(2));
  throw new SignerError('has a public key that is not one of Ed25519');
}

async function closeQuietly(cryptoki: Cryptoki, session: number): Promise<void> {
  try {
    await cryptoki.closeSession(session);
  } catch {
    // It ended with what failed.
  }
}

/** Returns a CK_ULONG as it lies in memory. */
function numberBytes(value: number): Uint8Array {
  return new Uint8Array(new BigUint64Array([BigInt(value)]).buffer);
}

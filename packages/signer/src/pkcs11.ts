import { getAddressDecoder, type SignatureBytes } from '@solana/kit';
import { attributes, type Cryptoki, CryptokiError, loadCryptoki } from './cryptoki.js';
import { type SingleBackend, signEach } from './each.js';
import { proofText, type Signer, SignerError, verifySignature } from './signer.js';
import {
  closeIgnoringErrors,
  findKey,
  type KeyKind,
  openSession,
  type Pkcs11Uri,
  readPin,
  readUri,
} from './token.js';

const edwards = 0x40;
const edwardsPrivateKey: KeyKind = { class: 0x3, type: edwards, called: 'Ed25519 private key' };
const edwardsPublicKey: KeyKind = { class: 0x2, type: edwards, called: 'Ed25519 public key' };

/**
 * Opens an Ed25519 key of a hardware security module. `uri` follows RFC 7512:
 * `pkcs11:token=karat;object=service?module-path=/usr/lib/softhsm/libsofthsm2.so`. The PIN is in the file that
 * `pin-source` names, else it is `pin`. Throws a `SignerError`.
 */
export async function openPkcs11(uri: string, withinMs: number): Promise<Signer> {
  const named = readUri(uri);
  const cryptoki = loadCryptoki(named.module);
  try {
    const backend = await Pkcs11Backend.open(cryptoki, named, readPin(named));
    return signEach(backend, named.sessions, withinMs);
  } catch (error) {
    if (error instanceof CryptokiError) throw new SignerError(`cannot be used, because ${error.message}`);
    throw error;
  }
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
      await Promise.all(lanes.map(({ session }) => closeIgnoringErrors(cryptoki, session)));
      throw error;
    }
  }

  /** Signs a text that is no transaction. Throws a `SignerError` unless the signature is that of the key. */
  async #prove(): Promise<void> {
    if (verifySignature(this.#publicKey, proofText, await this.sign(proofText, 0))) return;
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
      await closeIgnoringErrors(this.#cryptoki, opened.session);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#lanes.splice(0).map((opened) => opened && closeIgnoringErrors(this.#cryptoki, opened.session)),
    );
    this.#pin.fill(0);
  }
}

async function openLane(cryptoki: Cryptoki, uri: Pkcs11Uri, pin: Uint8Array): Promise<Opened> {
  const session = await openSession(cryptoki, uri, pin);
  try {
    return { session, key: await findKey(cryptoki, uri, session, edwardsPrivateKey) };
  } catch (error) {
    await closeIgnoringErrors(cryptoki, session);
    throw error;
  }
}

/** Reads the public key next to the private one: its 32 bytes, or a DER string of them. */
async function readPublicKey(cryptoki: Cryptoki, uri: Pkcs11Uri, session: number): Promise<Uint8Array> {
  const object = await findKey(cryptoki, uri, session, edwardsPublicKey);
  const point = await cryptoki.read(session, object, attributes.point);
  if (point?.length === 32) return Uint8Array.from(point);
  if (point?.length === 34 && point[0] === 0x04 && point[1] === 32) return Uint8Array.from(point.subarray(2));
  throw new SignerError('has a public key that is not one of Ed25519');
}

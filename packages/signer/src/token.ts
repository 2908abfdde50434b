import { createHash } from 'node:crypto';
import { attributes, type Cryptoki, CryptokiError } from './cryptoki.js';
import { readPrivateFile } from './key-file.js';
import { SignerError } from './signer.js';

/** What a URI of RFC 7512 names. */
export interface Pkcs11Uri {
  module: string;
  token: string | undefined;
  serial: string | undefined;
  label: string | undefined;
  id: Uint8Array | undefined;
  pinFile: string | undefined;
  /** How many signatures are requested of the token at once. */
  sessions: number;
}

/** Tokens take several sessions; more than a few only wait for each other inside. */
const usualSessions = 4;

/** Reads a URI of RFC 7512, as far as it names a key. Throws a `SignerError`. */
export function readUri(uri: string): Pkcs11Uri {
  const [path = '', query = ''] = uri.slice('pkcs11:'.length).split('?', 2);
  const values = new Map<string, string>();
  for (const part of [...path.split(';'), ...query.split('&')].filter((each) => each !== '')) {
    const [name = '', value = ''] = part.split('=', 2);
    if (name === 'pin-value') {
      throw new SignerError('holds a PIN: name a file of it with pin-source');
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
    sessions: Number(sessions),
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

/** Returns the PIN of the file that a URI names. Throws a `SignerError`. */
export function readPin({ pinFile }: Pkcs11Uri): Uint8Array {
  if (pinFile === undefined) throw new SignerError('needs a PIN: name its file with pin-source');
  try {
    return Buffer.from(readPrivateFile(pinFile).replace(/\r?\n$/, ''));
  } catch (error) {
    if (error instanceof SignerError)
      throw new SignerError(`has its PIN in ${pinFile}, which ${error.message}`);
    throw error;
  }
}

/** Opens a session with the token that a URI names, and logs in. */
export async function openSession(cryptoki: Cryptoki, uri: Pkcs11Uri, pin: Uint8Array): Promise<number> {
  const { slot, serial } = await findToken(cryptoki, uri);
  const session = await cryptoki.openSession(slot);
  try {
    await login(cryptoki, session, serial, pin);
    return session;
  } catch (error) {
    await closeIgnoringErrors(cryptoki, session);
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

/** What a key is for those who look for it: CKO_…, CKK_…, and how errors call it. */
export interface KeyKind {
  class: number;
  type: number;
  called: string;
}

/** Returns the key of a kind that a URI names. Throws a `SignerError` if there is none, or more than one. */
export async function findKey(
  cryptoki: Cryptoki,
  { label, id }: Pkcs11Uri,
  session: number,
  kind: KeyKind,
): Promise<number> {
  const objects = await cryptoki.find(session, [
    { type: attributes.class, value: numberBytes(kind.class) },
    { type: attributes.keyType, value: numberBytes(kind.type) },
    ...(label === undefined ? [] : [{ type: attributes.label, value: Buffer.from(label) }]),
    ...(id === undefined ? [] : [{ type: attributes.id, value: id }]),
  ]);
  const [object] = objects;
  if (object === undefined) throw new SignerError(`names an ${kind.called} that the token does not have`);
  if (objects.length > 1) throw new SignerError(`names more than one ${kind.called} of the token`);
  return object;
}

/** Ends a session, which may have ended already. */
export async function closeIgnoringErrors(cryptoki: Cryptoki, session: number): Promise<void> {
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

import { createRequire } from 'node:module';
import { SignerError } from './signer.js';

/**
 * The few functions of PKCS#11 (Cryptoki 2.40 and later) that signing and the encryption of keys need, of a module such
 * as libsofthsm2.so. Names, numbers and the order of the functions are those of the standard. No call blocks this thread.
 */
export interface Cryptoki {
  /** Slots that hold a token. */
  slots(): Promise<number[]>;
  /** Returns the label of a slot's token, and its serial number. */
  tokenOf(slot: number): Promise<{ label: string; serial: string }>;
  openSession(slot: number): Promise<number>;
  closeSession(session: number): Promise<void>;
  /** Ends every session of this process with the token of a slot. */
  closeAllSessions(slot: number): Promise<void>;
  login(session: number, pin: Uint8Array): Promise<void>;
  /** PINs that a token refused, in this process, with the error of each. */
  readonly refusedPins: Map<string, Error>;
  /** Runs one piece of work after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the objects, two at most, that have all of these attributes. */
  find(session: number, attributes: Attribute[]): Promise<number[]>;
  /** Returns the value of an attribute; undefined where the object has none or does not show it. */
  read(session: number, object: number, type: number): Promise<Uint8Array | undefined>;
  /** Returns the Ed25519 signature of a private key over a message. */
  signEdDsa(session: number, key: number, message: Uint8Array): Promise<Uint8Array>;
  /** Encrypts with AES-GCM; returns ciphertext and tag. A module that draws nonces itself puts its own into `nonce`. */
  encryptGcm(session: number, key: number, gcm: Gcm, content: Uint8Array): Promise<Uint8Array>;
  /** Decrypts what `encryptGcm` returned. */
  decryptGcm(session: number, key: number, gcm: Gcm, sealed: Uint8Array): Promise<Uint8Array>;
}

/** Parameters of AES-GCM; the tag has 16 bytes. */
export interface Gcm {
  nonce: Uint8Array;
  /** What is authenticated and not encrypted. */
  about: Uint8Array;
}

export interface Attribute {
  type: number;
  value: Uint8Array;
}

/** CKA_… */
export const attributes = {
  class: 0x0,
  label: 0x3,
  keyType: 0x100,
  id: 0x102,
  valueLength: 0x161,
  point: 0x181,
} as const;

/** CKR_…: what people may meet. */
const returns: Readonly<Record<number, string>> = {
  5: 'CKR_GENERAL_ERROR',
  6: 'CKR_FUNCTION_FAILED',
  48: 'CKR_DEVICE_ERROR',
  50: 'CKR_DEVICE_REMOVED',
  64: 'CKR_ENCRYPTED_DATA_INVALID',
  65: 'CKR_ENCRYPTED_DATA_LEN_RANGE',
  104: 'CKR_KEY_FUNCTION_NOT_PERMITTED',
  112: 'CKR_MECHANISM_INVALID',
  113: 'CKR_MECHANISM_PARAM_INVALID',
  130: 'CKR_OBJECT_HANDLE_INVALID',
  160: 'CKR_PIN_INCORRECT',
  161: 'CKR_PIN_INVALID',
  162: 'CKR_PIN_LEN_RANGE',
  163: 'CKR_PIN_EXPIRED',
  164: 'CKR_PIN_LOCKED',
  177: 'CKR_SESSION_COUNT',
  179: 'CKR_SESSION_HANDLE_INVALID',
  224: 'CKR_TOKEN_NOT_PRESENT',
  257: 'CKR_USER_NOT_LOGGED_IN',
};
const userAlreadyLoggedIn = 0x100;
const alreadyInitialized = 0x191;

/** A call that a module refused. */
export class CryptokiError extends Error {
  override name = 'CryptokiError';

  /** CKR_…, or the number of one that is rare. */
  readonly code: string;

  constructor(call: string, number: number) {
    const code = returns[number] ?? `0x${number.toString(16)}`;
    super(`${call} returned ${code}`);
    this.code = code;
  }
}

const eddsa = { mechanism: 0x1057, pParameter: null, ulParameterLen: 0 };
const aesGcm = 0x1087;
const gcmTagBytes = 16;
/** Of CK_GCM_PARAMS: two pointers and four numbers. */
const gcmParameterBytes = 48;
const serialSession = 0x4;
const osLocking = 0x2;
const user = 1;
const edSignatureBytes = 64;

/** The functions in their order, up to the last one that is used. */
const functionNames =
  `C_Initialize C_Finalize C_GetInfo C_GetFunctionList C_GetSlotList C_GetSlotInfo C_GetTokenInfo
C_GetMechanismList C_GetMechanismInfo C_InitToken C_InitPIN C_SetPIN C_OpenSession C_CloseSession C_CloseAllSessions
C_GetSessionInfo C_GetOperationState C_SetOperationState C_Login C_Logout C_CreateObject C_CopyObject C_DestroyObject
C_GetObjectSize C_GetAttributeValue C_SetAttributeValue C_FindObjectsInit C_FindObjects C_FindObjectsFinal C_EncryptInit
C_Encrypt C_EncryptUpdate C_EncryptFinal C_DecryptInit C_Decrypt C_DecryptUpdate C_DecryptFinal C_DigestInit C_Digest
C_DigestUpdate C_DigestKey C_DigestFinal C_SignInit C_Sign`.split(/\s+/);

/** What is used of koffi. */
interface Koffi {
  load(path: string): { func(prototype: string): (...args: unknown[]) => number };
  struct(name: string, members: Record<string, unknown>): unknown;
  array(type: string, length: number): unknown;
  proto(prototype: string): unknown;
  decode(pointer: unknown, type: unknown): unknown;
}
type Native = ((...args: unknown[]) => number) & {
  async(...args: [...unknown[], (error: Error | null, code: number) => void]): void;
};

/** What koffi knows of PKCS#11: the list of functions, and how each is called. */
interface Types {
  koffi: Koffi;
  list: unknown;
  prototypes: Readonly<Record<Called, unknown>>;
}

/** Parameters of the functions that are called, in the words of koffi. */
const parameters = {
  C_Initialize: 'CK_C_INITIALIZE_ARGS *arguments',
  C_GetSlotList: 'uint8_t present, _Out_ ulong *slots, _Inout_ ulong *count',
  C_GetTokenInfo: 'ulong slot, _Out_ CK_TOKEN_INFO *info',
  C_OpenSession: 'ulong slot, ulong flags, void *application, void *notify, _Out_ ulong *session',
  C_CloseSession: 'ulong session',
  C_CloseAllSessions: 'ulong slot',
  C_Login: 'ulong session, ulong user, uint8_t *pin, ulong length',
  C_FindObjectsInit: 'ulong session, CK_ATTRIBUTE *template, ulong count',
  C_FindObjects: 'ulong session, _Out_ ulong *objects, ulong most, _Out_ ulong *count',
  C_FindObjectsFinal: 'ulong session',
  C_GetAttributeValue: 'ulong session, ulong object, _Inout_ CK_ATTRIBUTE *template, ulong count',
  C_EncryptInit: 'ulong session, CK_GCM_MECHANISM *mechanism, ulong key',
  C_Encrypt: 'ulong session, uint8_t *data, ulong length, uint8_t *encrypted, _Inout_ ulong *encryptedLength',
  C_DecryptInit: 'ulong session, CK_GCM_MECHANISM *mechanism, ulong key',
  C_Decrypt: 'ulong session, uint8_t *encrypted, ulong length, uint8_t *data, _Inout_ ulong *dataLength',
  C_SignInit: 'ulong session, CK_MECHANISM *mechanism, ulong key',
  C_Sign: 'ulong session, uint8_t *data, ulong length, uint8_t *signature, _Inout_ ulong *signatureLength',
} as const;
type Called = keyof typeof parameters;

/** Types have names, and a module is initialized once for a process: both are kept. */
let types: Types | undefined;
const loaded = new Map<string, Cryptoki & { library: unknown }>();

/** Loads a module. Throws a `SignerError` if there is none at `path`, or it does not start. */
export function loadCryptoki(path: string): Cryptoki {
  types ??= defineTypes(loadKoffi());
  const known = loaded.get(path) ?? open(types, path);
  loaded.set(path, known);
  return known;
}

function defineTypes(koffi: Koffi): Types {
  const pointer = 'void *';
  koffi.struct('CK_C_INITIALIZE_ARGS', {
    create: pointer,
    destroy: pointer,
    lock: pointer,
    unlock: pointer,
    flags: 'ulong',
    reserved: pointer,
  });
  koffi.struct('CK_ATTRIBUTE', { type: 'ulong', pValue: pointer, ulValueLen: 'ulong' });
  koffi.struct('CK_MECHANISM', { mechanism: 'ulong', pParameter: pointer, ulParameterLen: 'ulong' });
  koffi.struct('CK_GCM_PARAMS', {
    nonce: pointer,
    nonceLength: 'ulong',
    nonceBits: 'ulong',
    about: pointer,
    aboutLength: 'ulong',
    tagBits: 'ulong',
  });
  koffi.struct('CK_GCM_MECHANISM', {
    mechanism: 'ulong',
    pParameter: 'CK_GCM_PARAMS *',
    ulParameterLen: 'ulong',
  });
  // Four texts, flags and ten counts, two versions, a time; only texts are read.
  koffi.struct('CK_TOKEN_INFO', {
    label: koffi.array('uint8_t', 32),
    manufacturer: koffi.array('uint8_t', 32),
    model: koffi.array('uint8_t', 16),
    serial: koffi.array('uint8_t', 16),
    numbers: koffi.array('ulong', 11),
    versions: koffi.array('uint8_t', 4),
    time: koffi.array('uint8_t', 16),
  });
  const list = koffi.struct('CK_FUNCTION_LIST', {
    version: koffi.array('uint8_t', 2),
    ...Object.fromEntries(functionNames.map((each) => [each, pointer])),
  });
  const prototypes = Object.fromEntries(
    Object.entries(parameters).map(([call, each]) => [call, koffi.proto(`ulong ${call}(${each})`)]),
  ) as Record<Called, unknown>;
  return { koffi, list, prototypes };
}

function open({ koffi, list, prototypes }: Types, path: string): Cryptoki & { library: unknown } {
  const found: unknown[] = [null];
  let library: ReturnType<Koffi['load']>;
  try {
    library = koffi.load(path);
    library.func('ulong C_GetFunctionList(_Out_ void **list)')(found);
  } catch (cause) {
    throw new SignerError(`names the module ${path}, which cannot be loaded as a PKCS#11 module`, { cause });
  }
  const pointers = koffi.decode(found[0], list) as Record<string, unknown>;
  const native = (call: Called) => koffi.decode(pointers[call], prototypes[call]) as Native;
  const calling = (call: Called, allowed: readonly number[] = []) => {
    // The function itself is kept: its `async` alone does not keep koffi from freeing it.
    const run = native(call);
    return (...args: unknown[]) =>
      new Promise<unknown>((resolve, reject) => {
        run.async(...args, (error: Error | null, code: number) => {
          if (error) reject(error);
          // The arguments as well: templates point to bytes that must outlive the call.
          else if (code === 0 || allowed.includes(code)) resolve(args);
          else reject(new CryptokiError(call, code));
        });
      });
  };
  const getSlotList = calling('C_GetSlotList');
  const getTokenInfo = calling('C_GetTokenInfo');
  const openSession = calling('C_OpenSession');
  const closeSession = calling('C_CloseSession');
  const closeAllSessions = calling('C_CloseAllSessions');
  const login = calling('C_Login', [userAlreadyLoggedIn]);
  const findInit = calling('C_FindObjectsInit');
  const find = calling('C_FindObjects');
  const findFinal = calling('C_FindObjectsFinal');
  const getAttribute = calling('C_GetAttributeValue');
  const encryptInit = calling('C_EncryptInit');
  const encrypt = calling('C_Encrypt');
  const decryptInit = calling('C_DecryptInit');
  const decrypt = calling('C_Decrypt');
  const signInit = calling('C_SignInit');
  const sign = calling('C_Sign');

  const initialized = native('C_Initialize')({ flags: osLocking });
  if (initialized !== 0 && initialized !== alreadyInitialized) {
    const { message } = new CryptokiError('C_Initialize', initialized);
    throw new SignerError(`names the module ${path}, of which ${message}`);
  }
  let turn: Promise<unknown> = Promise.resolve();
  return {
    // A library that nothing holds is unloaded, whatever still points into it.
    library,
    async slots() {
      const count = [0];
      await getSlotList(1, null, count);
      const slots = new BigUint64Array(count[0] ?? 0);
      if (slots.length > 0) await getSlotList(1, slots, count);
      return Array.from(slots.subarray(0, count[0]), Number);
    },
    async tokenOf(slot) {
      const info: { label?: Uint8Array; serial?: Uint8Array } = {};
      await getTokenInfo(slot, info);
      const text = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString('utf8').trimEnd();
      return { label: text(info.label), serial: text(info.serial) };
    },
    async openSession(slot) {
      const session = [0];
      await openSession(slot, serialSession, null, null, session);
      return session[0] ?? 0;
    },
    async closeSession(session) {
      await closeSession(session);
    },
    async closeAllSessions(slot) {
      await closeAllSessions(slot);
    },
    async login(session, pin) {
      await login(session, user, pin, pin.length);
    },
    refusedPins: new Map(),
    inTurn(work) {
      const done = turn.then(work);
      turn = done.catch(() => {});
      return done;
    },
    async find(session, wanted) {
      const template = wanted.map(({ type, value }) => ({ type, pValue: value, ulValueLen: value.length }));
      await findInit(session, template, template.length);
      try {
        const [objects, count] = [new BigUint64Array(2), [0]];
        await find(session, objects, objects.length, count);
        return Array.from(objects.subarray(0, count[0]), Number);
      } finally {
        await findFinal(session);
      }
    },
    async read(session, object, type) {
      const value = Buffer.alloc(256);
      const template = { type, pValue: value, ulValueLen: value.length };
      try {
        await getAttribute(session, object, template, 1);
      } catch (error) {
        if (error instanceof CryptokiError) return undefined;
        throw error;
      }
      return value.subarray(0, template.ulValueLen);
    },
    async signEdDsa(session, key, message) {
      const [signature, length] = [new Uint8Array(edSignatureBytes), [edSignatureBytes]];
      await signInit(session, eddsa, key);
      await sign(session, message, message.length, signature, length);
      return signature;
    },
    async encryptGcm(session, key, gcm, content) {
      const [sealed, length] = [new Uint8Array(content.length + gcmTagBytes), [content.length + gcmTagBytes]];
      await encryptInit(session, gcmMechanism(gcm), key);
      await encrypt(session, content, content.length, sealed, length);
      return sealed.subarray(0, length[0]);
    },
    async decryptGcm(session, key, gcm, sealed) {
      const [content, length] = [new Uint8Array(sealed.length), [sealed.length]];
      await decryptInit(session, gcmMechanism(gcm), key);
      await decrypt(session, sealed, sealed.length, content, length);
      return content.subarray(0, length[0]);
    },
  };
}

function gcmMechanism({ nonce, about }: Gcm) {
  const pParameter = {
    nonce,
    nonceLength: nonce.length,
    nonceBits: nonce.length * 8,
    about,
    aboutLength: about.length,
    tagBits: gcmTagBytes * 8,
  };
  return { mechanism: aesGcm, pParameter, ulParameterLen: gcmParameterBytes };
}

/** Loads koffi only now: it is a native library, which nothing but PKCS#11 needs. */
function loadKoffi(): Koffi {
  try {
    return createRequire(import.meta.url)('koffi') as Koffi;
  } catch (cause) {
    throw new SignerError('needs the npm package koffi, which cannot be loaded on this machine', { cause });
  }
}

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What the API offers to a browser for a new passkey, or for one that is there. */
interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  allowCredentials?: { id: string }[];
}

/** How a passkey misbehaves. */
interface Otherwise {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** As the signature counts; default: one more each time. */
  counter?: number;
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** A passkey in software, as a browser at `origin` has it: a P-256 key that signs what WebAuthn says. */
export function newAuthenticator(origin = 'https://ops.karat.test') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, { challenge }: Options, otherwise: Otherwise) =>
    Buffer.from(
      JSON.stringify({
        type: `webauthn.${type}`,
        challenge: otherwise.challenge ?? challenge,
        origin: otherwise.origin ?? origin,
        crossOrigin: false,
      }),
    );
  /** Hash of the host, flags (user present and verified), and the counter. */
  const authenticatorData = (rpId: string, flags: number, otherwise: Otherwise) => {
    counter = otherwise.counter ?? counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(otherwise.rpId ?? rpId), Buffer.from([flags]), count]);
  };
  const common = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} };

  return {
    id: common.id,
    /** The response of `navigator.credentials.create`. */
    create(options: Options, otherwise: Otherwise = {}) {
      // CBOR by hand: a COSE key {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const data = Buffer.concat([
        authenticatorData(options.rp?.id ?? '', 0x45, { ...otherwise, counter: 0 }),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        key,
      ]);
      // {fmt: "none", attStmt: {}, authData}
      const head = `a363${Buffer.from('fmt').toString('hex')}64${Buffer.from('none').toString('hex')}`;
      const attestationObject = Buffer.concat([
        Buffer.from(`${head}67${Buffer.from('attStmt').toString('hex')}a068`, 'hex'),
        Buffer.from('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      return {
        ...common,
        response: {
          clientDataJSON: base64url(clientData('create', options, otherwise)),
          attestationObject: base64url(attestationObject),
          transports: ['internal'],
        },
      };
    },
    /** The response of `navigator.credentials.get`. */
    get(options: Options, otherwise: Otherwise = {}) {
      const data = authenticatorData(options.rpId ?? '', 0x05, otherwise);
      const client = clientData('get', options, otherwise);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...common,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(signature),
        },
      };
    },
  };
}

export type Authenticator = ReturnType<typeof newAuthenticator>;

import { type Address, getAddressEncoder, isAddress, type SignatureBytes } from '@solana/kit';
import { type SingleBackend, signEach } from './each.js';
import { inTime } from './in-time.js';
import { type Signer, SignerError, verifySignature } from './signer.js';

/** What is used of a signer of `@solana/keychain`. */
interface KeychainSigner {
  readonly address: string;
  init?(): Promise<void>;
  signMessages(
    messages: readonly { content: Uint8Array; signatures: Record<string, never> }[],
  ): Promise<readonly Readonly<Record<string, Uint8Array>>[]>;
}

interface Service {
  /** Class of the package `@solana/keychain-<service>`. */
  className: string;
  /** Parameters of the URL that must be given and that may be, with their names in the package. */
  required: Readonly<Record<string, string>>;
  optional: Readonly<Record<string, string>>;
  /** Secrets, which are read from the variables that the vendor's own tools read. */
  secrets: Readonly<Record<string, string>>;
}

const keyAddress = { address: 'publicKey' };

const services: Readonly<Record<string, Service>> = {
  vault: {
    className: 'VaultSigner',
    required: { url: 'vaultAddr', key: 'keyName', ...keyAddress },
    optional: {},
    secrets: { VAULT_TOKEN: 'vaultToken' },
  },
  'aws-kms': {
    className: 'AwsKmsSigner',
    required: { key: 'keyId', ...keyAddress },
    optional: { region: 'region' },
    // Credentials come from AWS's own chain of providers.
    secrets: {},
  },
  turnkey: {
    className: 'TurnkeySigner',
    required: { organization: 'organizationId', key: 'privateKeyId', ...keyAddress },
    optional: { url: 'apiBaseUrl' },
    secrets: { TURNKEY_API_PUBLIC_KEY: 'apiPublicKey', TURNKEY_API_PRIVATE_KEY: 'apiPrivateKey' },
  },
  fireblocks: {
    className: 'FireblocksSigner',
    required: { vault: 'vaultAccountId' },
    optional: { url: 'apiBaseUrl', asset: 'assetId' },
    secrets: { FIREBLOCKS_API_KEY: 'apiKey', FIREBLOCKS_PRIVATE_KEY: 'privateKeyPem' },
  },
};

/** Each is a request over the network. */
const callsAtOnce = 16;

/**
 * Opens a key of a service that `@solana/keychain` knows, such as
 * `keychain:vault?url=https://vault:8200&key=karat-service&address=…`. The package of that service is loaded only now.
 * Throws a `SignerError`.
 */
export async function openKeychain(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  withinMs: number,
): Promise<Signer> {
  const [, name = '', query = ''] = /^keychain:([^?]*)\??(.*)$/.exec(url) ?? [];
  const service = services[name];
  if (!service) throw new SignerError(`names a service other than ${Object.keys(services).join(', ')}`);
  const settings = readSettings(service, new URLSearchParams(query), env);
  const packageName = `@solana/keychain-${name}`;
  const made = await make(packageName, service, settings);
  if (!isAddress(made.address)) throw new SignerError('has an address that is not one of Solana');
  return signEach(new KeychainBackend(made, made.address, withinMs), callsAtOnce, withinMs);
}

function readSettings(
  { required, optional, secrets }: Service,
  given: URLSearchParams,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const parameters = { ...required, ...optional };
  for (const name of given.keys()) {
    if (!(name in parameters)) {
      throw new SignerError(`has the parameter ${name}; known are ${Object.keys(parameters).join(', ')}`);
    }
  }
  const read = (names: Readonly<Record<string, string>>, find: (name: string) => string | null | undefined) =>
    Object.entries(names).flatMap(([name, field]) => {
      const value = find(name);
      return value ? [[field, value] as const] : [];
    });
  const settings = Object.fromEntries([
    ...read(parameters, (name) => given.get(name)),
    ...read(secrets, (name) => env[name]),
  ]);
  for (const [name, field] of Object.entries(required)) {
    if (!settings[field]) throw new SignerError(`lacks the parameter ${name}`);
  }
  for (const [name, field] of Object.entries(secrets)) {
    if (!settings[field]) throw new SignerError(`needs the variable ${name} in the environment`);
  }
  return settings;
}

async function make(
  packageName: string,
  { className }: Service,
  settings: Record<string, string>,
): Promise<KeychainSigner> {
  let library: Record<string, new (settings: Record<string, string>) => KeychainSigner>;
  try {
    library = await import(packageName);
  } catch (cause) {
    throw new SignerError(
      `needs the npm package ${packageName}, which is not installed: npm install ${packageName}`,
      {
        cause,
      },
    );
  }
  const Made = library[className];
  if (!Made) throw new SignerError(`needs another version of ${packageName}: it has no ${className}`);
  try {
    const signer = new Made(settings);
    await signer.init?.();
    return signer;
  } catch (cause) {
    throw new SignerError(
      `is refused by ${packageName}: ${cause instanceof Error ? cause.message : 'no reason'}`,
    );
  }
}

class KeychainBackend implements SingleBackend {
  readonly address: Address;
  readonly #signer: KeychainSigner;
  readonly #publicKey: Uint8Array;
  readonly #withinMs: number;

  constructor(signer: KeychainSigner, address: Address, withinMs: number) {
    this.#signer = signer;
    this.address = address;
    this.#withinMs = withinMs;
    this.#publicKey = Uint8Array.from(getAddressEncoder().encode(address));
  }

  async sign(message: Uint8Array): Promise<SignatureBytes> {
    // A call that hangs must not keep its lane.
    const [signed] = await inTime(
      this.#signer.signMessages([{ content: message, signatures: {} }]),
      this.#withinMs,
    );
    const signature = signed?.[this.address];
    // It comes over a network, from a key that only its address names.
    if (signature && verifySignature(this.#publicKey, message, signature)) {
      return Uint8Array.from(signature) as SignatureBytes;
    }
    throw new Error('the service signed with another key');
  }

  async close(): Promise<void> {}
}

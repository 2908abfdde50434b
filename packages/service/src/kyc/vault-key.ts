import type { WrappingKey } from '@karat/signer/wrapping-key';
import { SignerError } from '../chain/sign/signer.js';
import { isLoopbackHost } from '../domain/loopback.js';

const respondWithinMs = 5_000;

/** With which Vault refuses what another key encrypted, or what was changed. */
const refusals = /message authentication failed|invalid ciphertext|unable to decrypt/i;

interface ApiResponse {
  data?: { ciphertext?: unknown; plaintext?: unknown };
  errors?: unknown[];
}

/**
 * Opens a key of the transit engine of HashiCorp Vault, such as `keychain:vault?url=https://vault:8200&key=karat-kyc`.
 * Vault encrypts with it and never gives it out; `VAULT_TOKEN` of `env` is the permission. Throws a `SignerError`.
 */
export function openVaultKey(url: string, env: Readonly<Record<string, string | undefined>>): WrappingKey {
  const [, query = ''] = url.split('?', 2);
  const given = new URLSearchParams(query);
  for (const name of given.keys()) {
    if (!['url', 'key'].includes(name))
      throw new SignerError(`has the parameter ${name}; known are url, key`);
  }
  const [address, key] = ['url', 'key'].map((name) => {
    const value = given.get(name);
    if (!value) throw new SignerError(`lacks the parameter ${name}`);
    return value;
  }) as [string, string];
  const token = env.VAULT_TOKEN;
  if (!token) throw new SignerError('needs the variable VAULT_TOKEN in the environment');
  return new VaultKey(baseOf(address), key, token);
}

/** Token and data keys are in the requests. */
function baseOf(address: string): string {
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (!parsed || !['https:', 'http:'].includes(parsed.protocol))
    throw new SignerError('has a url that is none of Vault, such as https://vault:8200');
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname))
    throw new SignerError('has the url of another machine without https');
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}/v1/transit`;
}

class VaultKey implements WrappingKey {
  readonly name: string;
  readonly #base: string;
  readonly #key: string;
  readonly #token: string;

  constructor(base: string, key: string, token: string) {
    this.name = `keychain:vault:${key}`;
    this.#base = base;
    this.#key = key;
    this.#token = token;
  }

  async wrap(key: Uint8Array, about: string): Promise<Uint8Array> {
    const body = { plaintext: base64(key), associated_data: base64(Buffer.from(about)) };
    const { ciphertext } = (await this.#call('encrypt', body)) ?? {};
    if (typeof ciphertext === 'string') return Buffer.from(ciphertext);
    throw new SignerError('leads to something that is no Vault');
  }

  async unwrap(wrapped: Uint8Array, about: string): Promise<Uint8Array | undefined> {
    const ciphertext = Buffer.from(wrapped).toString();
    const response = await this.#call('decrypt', { ciphertext, associated_data: base64(Buffer.from(about)) });
    if (!response) return undefined;
    if (typeof response.plaintext === 'string') return Buffer.from(response.plaintext, 'base64');
    throw new SignerError('leads to something that is no Vault');
  }

  /** Returns what Vault returns; undefined if the key does not open what is to be decrypted. */
  async #call(act: 'encrypt' | 'decrypt', body: Record<string, string>): Promise<ApiResponse['data']> {
    let response: Response;
    let parsed: ApiResponse;
    try {
      response = await fetch(`${this.#base}/${act}/${encodeURIComponent(this.#key)}`, {
        method: 'POST',
        headers: { 'x-vault-token': this.#token, 'x-vault-request': 'true' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(respondWithinMs),
      });
      parsed = (await response.json()) as ApiResponse;
    } catch (cause) {
      throw new SignerError('cannot be used, because Vault does not respond', { cause });
    }
    if (response.ok) return parsed.data ?? {};
    const reasons = (parsed.errors ?? []).join('; ');
    if (response.status === 400 && refusals.test(reasons)) return undefined;
    throw new SignerError(`cannot be used, because Vault returned ${response.status}: ${reasons.trim()}`);
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

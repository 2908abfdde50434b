import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seal, unseal } from '../src/domain/sealed.js';

export interface VaultTransit {
  url: string;
  token: string;
  /** The paths that were called. */
  calls: string[];
  /** Vault's response to all calls, in place of what it would return. */
  fails: { status: number; body: string } | undefined;
  stop(): Promise<void>;
}

/**
 * Encryption by Vault's transit engine as its documentation describes it: a Vault server is not to be had from a package
 * registry. The named keys are of type aes256-gcm96.
 */
export async function startVaultTransit(names: string[]): Promise<VaultTransit> {
  const keys = new Map<string, KeyObject>(names.map((name) => [name, createSecretKey(randomBytes(32))]));
  const token = `hvs.${randomBytes(16).toString('hex')}`;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const respond = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    vault.calls.push(request.url ?? '');
    if (vault.fails) return response.writeHead(vault.fails.status).end(vault.fails.body);
    if (request.headers['x-vault-token'] !== token) return respond(403, { errors: ['permission denied'] });
    const [, act, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([^/]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || !act) return respond(404, { errors: [] });
    const key = keys.get(decodeURIComponent(name));
    if (!key) return respond(400, { errors: ['encryption key not found'] });
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const about = Buffer.from(body.associated_data ?? '', 'base64').toString();
    if (act === 'encrypt') {
      const sealed = Buffer.from(seal(key, Buffer.from(body.plaintext, 'base64'), about));
      return respond(200, { data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } });
    }
    const [, encoded] = /^vault:v1:(.+)$/.exec(body.ciphertext) ?? [];
    if (!encoded) return respond(400, { errors: ['invalid ciphertext: no prefix'] });
    const content = unseal(key, Buffer.from(encoded, 'base64'), about);
    if (!content) return respond(400, { errors: ['cipher: message authentication failed'] });
    return respond(200, { data: { plaintext: Buffer.from(content).toString('base64') } });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const vault: VaultTransit = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    calls: [],
    fails: undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return vault;
}

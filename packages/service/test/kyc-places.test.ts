import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../src/config.js';
import { findKycKeys } from '../src/db/kyc-keys.js';
import { KycSeal } from '../src/kyc/kyc-seal.js';
import { openKeyWrappers } from '../src/kyc/open-key-wrappers.js';
import { callKarat } from './cli/run-karat.js';
import { type Harness, harness } from './harness.js';
import { kycKeyFile } from './kyc-key.js';
import { type SoftHsm, softHsmModule, startSoftHsm } from './soft-hsm.js';
import { startVaultTransit, type VaultTransit } from './vault-transit.js';

let h: Harness;
let hsm: SoftHsm;
let vault: VaultTransit;
/** URLs of keys in both places. */
let inHsm: string;
let inVault: string;
let env: Record<string, string>;
const fileUrl = kycKeyFile('cd'.repeat(32));

beforeAll(async () => {
  hsm = startSoftHsm();
  vault = await startVaultTransit(['karat-kyc', 'other']);
  env = { VAULT_TOKEN: vault.token };
  inHsm = hsm.putAes('kyc');
  inVault = `keychain:vault?url=${vault.url}&key=karat-kyc`;
  h = await harness();
});
afterAll(async () => {
  await h?.close();
  await vault?.stop();
  hsm?.stop();
});
beforeEach(() => {
  vault.fails = undefined;
});

const sealOf = async (kycKeyUrl: string, otherKycKeyUrl?: string) =>
  new KycSeal(await openKeyWrappers({ kycKeyUrl, otherKycKeyUrl }, env));
const newHarness = async (url: string) => {
  const fresh = await harness();
  fresh.ctx.kyc = await sealOf(url);
  return fresh;
};
const read = (one: Harness, id: string) => one.partner.get(`/v1/users/${id}`);

describe.each([
  ['an HSM', () => inHsm, 'pkcs11:kyc'],
  ['Vault', () => inVault, 'keychain:vault:karat-kyc'],
] as const)('a key in %s', (_place, urlOf, name) => {
  test('a key encrypts data keys, and only it opens them', async () => {
    const fresh = await newHarness(urlOf());
    try {
      const { db } = fresh.ctx;
      await fresh.ctx.kyc.requireKeys(db);
      const { id } = await fresh.givenUser(fresh.main.partnerId);
      const [key] = await findKycKeys(db);
      expect(key?.wrapper).toBe(name);
      // As another process does.
      fresh.ctx.kyc = await sealOf(urlOf());
      await fresh.ctx.kyc.requireKeys(db);
      expect((await read(fresh, id)).body.kyc.full_name).toMatch(/^Secret Person/);
      await expect((await sealOf(fileUrl)).requireKeys(db)).rejects.toThrow(
        `KARAT_KYC_KEY is not the key ${name}, with which KYC data in the database is encrypted`,
      );
      await fresh.ctx.sql`update kyc_keys set wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)`;
      await expect((await sealOf(urlOf())).requireKeys(db)).rejects.toThrow(ConfigError);
    } finally {
      await fresh.close();
    }
  });

  test('a key opens nothing that was changed, or that belongs elsewhere', async () => {
    const [wrapper] = await openKeyWrappers({ kycKeyUrl: urlOf(), otherKycKeyUrl: undefined }, env);
    if (!wrapper) throw new Error('no key');
    const key = Uint8Array.from(randomBytes(32));
    const wrapped = await wrapper.wrap(key, 'one');
    expect(Uint8Array.from((await wrapper.unwrap(wrapped, 'one')) ?? [])).toEqual(key);
    expect(await wrapper.wrap(key, 'one')).not.toEqual(wrapped);
    expect(await wrapper.unwrap(wrapped, 'other')).toBeUndefined();
    const changed = Uint8Array.from(wrapped);
    changed[20] = wrapped[20] === 0x41 ? 0x42 : 0x41;
    expect(await wrapper.unwrap(changed, 'one')).toBeUndefined();
    expect(await wrapper.unwrap(new Uint8Array(3), 'one')).toBeUndefined();
  });

  test('a key takes the place of a file and gives it back, while records stay readable', async () => {
    const fresh = await newHarness(fileUrl);
    try {
      const { db } = fresh.ctx;
      const { id } = await fresh.givenUser(fresh.main.partnerId);
      for (const [to, from] of [
        [urlOf(), fileUrl],
        [fileUrl, urlOf()],
      ] as const) {
        fresh.ctx.kyc = await sealOf(to, from);
        const run = await callKarat(['kyc', 'rotate'], {
          ...env,
          DATABASE_URL: fresh.databaseUrl,
          KARAT_KYC_KEY: to,
          KARAT_OTHER_KYC_KEY: from,
        });
        expect(run).toMatchObject({ code: 0, stderr: '' });
        const alone = await sealOf(to);
        await alone.requireKeys(db);
        expect((await findKycKeys(db)).map(({ wrapper }) => wrapper)).toEqual([alone.name]);
        expect((await read(fresh, id)).status).toBe(200);
        expect(
          await callKarat(['kyc', 'rotate'], {
            ...env,
            DATABASE_URL: fresh.databaseUrl,
            KARAT_KYC_KEY: from,
          }),
        ).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`KARAT_KYC_KEY is not the key ${alone.name}`),
        });
      }
    } finally {
      await fresh.close();
    }
  });
});

test('a key outside the process is called once for each data key, whatever is read', async () => {
  const fresh = await newHarness(inVault);
  try {
    await fresh.givenUser(fresh.main.partnerId);
    fresh.ctx.kyc = await sealOf(inVault);
    await fresh.ctx.kyc.requireKeys(fresh.ctx.db);
    vault.calls.length = 0;
    for (let count = 0; count < 10; count += 1) {
      const { id } = await fresh.givenUser(fresh.main.partnerId);
      expect((await read(fresh, id)).status).toBe(200);
    }
    expect(vault.calls).toEqual([]);
  } finally {
    await fresh.close();
  }
});

test('a key that is away: what is open stays open, a new data key waits, and no process starts', async () => {
  const fresh = await newHarness(inVault);
  try {
    const { id } = await fresh.givenUser(fresh.main.partnerId);
    const late = await sealOf(inVault);
    vault.fails = { status: 503, body: '{"errors":["Vault is sealed"]}' };
    expect((await read(fresh, id)).status).toBe(200);
    await expect((await sealOf(inVault)).requireKeys(fresh.ctx.db)).rejects.toThrow(
      new ConfigError(
        'The key keychain:vault:karat-kyc of KYC data cannot be used, because Vault returned 503: Vault is sealed',
      ),
    );
    fresh.ctx.kyc = late;
    expect(await read(fresh, id)).toMatchObject({
      status: 503,
      body: {
        error: 'service_unavailable',
        message: 'The key of KYC data cannot be used at the moment; try again shortly.',
      },
    });
    vault.fails = undefined;
    expect((await read(fresh, id)).status).toBe(200);
  } finally {
    await fresh.close();
  }
});

test('a key that does not exist: a process with an empty database does not start either', async () => {
  const { db } = h.ctx;
  for (const [url, message] of [
    [inVault.replace('karat-kyc', 'nothing'), 'Vault returned 400: encryption key not found'],
    [inVault.replace(vault.url, 'http://127.0.0.1:1'), 'Vault does not respond'],
  ] as const) {
    await expect((await sealOf(url)).requireKeys(db)).rejects.toThrow(message);
  }
  vault.fails = { status: 200, body: '<html>' };
  await expect((await sealOf(inVault)).requireKeys(db)).rejects.toThrow('Vault does not respond');
  vault.fails = { status: 200, body: '{}' };
  await expect((await sealOf(inVault)).requireKeys(db)).rejects.toThrow('something that is no Vault');
  vault.fails = undefined;
  env = { VAULT_TOKEN: 'hvs.wrong' };
  const refused = (await sealOf(inVault)).requireKeys(db);
  env = { VAULT_TOKEN: vault.token };
  await expect(refused).rejects.toThrow('Vault returned 403: permission denied');
});

test.each<[string, () => string, string]>([
  [
    'another object',
    () => inHsm.replace('object=kyc', 'object=other'),
    'names an AES key that the token does not have',
  ],
  ['a key of 128 bits', () => hsm.putAes('short', 16), 'names an AES key that does not have 256 bits'],
  [
    'another token',
    () => inHsm.replace('token=karat', 'token=other'),
    'names a token that the module does not have',
  ],
  ['no PIN', () => inHsm.replace(/&pin-source.*/, ''), 'needs a PIN: name its file with pin-source'],
  [
    'no module',
    () => inHsm.replace(softHsmModule, '/nowhere.so'),
    'names the module /nowhere.so, which cannot be loaded',
  ],
  ['no key of Vault', () => `keychain:vault?url=${vault.url}`, 'lacks the parameter key'],
  ['another parameter', () => `${inVault}&token=x`, 'has the parameter token; known are url, key'],
  [
    'Vault without TLS',
    () => 'keychain:vault?url=http://vault:8200&key=k',
    'has the url of another machine without https',
  ],
  ['what is no address', () => 'keychain:vault?url=vault&key=k', 'has a url that is none of Vault'],
  [
    'a service that does not encrypt',
    () => 'keychain:turnkey?key=k',
    'is none of file:, pkcs11: and keychain:vault',
  ],
])('a key is refused with %s', async (_what, urlOf, message) => {
  const refused = sealOf(urlOf());
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toThrow(/^KARAT_KYC_KEY names [^?]*, which /);
});

test('a key in Vault needs a token in the environment', async () => {
  await expect(openKeyWrappers({ kycKeyUrl: inVault, otherKycKeyUrl: undefined }, {})).rejects.toThrow(
    'KARAT_KYC_KEY names keychain:vault, which needs the variable VAULT_TOKEN in the environment',
  );
});

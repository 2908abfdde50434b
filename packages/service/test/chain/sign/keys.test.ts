import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Refused } from '@karat/signer';
import { expect, test } from 'vitest';
import { openGuardedKeys, openReservesKey } from '../../../src/chain/sign/keys.js';
import { systemClock } from '../../../src/clock.js';
import { ConfigError, readConfig } from '../../../src/config.js';
import { checkKeys } from '../../../src/doctor/check-keys.js';
import { newWallet } from '../../harness.js';
import { programAddress } from '../fixtures.js';

/** A URL may hold a secret by mistake: what refuses it must not print it. */
test.each<[string, string]>([
  [
    'pkcs11:token=karat;object=service?module-path=/m.so&pin-value=s3cret',
    'pkcs11:token=karat;object=service',
  ],
  ['pkcs11:token=karat;pin-value=s3cret;object=service', 'pkcs11:token=karat;object=service'],
  ['pkcs11:token=karat&pin-value=s3cret', 'pkcs11:token=karat'],
  ['keychain:vault?token=s3cret', 'keychain:vault'],
  ['keychain:vault&token=s3cret', 'keychain:vault'],
  ['https://user:s3cret@vault', 'https:'],
  ['/nowhere/key.json', '/nowhere/key.json'],
  ['file:///nowhere/key.json', 'file:///nowhere/key.json'],
  ['socket:/nowhere/sign.sock', 'socket:/nowhere/sign.sock'],
])('%s is shown as %s', async (url, shown) => {
  const refused = await openGuardedKeys({ serviceSignerUrl: url } as never, systemClock, () => {}).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(ConfigError);
  const { findings } = await checkKeys({ serviceSignerUrl: url });
  for (const text of [(refused as Error).message, findings[0]?.says]) {
    expect(text).toContain(`KARAT_SERVICE_SIGNER names ${shown}, which `);
    expect(text).not.toContain('s3cret');
  }
});

test.each(['pkcs11:token=karat;object=service?module-path=/m.so', 'keychain:vault?key=a'])(
  'the service refuses %s and names karat-signer',
  async (url) => {
    await expect(openGuardedKeys({ serviceSignerUrl: url } as never, systemClock, () => {})).rejects.toThrow(
      ', which karat-signer opens: give it this URL, and name its socket here',
    );
  },
);

test('a key file signs behind the policy: a refusal is service_unavailable, and is reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'karat-keys-'));
  const [path, killFile] = [join(folder, 'key.json'), join(folder, 'stop')];
  const wallet = newWallet();
  writeFileSync(path, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
  const config = readConfig({
    DATABASE_URL: 'postgres://localhost/karat',
    KARAT_RPC_URL: 'http://localhost:1',
    KARAT_PROGRAM_ID: programAddress,
    KARAT_SERVICE_SIGNER: path,
    KARAT_RESERVES_SIGNER: path,
    KARAT_SIGN_KILL_FILE: killFile,
  });
  const reported: Refused[] = [];
  const { service } = await openGuardedKeys(config, systemClock, (refused) => reported.push(refused));
  const refusalOf = (rule: string) => ({
    code: 'service_unavailable',
    message: `The signing policy refuses this transaction (${rule}).`,
  });
  const text = Buffer.from('a text');
  await expect(service?.sign(text)).rejects.toMatchObject(refusalOf('malformed'));
  writeFileSync(killFile, '');
  await expect(service?.sign(text)).rejects.toMatchObject(refusalOf('kill_switch'));
  const reserves = await openReservesKey(config, (refused) => reported.push(refused));
  const statement = Buffer.from('{"format":"karat.reserves/1"}');
  await expect(reserves?.sign(statement)).rejects.toMatchObject(refusalOf('kill_switch'));
  rmSync(killFile);
  await expect(reserves?.sign(text)).rejects.toMatchObject(refusalOf('malformed'));
  expect(await reserves?.sign(statement)).toHaveLength(64);
  expect(reported.map(({ role, rule }) => [role, rule])).toEqual([
    ['service', 'malformed'],
    ['service', 'kill_switch'],
    ['reserves', 'kill_switch'],
    ['reserves', 'malformed'],
  ]);
  rmSync(folder, { recursive: true });
});

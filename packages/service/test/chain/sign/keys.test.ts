import { expect, test } from 'vitest';
import { openKey } from '../../../src/chain/sign/keys.js';
import { ConfigError } from '../../../src/config.js';
import { checkKeys } from '../../../src/doctor/check-keys.js';

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
  const refused = await openKey('service', { serviceSignerUrl: url } as never).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(ConfigError);
  const { findings } = await checkKeys({ serviceSignerUrl: url });
  for (const text of [(refused as Error).message, findings[0]?.says]) {
    expect(text).toContain(`KARAT_SERVICE_SIGNER names ${shown}, which `);
    expect(text).not.toContain('s3cret');
  }
});

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.js';
import { openKeys } from '../src/keys.js';

const programId = 'KaratTest1111111111111111111111111111111111';
const env = { KARAT_PROGRAM_ID: programId };

test('limits are base units, with the defaults of the service', () => {
  expect(readConfig({ ...env, KARAT_SERVICE_SIGNER: 'key.json', VAULT_TOKEN: 'x' })).toEqual({
    urls: { service: 'key.json' },
    policy: {
      programAddress: programId,
      maxUsdc: 1_000_000_000_000n,
      maxGold: 1_000_000_000n,
      maxComputeUnitPrice: 100_000n,
      signaturesPerMinute: 60_000,
      lamportsPerHour: 1_000_000_000n,
      killFile: undefined,
    },
    logLevel: 'info',
  });
  expect(readConfig({ ...env, KARAT_SIGN_MAX_USDC: '0.5', KARAT_SIGN_MAX_SOL: '2' }).policy).toMatchObject({
    maxUsdc: 500_000n,
    lamportsPerHour: 2_000_000_000n,
  });
});

test.each<[Record<string, string>, string]>([
  [{}, 'KARAT_PROGRAM_ID is not set'],
  [{ KARAT_PROGRAM_ID: 'l' }, 'KARAT_PROGRAM_ID is not an address'],
  ...[
    'KARAT_SIGN_MAX_USCD',
    'KARAT_SERVCE_SIGNER',
    'KARAT_MAX_SIGN_USDC',
    'KARAT_SIGNKILL_FILE',
    'KARAT_PRIORITY_FEE_CAPS',
    'KARAT_SERVICE_SIGNER_URL',
    'KARAT_SIGN_SOCKET',
    // Of the service, and of its command line.
    'KARAT_RPC_URL',
    'KARAT_ADD_SIGNER',
  ].map((name): [Record<string, string>, string] => [
    { ...env, [name]: '1' },
    `unknown setting ${name}; the environment of karat-signer is its own, with KARAT_PROGRAM_ID, `,
  ]),
  [{ ...env, KARAT_SIGN_MAX_GOLD: '0.0000001' }, 'KARAT_SIGN_MAX_GOLD must be an amount such as 0.5'],
  [{ ...env, KARAT_SIGN_MAX_GOLD: '-1' }, 'KARAT_SIGN_MAX_GOLD must be an amount such as 0.5'],
  [{ ...env, KARAT_PRIORITY_FEE_CAP: '-1' }, 'KARAT_PRIORITY_FEE_CAP must be a whole number from 0'],
  [{ ...env, KARAT_LOG_LEVEL: 'loud' }, 'KARAT_LOG_LEVEL must be one of fatal, error'],
])('readConfig refuses %j', (given, message) => {
  expect(() => readConfig(given)).toThrow(ConfigError);
  expect(() => readConfig(given)).toThrow(message);
});

test.each<[string[], boolean]>([
  [['SERVICE', 'OTHER_SERVICE'], true],
  [['OPERATIONS', 'MARKET', 'GUARDIAN', 'ADMIN'], true],
  [['MARKET', 'RESERVES', 'OPERATIONS'], true],
  [['SERVICE', 'OPERATIONS'], false],
  [['SERVICE', 'RESERVES'], false],
  [['OTHER_SERVICE', 'MARKET'], false],
  [['GUARDIAN', 'RESERVES'], false],
])('one process holds the keys of %j: %s', (names, allowed) => {
  const read = () =>
    readConfig({ ...env, ...Object.fromEntries(names.map((name) => [`KARAT_${name}_SIGNER`, 'key.json'])) });
  if (allowed) expect(Object.keys(read().urls)).toHaveLength(names.length);
  else
    expect(read).toThrow(
      'are for different callers: run one karat-signer for each of partners (KARAT_SERVICE_SIGNER, ',
    );
});

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
])('an error shows %s as %s', async (url, shown) => {
  const config = readConfig({ ...env, KARAT_SERVICE_SIGNER: url });
  const refused = await openKeys(config, {}, () => {}).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect((refused as Error).message).toContain(`KARAT_SERVICE_SIGNER names ${shown}, which `);
  expect(inspect(refused)).not.toContain('s3cret');
});

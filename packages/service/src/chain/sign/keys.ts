import { type Config, ConfigError } from '../../config.js';
import { openSigner } from './open-signer.js';
import { type Signer, SignerError } from './signer.js';

/** The keys that a process may hold, with the settings that say where each is. */
export const keySettings = {
  service: { setting: 'serviceSignerUrl', variable: 'KARAT_SERVICE_SIGNER' },
  otherService: { setting: 'otherServiceSignerUrl', variable: 'KARAT_OTHER_SERVICE_SIGNER' },
  admin: { setting: 'adminSignerUrl', variable: 'KARAT_ADMIN_SIGNER' },
  operations: { setting: 'operationsSignerUrl', variable: 'KARAT_OPERATIONS_SIGNER' },
  guardian: { setting: 'guardianSignerUrl', variable: 'KARAT_GUARDIAN_SIGNER' },
  market: { setting: 'marketSignerUrl', variable: 'KARAT_MARKET_SIGNER' },
  reserves: { setting: 'reservesSignerUrl', variable: 'KARAT_RESERVES_SIGNER' },
} as const;

export type KeyName = keyof typeof keySettings;

/** The keys of this process. */
export type Keys = Partial<Record<KeyName, Signer>>;

type KeyConfig = Pick<Config, (typeof keySettings)[KeyName]['setting'] | 'pkcs11Pin'>;

/** The keys that sign transactions. */
const ofChain = ['service', 'otherService', 'admin', 'operations', 'guardian', 'market'] as const;

/** Opens the keys of transactions that the configuration names. Throws a `ConfigError` for one that cannot be used. */
export async function openKeys(config: KeyConfig): Promise<Keys> {
  const keys: Keys = {};
  try {
    for (const name of ofChain) {
      const key = await openKey(name, config);
      if (key) keys[name] = key;
    }
  } catch (error) {
    await closeKeys(keys);
    throw error;
  }
  return keys;
}

/** Releases what the keys hold. */
export async function closeKeys(keys: Keys): Promise<void> {
  await Promise.all(Object.values(keys).map((key) => key.close()));
}

/** Opens a key; undefined if the configuration names none. Throws a `ConfigError` if it cannot be used. */
export async function openKey(name: KeyName, config: KeyConfig): Promise<Signer | undefined> {
  const { setting, variable } = keySettings[name];
  const url = config[setting];
  if (url === undefined) return undefined;
  try {
    return await openSigner(url, { pkcs11Pin: config.pkcs11Pin, env: process.env });
  } catch (error) {
    if (error instanceof SignerError)
      throw new ConfigError(`${variable} names ${url}, which ${error.message}`);
    throw error;
  }
}

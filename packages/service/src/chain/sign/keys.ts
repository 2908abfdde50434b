import { performance } from 'node:perf_hooks';
import {
  guard,
  type KeyName,
  keySettings,
  maxSignaturesPerMinute,
  type OnRefused,
  PolicyRefusal,
  roles,
  SigningPolicy,
  StatementPolicy,
  shownOf,
} from '@karat/signer';
import { type Address, isAddress } from '@solana/kit';
import type { Clock } from '../../clock.js';
import { type Config, ConfigError } from '../../config.js';
import { unavailable } from '../../errors.js';
import { openSigner } from './open-signer.js';
import { type Signer, SignerError } from './signer.js';

/** The keys of this process. */
export type Keys = Partial<Record<KeyName, Signer>>;

type KeyConfig = Pick<Config, (typeof keySettings)[KeyName]['setting']>;

/** What the policies before the keys are made of. */
type PolicyConfig = Pick<
  Config,
  | 'programId'
  | 'signMaxUsdc'
  | 'signMaxGold'
  | 'signMaxLamportsPerHour'
  | 'signKillFile'
  | 'priorityFeeCapMicroLamports'
>;

/**
 * Opens the keys of transactions that the configuration names, each behind the policy of its role; `report` is called
 * with every signature that is refused. Throws a `ConfigError` for a key that cannot be used, and for a program id that is no
 * address.
 */
export async function openGuardedKeys(
  config: KeyConfig & PolicyConfig,
  clock: Clock,
  report: OnRefused,
): Promise<Keys> {
  const keys: Keys = {};
  try {
    for (const [name, role] of Object.entries(roles) as [KeyName, (typeof roles)[KeyName]][]) {
      if (role === 'reserves') continue;
      const key = await openNamed(name, config);
      if (!key) continue;
      const policy = new SigningPolicy(role, key.address, settingsOf(config, clock));
      keys[name] = withPublicErrors(guard(key, role, policy, report));
    }
  } catch (error) {
    await closeKeys(keys);
    throw error;
  }
  return keys;
}

function settingsOf(config: PolicyConfig, clock: Clock) {
  return {
    programAddress: programAddressOf(config),
    maxUsdc: config.signMaxUsdc,
    maxGold: config.signMaxGold,
    maxComputeUnitPrice: BigInt(config.priorityFeeCapMicroLamports),
    signaturesPerMinute: maxSignaturesPerMinute,
    lamportsPerHour: config.signMaxLamportsPerHour,
    killFile: config.signKillFile,
    nowMs: () => clock.now(),
    tickMs: () => performance.now(),
  };
}

/** Returns the address of the program. Throws a `ConfigError` if it is none. */
export function programAddressOf({ programId }: Pick<Config, 'programId'>): Address {
  if (isAddress(programId)) return programId;
  throw new ConfigError('KARAT_PROGRAM_ID is not an address');
}

/** Releases what the keys hold. */
export async function closeKeys(keys: Keys): Promise<void> {
  await Promise.all(Object.values(keys).map((key) => key.close()));
}

/**
 * Opens the key of the reserves behind its policy; undefined if the configuration names none. `report` is called with every
 * signature that is refused. Throws a `ConfigError` for a key that cannot be used.
 */
export async function openReservesKey(
  config: KeyConfig & Pick<PolicyConfig, 'signKillFile'>,
  report: OnRefused,
): Promise<Signer | undefined> {
  const key = await openNamed('reserves', config);
  return key && withPublicErrors(guard(key, 'reserves', new StatementPolicy(config.signKillFile), report));
}

/** What a policy refuses, here or where the key is, is `service_unavailable` with the rule. */
function withPublicErrors(signer: Signer): Signer {
  return {
    address: signer.address,
    close: () => signer.close(),
    sign: (message) =>
      signer.sign(message).catch((error: unknown) => {
        throw error instanceof PolicyRefusal ? unavailable(error.message, { cause: error }) : error;
      }),
  };
}

async function openNamed(name: KeyName, config: KeyConfig): Promise<Signer | undefined> {
  const { setting, variable } = keySettings[name];
  const url = config[setting];
  if (url === undefined) return undefined;
  try {
    return await openSigner(url, name);
  } catch (error) {
    if (error instanceof SignerError)
      throw new ConfigError(`${variable} names ${shownOf(url)}, which ${error.message}`);
    throw error;
  }
}

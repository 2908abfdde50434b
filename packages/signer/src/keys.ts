import { performance } from 'node:perf_hooks';
import type { SignatureBytes } from '@solana/kit';
import { ConfigError, type SignerConfig } from './config.js';
import { guard, type OnRefused } from './guard.js';
import { shownOf } from './key-url.js';
import { openKey } from './open-key.js';
import { type Policy, requireNoKillFile, SigningPolicy } from './policy.js';
import { type KeyName, keySettings, roles, signWithinMs } from './settings.js';
import { proofText, type Signer, SignerError } from './signer.js';
import { StatementPolicy } from './statement-policy.js';

/** A key behind its policy. */
export interface GuardedKey extends Signer {
  /** Signs `proofText`, unless the kill switch is on: no other text gets past a policy. */
  prove(signal: AbortSignal): Promise<SignatureBytes>;
}

/** The keys of this process. */
export type Keys = Partial<Record<KeyName, GuardedKey>>;

/**
 * Opens the keys that the configuration names, each behind its policy; `report` is called with every signature that is
 * refused. Throws a `ConfigError` for a key that cannot be used.
 */
export async function openKeys(
  { urls, policy }: SignerConfig,
  env: Readonly<Record<string, string | undefined>>,
  report: OnRefused,
): Promise<Keys> {
  const settings = { ...policy, nowMs: () => Date.now(), tickMs: () => performance.now() };
  const keys: Keys = {};
  try {
    for (const [name, url] of Object.entries(urls) as [KeyName, string][]) {
      const key = await openKey(url, { env, withinMs: signWithinMs(name) }).catch((error: unknown) => {
        if (!(error instanceof SignerError)) throw error;
        throw new ConfigError(`${keySettings[name].variable} names ${shownOf(url)}, which ${error.message}`);
      });
      const role = roles[name];
      const own: Policy =
        role === 'reserves'
          ? new StatementPolicy(policy.killFile)
          : new SigningPolicy(role, key.address, settings);
      keys[name] = {
        ...guard(key, role, own, report),
        prove: async (signal) => {
          requireNoKillFile(policy.killFile);
          return key.sign(proofText, signal);
        },
      };
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

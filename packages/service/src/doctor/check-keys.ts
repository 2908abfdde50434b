import { statSync } from 'node:fs';
import { KeyFileError, loadSigner, type Signer } from '../chain/build/signer.js';
import type { Config } from '../config.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed } = findingsOf('keys');

const files = {
  service: { setting: 'serviceKeypair', variable: 'KARAT_SERVICE_KEYPAIR' },
  admin: { setting: 'adminKeypair', variable: 'KARAT_ADMIN_KEYPAIR' },
  operations: { setting: 'operationsKeypair', variable: 'KARAT_OPERATIONS_KEYPAIR' },
  guardian: { setting: 'guardianKeypair', variable: 'KARAT_GUARDIAN_KEYPAIR' },
  market: { setting: 'marketKeypair', variable: 'KARAT_MARKET_KEYPAIR' },
  reserves: { setting: 'reservesKeypair', variable: 'KARAT_RESERVES_KEYPAIR' },
} as const;

/** The keys of this process, those that could be loaded. */
export type Keys = Partial<Record<keyof typeof files, Signer>>;

/** Key files that are named: present, complete, and readable by the owner alone. */
export function checkKeys(values: Partial<Config>): { keys: Keys; findings: Finding[] } {
  const keys: Keys = {};
  const findings: Finding[] = [];
  for (const [role, { setting, variable }] of Object.entries(files)) {
    const path = values[setting];
    if (path === undefined) continue;
    try {
      keys[role as keyof Keys] = loadSigner(path);
      findings.push(ok(`${variable} holds the key ${keys[role as keyof Keys]?.address}.`));
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      const remedy =
        'Use a key file of the Solana CLI: a JSON array of 64 bytes that only this user may read.';
      findings.push(failed(`${variable} names ${path}, which ${error.message}.`, remedy));
      continue;
    }
    if ((statSync(path).mode & 0o070) !== 0) {
      findings.push(
        warning(
          `The group of ${path} (${variable}) may read it.`,
          `Run chmod 600 ${path}, unless the group has no other members.`,
        ),
      );
    }
  }
  return { keys, findings };
}

import { statSync } from 'node:fs';
import { type KeyName, keyFileOf, keySettings, shownOf } from '@karat/signer';
import type { Keys } from '../chain/sign/keys.js';
import { openSigner, proveSigner } from '../chain/sign/open-signer.js';
import { SignerError } from '../chain/sign/signer.js';
import type { Config } from '../config.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed } = findingsOf('keys');

/** Returns a warning about a key file that its group may read. */
export function groupFindings(variable: string, path: string | undefined): Finding[] {
  if (path === undefined || (statSync(path).mode & 0o070) === 0) return [];
  const remedy = `Run chmod 600 ${path}, unless the group has no other members.`;
  return [warning(`The group of ${path} (${variable}) may read it.`, remedy)];
}

/** Keys that are named: there, able to sign, and those in files readable by the owner alone. The caller closes the keys. */
export async function checkKeys(values: Partial<Config>): Promise<{ keys: Keys; findings: Finding[] }> {
  const keys: Keys = {};
  const findings: Finding[] = [];
  for (const [role, { setting, variable }] of Object.entries(keySettings)) {
    const url = values[setting];
    if (url === undefined) continue;
    const path = keyFileOf(url);
    try {
      const key = await openSigner(url, role as KeyName);
      keys[role as KeyName] = key;
      await proveSigner(url, role as KeyName, key.address);
      findings.push(ok(`${variable} holds the key ${key.address}.`));
    } catch (error) {
      if (!(error instanceof SignerError)) throw error;
      const remedy =
        path === undefined
          ? 'Correct the URL, or what it needs: docs/operations/README.md explains the places of keys, and the log of karat-signer why one does not sign.'
          : 'Use a key file of the Solana CLI: a JSON array of 64 bytes that only this user may read.';
      findings.push(failed(`${variable} names ${shownOf(url)}, which ${error.message}.`, remedy));
      continue;
    }
    findings.push(...groupFindings(variable, path));
  }
  return { keys, findings };
}

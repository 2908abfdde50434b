import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The key of KYC data that all tests have, so that processes that share a database can read it. */
export const testKycKey = 'ab'.repeat(32);

/** Writes a file with a key of KYC data and returns its path. */
export function kycKeyFile(text = testKycKey): string {
  const path = join(mkdtempSync(join(tmpdir(), 'karat-kyc-')), 'kyc.key');
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}

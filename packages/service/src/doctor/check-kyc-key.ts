import { keyFileOf } from '@karat/signer';
import { type Config, ConfigError } from '../config.js';
import type { DbHandle } from '../db/client.js';
import { findKycKeys } from '../db/kyc-keys.js';
import { KycSeal } from '../kyc/kyc-seal.js';
import { kycKeySettings, openKeyWrappers } from '../kyc/open-key-wrappers.js';
import { groupFindings } from './check-keys.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed } = findingsOf('keys');

/** The key of KYC data: there where it is needed, usable, and the one with which the data in the database is encrypted. */
export async function checkKycKey(
  values: Partial<Config>,
  database: DbHandle | undefined,
): Promise<Finding[]> {
  const { kycKeyUrl, otherKycKeyUrl, serviceSignerUrl } = values;
  if (kycKeyUrl === undefined) {
    const remedy = 'Name the key that encrypts KYC data: docs/operations/README.md explains how to make one.';
    return [
      serviceSignerUrl === undefined
        ? warning('KARAT_KYC_KEY is not set, and karat deliver does not start without it.', remedy)
        : failed('KARAT_KYC_KEY is not set, and karat serve does not start without it.', remedy),
    ];
  }
  try {
    const kyc = new KycSeal(await openKeyWrappers({ kycKeyUrl, otherKycKeyUrl }));
    if (database) await kyc.requireKeys(database.db);
    const [newest, ...older] = database ? await findKycKeys(database.db) : [];
    const named = kycKeySettings.flatMap(({ setting, variable }) => {
      const url = values[setting];
      return url === undefined ? [] : groupFindings(variable, keyFileOf(url));
    });
    const findings = [ok(`KARAT_KYC_KEY holds the key ${kyc.name}.`), ...named];
    if (newest && (older.length > 0 || !kyc.isCurrent(newest))) {
      findings.push(
        warning(
          'Some KYC data in the database is still encrypted with an earlier key.',
          'Run karat kyc rotate.',
        ),
      );
    }
    return findings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      failed(
        `${error.message}.`,
        'Correct the setting, make the key available, or restore it from its backup.',
      ),
    ];
  }
}

import { closeKeys } from '../chain/sign/keys.js';
import type { Command } from '../commands.js';
import { checkCertificates } from './check-certificates.js';
import { checkConfiguration } from './check-configuration.js';
import { checkDatabase } from './check-database.js';
import { checkKeys } from './check-keys.js';
import { checkKycKey } from './check-kyc-key.js';
import { checkNode, checkRecordedChain } from './check-node.js';
import { checkOperation } from './check-operation.js';
import { checkProgram } from './check-program.js';
import type { Finding } from './finding.js';

/**
 * Looks at everything that Karat needs, as far as one thing does not keep it from looking at another. Changes nothing.
 * What the wanted kinds of processes would refuse is a failure. Findings hold no secrets.
 */
export async function diagnose(
  env: Record<string, string | undefined>,
  wanted: ReadonlySet<Command>,
  { ownsTables = false }: { ownsTables?: boolean } = {},
): Promise<Finding[]> {
  const configuration = await checkConfiguration(env, wanted, ownsTables);
  const { values } = configuration;
  const [keys, database, node] = await Promise.all([
    checkKeys(values),
    checkDatabase(values),
    checkNode(values),
  ]);
  try {
    const [kycKey, recorded, program, operation, certificates] = await Promise.all([
      checkKycKey(values, database.ready),
      checkRecordedChain(database.ready, node.node),
      checkProgram(values, keys.keys, node.node),
      checkOperation(database.ready),
      checkCertificates(values),
    ]);
    return [
      ...configuration.findings,
      ...keys.findings,
      ...kycKey,
      ...database.findings,
      ...node.findings,
      ...recorded,
      ...certificates,
      ...program,
      ...operation,
    ];
  } finally {
    await Promise.all([database.ready?.close(), closeKeys(keys.keys)]);
  }
}

import type { Config } from '../config.js';
import { findCertificateEnd, securedEndpoints } from '../runtime/certificates.js';
import { type Finding, findingsOf } from './finding.js';

/** Long enough to renew a certificate by hand. */
const warnBeforeDays = 30;
const dayMs = 86_400_000;

/** The errors of TLS that are met in practice, as what is said of the server at an address. */
const faults: Record<string, [says: string, remedy: string]> = {
  CERT_HAS_EXPIRED: ['has a certificate that has expired', 'Renew the certificate of the server.'],
  CERT_NOT_YET_VALID: ['has a certificate that is not valid yet', 'Correct the clock of this machine.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for another name than the one in the address',
    'Use a name in the address that the certificate has, or have it issued for this one.',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'has a certificate that it signed itself',
    'Name that certificate as the authority: sslrootcert in an address of PostgreSQL, else NODE_EXTRA_CA_CERTS.',
  ],
};
const unknownAuthority: [string, string] = [
  'has a certificate of an authority that is not known here',
  'Name its CA: sslrootcert in an address of PostgreSQL, else NODE_EXTRA_CA_CERTS; and have the server send the whole chain.',
];
for (const code of [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]) {
  faults[code] = unknownAuthority;
}

/** Returns in words why TLS to a server failed, by the codes of an error and its causes; undefined for any other error. */
export function tlsFaultOf(codes: readonly string[]): { says: string; remedy: string } | undefined {
  for (const code of codes) {
    const [says, remedy] = faults[code] ?? [];
    if (says !== undefined && remedy !== undefined) return { says: `${says} (${code})`, remedy };
  }
  return undefined;
}

/** Warns of certificates that are about to expire. Servers that fail are reported by their own checks. */
export async function checkCertificates(values: Partial<Config>): Promise<Finding[]> {
  const found = await Promise.all(
    securedEndpoints(values).map(async (endpoint) => {
      const { kind, variable, url } = endpoint;
      const end = await findCertificateEnd(endpoint);
      const days = end && Math.floor((end.getTime() - Date.now()) / dayMs);
      if (days === undefined || days < 0 || days > warnBeforeDays) return [];
      return findingsOf(kind).warning(
        `The certificate of ${url.hostname} (${variable}) expires in ${days} days.`,
        'Renew it, and have the server load the new one.',
      );
    }),
  );
  return found.flat();
}

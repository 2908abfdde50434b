import type { Context } from '../context.js';
import { findCertificateEnd, type SecuredEndpoint, securedEndpoints } from '../runtime/certificates.js';

/** Certificates are renewed days before they end. */
const lookEveryMs = 3_600_000;

/** Measures until when the certificates are valid of what this process reaches over TLS, and of the portal's address. */
export function watchCertificates({
  config,
  metrics,
  clock,
}: Pick<Context, 'config' | 'metrics' | 'clock'>): void {
  const left = metrics.gauge(
    'karat_certificate_seconds_left',
    'Seconds until the certificate ends of what a setting names, the first of several; absent where none was seen',
    ['setting'],
  );
  const endpoints = securedEndpoints(config);
  const ends = new Map<string, number>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  metrics.addReader(() => {
    if (clock.now() - lookedAtMs > lookEveryMs) {
      lookedAtMs = clock.now();
      // The next scrape shows what comes back.
      void lookAtAll(endpoints, ends);
    }
    for (const [setting, endMs] of ends) left.set({ setting }, (endMs - clock.now()) / 1_000);
  });
}

async function lookAtAll(endpoints: readonly SecuredEndpoint[], ends: Map<string, number>): Promise<void> {
  const found = await Promise.all(
    endpoints.map(async (endpoint) => ({ ...endpoint, end: await findCertificateEnd(endpoint) })),
  );
  const first = new Map<string, number>();
  for (const { variable, end } of found)
    if (end) first.set(variable, Math.min(end.getTime(), first.get(variable) ?? Number.POSITIVE_INFINITY));
  // What does not respond keeps what was seen of it last.
  for (const [setting, endMs] of first) ends.set(setting, endMs);
}

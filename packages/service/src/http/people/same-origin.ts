import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Site } from '../../actions/people/second-factor.js';
import { AppError } from '../../errors.js';

/** Throws 403 `forbidden` unless a page of this very host sent the request, which browsers vouch for. */
export function refuseForeignPage(request: FastifyRequest, pageHeader: string): void {
  if (request.headers[pageHeader] !== '1') {
    throw new AppError('forbidden', `A change made with a cookie needs the header ${pageHeader}: 1.`);
  }
  if (!isSameOrigin(request)) {
    throw new AppError('forbidden', 'A change made with a cookie needs an Origin of this host.');
  }
}

/** Throws `forbidden` for a page of another site, which would sign its visitor in to another account. */
export function refuseForeignSignIn(request: FastifyRequest): void {
  if (request.headers.origin === undefined || isSameOrigin(request)) return;
  throw new AppError('forbidden', 'Signing in from another site is not allowed.');
}

/** Returns scheme, host and port of the page of this host that sent a request. Throws `forbidden` for all others. */
export function requireOwnOrigin(request: FastifyRequest): string {
  const { origin } = request.headers;
  if (origin !== undefined && isSameOrigin(request)) return new URL(origin).origin;
  throw new AppError('forbidden', 'Single sign-on needs an Origin of this host: use the console.');
}

/** Returns whether the page that sent a request is of this host. False without an `Origin`. */
function isSameOrigin({ headers, host }: FastifyRequest): boolean {
  const { origin } = headers;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}

/**
 * Returns the host of the page that sent a request, for passkeys; undefined for a page of another host, for what is no page,
 * and for one at an IP address, which browsers make no passkeys for.
 */
export function siteOf(request: FastifyRequest): Site | undefined {
  const { origin } = request.headers;
  if (origin === undefined || !isSameOrigin(request)) return undefined;
  const { hostname: rpId } = new URL(origin);
  return isIP(rpId.replace(/^\[|\]$/g, '')) === 0 ? { rpId, origin } : undefined;
}

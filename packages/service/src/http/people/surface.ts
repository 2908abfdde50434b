import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { confirmationHeader, type Requester } from '../../actions/people/confirm.js';
import type { Purpose, SessionOwner } from '../../actions/people/second-factor.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { Member } from '../../domain/member.js';
import type { Operator } from '../../domain/operator.js';
import type { PersonKind } from '../../domain/person.js';
import { AppError } from '../../errors.js';
import type { SessionCookie } from './session-cookie.js';

/** Where and how one kind of people signs in and manages the own account. */
export interface PeopleSurface {
  kind: PersonKind;
  cookie: SessionCookie;
  /** What their pages send with each change, so that no other site can make one with the cookie. */
  pageHeader: 'x-karat-console' | 'x-karat-portal';
  /** Settings of routes by which they sign in. */
  open: FastifyContextConfig;
  /** Settings of routes about the own account, which a session may use before it has a second factor. */
  own: FastifyContextConfig;
  paths: {
    /** Of the sessions themselves. */
    session: string;
    /** What routes about the own account lie under. */
    account: string;
    factors: string;
  };
  /** What a challenge for a second factor can be requested for, and what a confirmed session may then do: for the reference. */
  purposes: readonly Purpose['purpose'][];
  confirmedFor: string;
  /** Returns the person who makes a request, and the session, if there is one. */
  signedIn(request: FastifyRequest): SignedInBy;
}

export interface SignedInBy {
  person: Operator | Member;
  sessionHash: Uint8Array | undefined;
}

/** Returns the confirmation that a request has; undefined without one. */
export function confirmationOf({ headers }: FastifyRequest): string | undefined {
  const confirmation = headers[confirmationHeader];
  return typeof confirmation === 'string' ? confirmation : undefined;
}

/** Returns who makes a request in a session, with what confirms it. */
export function requesterIn(
  request: FastifyRequest,
  { person, sessionHash }: Pick<SessionOwner, 'person' | 'sessionHash'>,
): Requester {
  const confirmation = confirmationOf(request);
  return { personId: person.personId, requestId: request.id, credential: { sessionHash }, confirmation };
}

/** Returns the person of a request to record for a change. */
export function changedByPerson(surface: PeopleSurface, request: FastifyRequest): ChangedBy {
  return { personId: surface.signedIn(request).person.personId, requestId: request.id };
}

/** Throws `forbidden` for a token: second factors belong to people in a browser. */
export function requireSession(surface: PeopleSurface, request: FastifyRequest): SessionOwner {
  const { person, sessionHash } = surface.signedIn(request);
  if (sessionHash) return { person, sessionHash };
  throw new AppError('forbidden', 'This needs a session of the console, not a token.');
}

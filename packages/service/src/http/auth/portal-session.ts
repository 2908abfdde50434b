import type { Member } from '../../domain/member.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session that let a member in. Throws for a request with a key. */
    portalSession: PortalSession;
  }
}

/** A member in a session of the portal. */
export interface PortalSession {
  member: Member;
  sessionHash: Uint8Array;
  /** Whether the session was opened by a password alone. */
  byPasswordAlone: boolean;
  expiresAt: Date;
}

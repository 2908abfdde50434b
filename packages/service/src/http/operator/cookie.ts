import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../domain/loopback.js';
import '@fastify/cookie';

export const sessionCookie = 'karat_session';

/** Beyond the reach of scripts and of other sites; over TLS only, unless the browser runs on this machine. */
function attributes(request: FastifyRequest) {
  const secure = !isLoopbackHost(request.hostname);
  return { path: '/operator', httpOnly: true, sameSite: 'strict', secure } as const;
}

export function setSessionCookie(reply: FastifyReply, secret: string, maxAgeSeconds: number): void {
  reply.setCookie(sessionCookie, secret, { ...attributes(reply.request), maxAge: maxAgeSeconds });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, attributes(reply.request));
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../domain/loopback.js';
import { sessionLifetimeMs } from '../../domain/session.js';
import '@fastify/cookie';

/** The cookie of the sessions of one kind of people: its name, and the paths that browsers send it to. */
export interface SessionCookie {
  name: string;
  path: string;
  /** How long browsers keep it; default: as long as a session lives. */
  lifetimeMs?: number;
}

/** Returns the value of a cookie that a request has; undefined without it. */
export function cookieOf({ headers, server }: FastifyRequest, { name }: SessionCookie): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name] || undefined;
}

/** Beyond the reach of scripts and of other sites; over TLS only, unless the browser runs on this machine. */
function attributes(request: FastifyRequest, { path }: SessionCookie) {
  const secure = !isLoopbackHost(request.hostname);
  return { path, httpOnly: true, sameSite: 'strict', secure } as const;
}

export function setSessionCookie(reply: FastifyReply, cookie: SessionCookie, secret: string): void {
  const maxAge = (cookie.lifetimeMs ?? sessionLifetimeMs) / 1_000;
  reply.setCookie(cookie.name, secret, { ...attributes(reply.request, cookie), maxAge });
}

export function clearSessionCookie(reply: FastifyReply, cookie: SessionCookie): void {
  reply.clearCookie(cookie.name, attributes(reply.request, cookie));
}

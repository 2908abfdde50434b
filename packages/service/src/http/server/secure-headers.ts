import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';

/** Adds `secureHeaders` to the responses of an application. */
export function secureResponses(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(secureHeaders);
    done();
  });
}

/** Returns the headers that helmet sets: it is run once, on a response that only keeps them. */
function helmetHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response: Pick<ServerResponse, 'removeHeader'> & { setHeader(name: string, value: string): void } = {
    setHeader: (name, value) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const secure = helmet({ contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  secure({} as IncomingMessage, response as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

/**
 * The headers of every response, computed once: those of helmet, and `no-store` for caches of browsers and proxies, because
 * most responses have identities, keys or money. Public routes replace the latter.
 */
export const secureHeaders: Readonly<Record<string, string>> = {
  ...helmetHeaders(),
  'cache-control': 'no-store',
};

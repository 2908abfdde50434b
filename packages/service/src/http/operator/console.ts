import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, cachedForEver, sendAsset } from '../server/assets.js';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const html = 'text/html; charset=utf-8';
const open = { config: { auth: 'none' }, schema: { hide: true } } as const;
/** Filters of a page are the query of its address. */
const pageRoute = {
  ...open,
  schema: { hide: true, querystring: Type.Object({}, { additionalProperties: true }) },
};

/** What the build writes where the nonce of a response belongs. */
const noncePlaceholder = '__CSP_NONCE__';

/** Where the built page reads the address of the explorer. */
const explorerPlaceholder = '__EXPLORER_URL__';

/** Returns the folder of the built console next to this package; undefined until it is built. */
export function builtConsole(): string | undefined {
  const folder = fileURLToPath(new URL('../../../../console/dist', import.meta.url));
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}

/**
 * Serves the console: its files, and its page at every other path that a browser opens, because the page itself reads the
 * path. Requests that do not accept HTML, and paths of the API, get the usual 404. Without a built console, the page says
 * how to build it. Transactions and accounts are links to the explorer, if there is one.
 */
export function serveConsole(folder: string | undefined, explorerUrl = ''): FastifyPluginAsync {
  const page = folder === undefined ? unbuiltPage : readFileSync(join(folder, 'index.html'), 'utf8');
  const content = page.replace(explorerPlaceholder, explorerUrl);
  return async (app) => {
    for (const file of folder === undefined ? [] : readFiles(folder)) {
      app.get(file.path, open, async (request, reply) => sendFile(request, reply, file));
    }
    app.get('/*', pageRoute, async (request, reply) => {
      if (!isPage(request)) return reply.callNotFound();
      const nonce = randomBytes(16).toString('base64');
      reply.header('content-security-policy', policyOf(nonce)).header('cache-control', 'no-store');
      return reply.type(html).send(content.replaceAll(noncePlaceholder, nonce));
    });
  };
}

interface ConsoleFile extends Asset {
  path: string;
}

function readFiles(folder: string): ConsoleFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    const file = join(entry.parentPath, entry.name);
    return [{ path: `/${relative(folder, file).split(sep).join('/')}`, type, content: readFileSync(file) }];
  });
}

/** Names of built files carry a hash of their content, so browsers may keep them for ever. */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): Promise<FastifyReply> {
  return sendAsset(request, reply, file, file.path.startsWith('/assets/') ? cachedForEver : 'no-cache');
}

function isPage({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?')[0] ?? '';
  const ofConsole = !/^\/(operator|metrics|assets)(\/|$)/.test(path);
  return ofConsole && headers.accept?.includes('text/html') === true;
}

/** Scripts and styles come from files, or carry the nonce of this very response. Nothing but this host is called. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const unbuiltPage = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Karat console</title></head>
  <body>
    <h1>The console is not built</h1>
    <p>Run <code>npm run build:console</code>, then start the service again.</p>
    <p>The operator API works without it: <a href="/operator/docs">reference</a>.</p>
  </body>
</html>
`;

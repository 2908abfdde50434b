import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, cachedForEver, sendAsset } from './assets.js';

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

/** An application for browsers: one page, built into a folder with the files that it loads. */
interface BrowserApp {
  /** What people call it. */
  name: string;
  /** Its folder in `packages/console`, where it is built. */
  folder: string;
  /** Its page in that folder. */
  page: string;
  /** Where it is served; empty at `/`. */
  prefix: string;
  /** Paths below the prefix that are never its page. */
  others: RegExp;
  /** Where the reference of the API is that works without it. */
  reference: string;
}

/** The console of the people who run the service. */
export const consoleApp: BrowserApp = {
  name: 'console',
  folder: 'dist',
  page: 'index.html',
  prefix: '',
  others: /^\/(operator|metrics|assets)(\/|$)/,
  reference: '/operator/docs',
};

/** The portal of partners. */
export const portalApp: BrowserApp = {
  name: 'portal',
  folder: 'dist-portal',
  page: 'portal.html',
  prefix: '/portal',
  others: /^\/assets(\/|$)/,
  reference: '/docs',
};

/** Returns the folder of a built application next to this package; undefined until it is built. */
export function builtApp({ folder, page }: BrowserApp): string | undefined {
  const path = fileURLToPath(new URL(`../../../../console/${folder}`, import.meta.url));
  return existsSync(join(path, page)) ? path : undefined;
}

/**
 * Serves an application: its files, and its page at every other path under its prefix that a browser opens, because the
 * page itself reads the path. Requests that do not accept HTML, and paths of others, get the usual 404. Without a built
 * folder, the page says how to build it. Transactions and accounts are links to the explorer, if there is one.
 */
export function serveBrowserApp(
  browserApp: BrowserApp,
  folder: string | undefined,
  explorerUrl = '',
): FastifyPluginAsync {
  const { page, prefix, others } = browserApp;
  const built = folder === undefined ? unbuiltPage(browserApp) : readFileSync(join(folder, page), 'utf8');
  const content = built.replace(explorerPlaceholder, explorerUrl);
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.url.split('?')[0] ?? '').slice(prefix.length);
    const isPage = !others.test(path) && request.headers.accept?.includes('text/html') === true;
    if (!isPage) return reply.callNotFound();
    const nonce = randomBytes(16).toString('base64');
    reply.header('content-security-policy', policyOf(nonce)).header('cache-control', 'no-store');
    return reply.type(html).send(content.replaceAll(noncePlaceholder, nonce));
  };
  return async (app) => {
    for (const file of folder === undefined ? [] : readFiles(folder)) {
      app.get(prefix + file.path, open, async (request, reply) => sendFile(request, reply, file));
    }
    if (prefix !== '') app.get(prefix, pageRoute, sendPage);
    app.get(`${prefix}/*`, pageRoute, sendPage);
  };
}

interface AppFile extends Asset {
  /** Where it lies in the folder, with a slash before it. */
  path: string;
}

function readFiles(folder: string): AppFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    const file = join(entry.parentPath, entry.name);
    return [{ path: `/${relative(folder, file).split(sep).join('/')}`, type, content: readFileSync(file) }];
  });
}

/** Names of built files carry a hash of their content, so browsers may keep them for ever. */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: AppFile): Promise<FastifyReply> {
  return sendAsset(request, reply, file, file.path.startsWith('/assets/') ? cachedForEver : 'no-cache');
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

const unbuiltPage = ({ name, reference }: BrowserApp) => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Karat ${name}</title></head>
  <body>
    <h1>The ${name} is not built</h1>
    <p>Run <code>npm run build:console</code>, then start the service again.</p>
    <p>The API works without it: <a href="${reference}">reference</a>.</p>
  </body>
</html>
`;

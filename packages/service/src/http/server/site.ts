import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Asset, cachedForEver, sendAsset } from './assets.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the documentation is served at `/`. */
    hasSite?: boolean;
  }
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.yml': 'application/yaml; charset=utf-8',
};

/** A newer build of the site is seen after five minutes; what pages load has a hash in its name. */
const cached = 'public, max-age=300';

/** What is shown until the site is built; browsers try again after three seconds. */
const unbuilt =
  '<!doctype html><title>Karat</title><p>The documentation is being built. This page reloads until it is there.</p>';

/**
 * Serves the files of a folder to everyone, at paths that no route has: `index.html` as its folder, and `page.html` also
 * as `page`; a browser gets the site's own page for what is nowhere. `findFolder` returns the folder, or undefined while the site is being built; its files are read once.
 */
export function serveSite(app: FastifyInstance, findFolder: () => string | undefined): void {
  let site: Site | undefined;
  app.decorate('hasSite', true);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || !['GET', 'HEAD'].includes(request.method)) return;
    const folder = site === undefined ? findFolder() : undefined;
    if (folder !== undefined) site = readSite(folder);
    const path = request.url.split('?')[0] ?? '';
    if (site === undefined) {
      if (path !== '/') return;
      return reply.header('refresh', '3').header('cache-control', 'no-store').type('text/html').send(unbuilt);
    }
    const file = site.files.get(path);
    if (file === undefined && !isPage(path, request)) return;
    const page = file ?? site.files.get('/404.html');
    if (page === undefined) return;
    reply.code(file === undefined ? 404 : 200).header('content-security-policy', site.policy);
    return sendAsset(request, reply, page, path.startsWith('/assets/') ? cachedForEver : cached);
  });
}

/** Whether a person looks for a page, who gets a page about what is not there; programs get the response of the API. */
function isPage(path: string, { headers }: FastifyRequest): boolean {
  return !/^\/(v1|api|token)(\/|$)/.test(path) && headers.accept?.includes('text/html') === true;
}

interface Site {
  files: Map<string, Asset>;
  policy: string;
}

/** Reads all files of a folder. Throws when it cannot be read. */
function readSite(folder: string): Site {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, Asset>();
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const name = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, name).split(sep).join('/')}`.replace(/(^|\/)index\.html$/, '$1');
    const file = { type, content: readFileSync(name) };
    files.set(path, file).set(path.replace(/\.html$/, ''), file);
  }
  return { files, policy: policyOf([...files.values()]) };
}

/** Returns what the pages may do: run the scripts of this host and those that they carry, and call this host and Solana nodes. */
function policyOf(files: Asset[]): string {
  const carried = files
    .filter(({ type }) => type === types['.html'])
    .flatMap(({ content }) => [
      ...content.toString('utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g),
    ])
    .map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(carried)].join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    // Readers may compare the reserves with a Solana node of their choice.
    "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

interface SiteFile {
  path: string;
  type: string;
  content: Buffer;
}

/** A newer build of the site is seen after five minutes. */
const cached = 'public, max-age=300';

/**
 * Serves the files of a folder, which are read once, to everyone: `index.html` as its folder, and `page.html` also as
 * `page`. Each has a route of its own, so that any other path is answered as if there were no site. Throws when the folder
 * cannot be read.
 */
export function siteOf(folder: string): FastifyPluginAsync {
  const files = readSite(folder);
  const policy = policyOf(files);
  return async (app) => {
    const serve = (path: string, { type, content }: SiteFile) =>
      app.get(path, { config: { auth: 'none' }, schema: { hide: true } }, async (_request, reply) =>
        reply
          .headers({ 'content-security-policy': policy, 'cache-control': cached })
          .type(type)
          .send(content),
      );
    for (const file of files) {
      serve(file.path, file);
      const bare = file.path.replace(/\.html$/, '');
      // The API has pages of its own about reasons.
      if (!app.hasRoute({ method: 'GET', url: bare })) serve(bare, file);
    }
  };
}

function readSite(folder: string): SiteFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`.replace(/(^|\/)index\.html$/, '$1');
    return [{ path, type, content: readFileSync(file) }];
  });
}

/** Returns what the pages may do: run the scripts of this host and those that they carry, and call this host and Solana nodes. */
function policyOf(files: SiteFile[]): string {
  const carried = files
    .filter(({ path, type }) => type === types['.html'] || path.endsWith('/'))
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

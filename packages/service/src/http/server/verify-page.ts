import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Asset, sendAsset } from './assets.js';

const folder = new URL('../../../assets/verify/', import.meta.url);
const files: Record<string, { file: string; type: string }> = {
  '/papers/verify': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/papers/verify.css': { file: 'verify.css', type: 'text/css; charset=utf-8' },
  '/papers/verify.js': { file: 'verify.js', type: 'text/javascript; charset=utf-8' },
  '/papers/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
};

/** The page runs its own scripts alone, and may call this service and the Solana node that its reader names. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the page that verifies papers in the browser, to everyone. Its files are read with the first request for each. */
export function serveVerifyPage(app: FastifyInstance): void {
  const route = { config: { auth: 'none' }, schema: { hide: true } } as const;
  for (const [path, { file, type }] of Object.entries(files)) {
    let asset: Asset | undefined;
    app.get(path, route, async (request, reply) => {
      asset ??= { type, content: readFileSync(new URL(file, folder)) };
      reply.header('content-security-policy', policy);
      return sendAsset(request, reply, asset, 'public, max-age=300');
    });
  }
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { type Asset, cachedForEver, sendAsset } from './assets.js';

/** The page runs its own scripts only and calls only this host. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where a surface shows its OpenAPI document and the page to read and try it. */
export interface ReferencePlaces {
  document: string;
  page: string;
  title: string;
  /** The way in that is preselected: a security scheme of the document. */
  scheme: string;
}

/** The whole page as one script, from the package; hosts that it would call otherwise are switched off in `startOf`. */
const scalar = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));

/** Serves the OpenAPI document of `app`, and a page to read and try it, both public. */
export async function serveReference(app: FastifyInstance, places: ReferencePlaces): Promise<void> {
  const { document, page } = places;
  const documentCopy = `${page}/json`;
  const open = { config: { auth: 'none' }, schema: { hide: true } } as const;
  const show = (path: string, cacheControl: string, asset: () => Asset | Promise<Asset>) =>
    app.get(path, open, async (request, reply) => {
      if (path.startsWith(page) && path !== documentCopy) reply.header('content-security-policy', pagePolicy);
      return sendAsset(request, reply, await asset(), cacheControl);
    });
  let text: Asset | undefined;
  for (const path of [document, documentCopy])
    show(path, 'no-cache', () => {
      text ??= assetOf('application/json; charset=utf-8', JSON.stringify(app.swagger()));
      return text;
    });
  const start = assetOf(javascript, startOf(places));
  const scripts = { start: { hash: hashOf(start), read: () => start }, scalar: await findScalar() };
  const paths = Object.entries(scripts).map(([name, { hash, read }]) => {
    const path = `${page}/${name}.${hash}.js`;
    show(path, cachedForEver, read);
    return path;
  });
  const html = assetOf('text/html; charset=utf-8', pageOf(places, guidesOf(app), paths.reverse()));
  show(page, 'no-cache', () => html);
}

const javascript = 'text/javascript; charset=utf-8';

const assetOf = (type: string, text: string): Asset => ({ type, content: Buffer.from(text) });

const hashOf = ({ content }: Asset) => createHash('sha256').update(content).digest('hex').slice(0, 12);

let scalarHash: Promise<string> | undefined;
let scalarScript: Promise<Asset> | undefined;

/** Returns the hash of the script, and what reads it when it is first requested: it has megabytes. Once for all surfaces. */
async function findScalar(): Promise<{ hash: string; read(): Promise<Asset> }> {
  scalarHash ??= hashScalar();
  const read = () => {
    scalarScript ??= readFile(scalar).then((content) => ({ type: javascript, content }));
    return scalarScript;
  };
  return { hash: await scalarHash, read };
}

async function hashScalar(): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(scalar)) hash.update(part);
  return hash.digest('hex').slice(0, 12);
}

/** Returns where the guides are: on this host; undefined: nowhere. */
function guidesOf(app: FastifyInstance): string | undefined {
  return app.hasSite ? '' : undefined;
}

function pageOf({ title }: ReferencePlaces, guides: string | undefined, scripts: string[]): string {
  const links = guides === undefined ? '' : `<a href="${guides}/partner-guide">Guides</a>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <style>
      :root { --scalar-custom-header-height: 48px; }
      header {
        position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 48px; padding: 0 24px;
        display: flex; align-items: center; gap: 24px; font: 15px/1 system-ui, sans-serif;
        color: var(--scalar-color-1); background: var(--scalar-background-1);
        border-bottom: 1px solid var(--scalar-border-color);
      }
      header a { color: inherit; text-decoration: none; }
      header a:first-child { font-weight: 600; }
      code { tab-size: 4; }
    </style>
  </head>
  <body>
    <header>
      <a href="${guides ?? ''}/">Karat</a>
      ${links}
    </header>
    <div id="app"></div>
    ${scripts.map((path) => `<script src="${path}"></script>`).join('\n    ')}
  </body>
</html>
`;
}

/** Languages in which the page would write samples of its own: those of the document use the SDKs, and curl needs none. */
const otherLanguages =
  'c clojure csharp dart fsharp go http java js kotlin node objc ocaml php powershell python r ruby rust swift';

/** Returns the script that shows a document, without anything that would call another host. */
function startOf({ document, scheme }: ReferencePlaces): string {
  const settings = {
    url: document,
    authentication: { preferredSecurityScheme: scheme },
    telemetry: false,
    withDefaultFonts: false,
    defaultOpenAllTags: true,
    hideModels: true,
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'json',
    agent: { disabled: true },
    mcp: { disabled: true },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: {
      ...Object.fromEntries(otherLanguages.split(' ').map((language) => [language, true])),
      shell: ['wget', 'httpie'],
    },
  };
  return `Scalar.createApiReference('#app', ${JSON.stringify(settings)});\n`;
}

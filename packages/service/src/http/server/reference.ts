import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

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
}

/** The whole page as one script, from the package; hosts that it would call otherwise are switched off in `startOf`. */
const scalar = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));

/** Serves the OpenAPI document of `app`, and a page to read and try it, both public. */
export async function serveReference(app: FastifyInstance, places: ReferencePlaces): Promise<void> {
  const { document, page } = places;
  let text: string | undefined;
  const open = { config: { auth: 'none' }, schema: { hide: true } } as const;
  for (const path of [document, `${page}/json`]) {
    app.get(path, open, async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(text);
    });
  }
  const show = (path: string, type: string, content: string | (() => Promise<Buffer>)) =>
    app.get(path, open, async (_request, reply) => {
      reply.header('content-security-policy', pagePolicy).type(type);
      return reply.send(typeof content === 'string' ? content : await content());
    });
  show(page, 'text/html; charset=utf-8', pageOf(places));
  show(`${page}/start.js`, javascript, startOf(document));
  show(`${page}/scalar.js`, javascript, readScalar);
}

const javascript = 'text/javascript; charset=utf-8';

let script: Promise<Buffer> | undefined;

function readScalar(): Promise<Buffer> {
  script ??= readFile(scalar);
  return script;
}

function pageOf({ page, title }: ReferencePlaces): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <script src="${page}/scalar.js"></script>
    <script src="${page}/start.js"></script>
  </body>
</html>
`;
}

/** Returns the script that shows a document, without anything that would call another host. */
function startOf(document: string): string {
  const settings = {
    url: document,
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
  };
  return `Scalar.createApiReference('#app', ${JSON.stringify(settings)});\n`;
}

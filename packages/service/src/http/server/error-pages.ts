import type { FastifyInstance } from 'fastify';
import { errorCodes, errorStatus } from '../../errors.js';
import { reasonNames, reasonTexts } from '../../reasons.js';
import { errorAdvice, errorTexts } from '../openapi/error-texts.js';

/** Pages by their name: one for each reason and one for each code. */
const pages = {
  reasons: new Map(
    reasonNames.map((name) => {
      const { meaning, advice, with: codes } = reasonTexts[name];
      const places = codes.map((code) => `<code>${code}</code>`).join(', ');
      return [name as string, toPage(name, { meaning, advice, more: `Comes with ${places}.` })];
    }),
  ),
  errors: new Map(
    errorCodes.map((code) => {
      const [meaning, advice] = [errorTexts[code], errorAdvice[code]];
      return [code as string, toPage(code, { meaning, advice, more: `HTTP status ${errorStatus[code]}.` })];
    }),
  ),
};

/** Serves the pages to which errors link, public. */
export function serveErrorPages(app: FastifyInstance): void {
  const route = { config: { auth: 'none' }, schema: { hide: true } } as const;
  for (const [folder, byName] of Object.entries(pages)) {
    // Two routes instead of hundreds, each of which would take time whenever the service starts.
    app.get<{ Params: { name: string } }>(
      `/${folder}/:name(^(?:${[...byName.keys()].join('|')})$)`,
      route,
      async ({ params: { name } }, reply) => reply.type('text/html; charset=utf-8').send(byName.get(name)),
    );
  }
}

interface PageText {
  meaning: string;
  advice: string;
  more: string;
}

function toPage(name: string, { meaning, advice, more }: PageText): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${name} – Karat</title></head>
<body>
<main>
<h1><code>${name}</code></h1>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(advice)}</p>
<p>${more}</p>
</main>
</body>
</html>
`;
}

/** The texts are ours, with code between back ticks and nothing that HTML would take for markup. */
function withCode(text: string): string {
  return text.replace(/`([^`]+)`/g, '<code>$1</code>');
}

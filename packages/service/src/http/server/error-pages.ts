import type { FastifyInstance } from 'fastify';
import { errorCodes, errorStatus } from '../../errors.js';
import { reasonNames, reasonTexts } from '../../reasons.js';
import { errorAdvice, errorTexts } from '../openapi/error-texts.js';

/** Serves the pages to which errors link: one for each code and one for each reason, public. */
export function serveErrorPages(app: FastifyInstance): void {
  const route = { config: { auth: 'none' }, schema: { hide: true } } as const;
  const show = (path: string, page: string) =>
    app.get(path, route, async (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
  for (const name of reasonNames) {
    const { meaning, advice, with: codes } = reasonTexts[name];
    const places = codes.map((code) => `<code>${code}</code>`).join(', ');
    show(`/reasons/${name}`, toPage(name, { meaning, advice, more: `Comes with ${places}.` }));
  }
  for (const code of errorCodes) {
    const [meaning, advice] = [errorTexts[code], errorAdvice[code]];
    show(`/errors/${code}`, toPage(code, { meaning, advice, more: `HTTP status ${errorStatus[code]}.` }));
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

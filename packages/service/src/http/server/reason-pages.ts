import type { FastifyInstance } from 'fastify';
import { type Reason, type ReasonText, reasonNames, reasonTexts } from '../../reasons.js';

/** Serves the pages to which errors link: one for each reason, public. */
export function serveReasonPages(app: FastifyInstance): void {
  const route = { config: { auth: 'none' }, schema: { hide: true } } as const;
  for (const name of reasonNames) {
    const page = toPage(name, reasonTexts[name]);
    app.get(`/reasons/${name}`, route, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(page),
    );
  }
}

function toPage(name: Reason, { meaning, advice, with: codes }: ReasonText): string {
  const places = codes.map((code) => `<code>${code}</code>`).join(', ');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${name} – Karat</title></head>
<body>
<h1><code>${name}</code></h1>
<p>${withCode(meaning)}</p>
<h2>What to do</h2>
<p>${withCode(advice)}</p>
<p>Comes with ${places}.</p>
</body>
</html>
`;
}

/** The texts are ours, with code between back ticks and nothing that HTML would take for markup. */
function withCode(text: string): string {
  return text.replace(/`([^`]+)`/g, '<code>$1</code>');
}

import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.js';
import { handleError, toErrorView, useOwnMessages } from '../../../src/http/server/errors.js';
import { toFailureView } from '../../../src/http/tradebook/envelope.js';

/**
 * Of two errors of one request the first is sent, whole and by the handler of its own surface: the time that runs
 * out while a refusal is on its way, and work that fails after its time ran out.
 */
const app = Fastify({ handlerTimeout: 100 });
const steps: (() => void)[] = [];
/** Resolves when the error around has been handled. */
const later = () => new Promise<void>((resolve) => void steps.push(resolve));

const waiting = new WeakSet<object>();
/** The first response of a request waits until the second error has come, and been sent if that is what comes of it. */
const waits = async (request: object, _reply: unknown, payload: unknown) => {
  if (!waiting.has(request)) {
    waiting.add(request);
    await later();
  }
  return payload;
};
const refused = async () => {
  throw new AppError('key_not_found', 'There is no such key.');
};
const late = async () => {
  await later();
  throw new AppError('key_not_found', 'There is no such key.');
};

beforeAll(async () => {
  app.decorate('errorViewAt', (path: string) => (path === '/outermost' ? toErrorView : toFailureView));
  useOwnMessages(app);
  app.addHook('onResponse', async () => steps.shift()?.());
  app.setErrorHandler(async (error, request, reply) => {
    handleError(error as never, request, reply);
    steps.shift()?.();
    return reply;
  });
  app.get('/outermost', { onSend: waits }, refused);
  await app.register(async (surface) => {
    surface.setErrorHandler(async (error, request, reply) => {
      handleError(error as never, request, reply);
      steps.shift()?.();
      return reply;
    });
    surface.addHook('onSend', waits);
    surface.get('/refused', refused);
    surface.get('/late', late);
  });
});
afterAll(() => app.close());

const json = 'application/json; charset=utf-8';

test.each([
  ['/refused', 404, { code: 'key_not_found', message: 'There is no such key.' }],
  ['/late', 503, { code: 'service_unavailable', message: 'This took too long; try again shortly.' }],
])('%s has the response %d in the envelope, whatever comes after', async (url, status, error) => {
  const response = await app.inject({ method: 'GET', url });
  const { 'content-type': type } = response.headers;
  const docUrl = `http://localhost:80/errors/${error.code}`;
  expect([response.statusCode, type, response.json()]).toEqual([
    status,
    json,
    { success: false, error: { ...error, docUrl } },
  ]);
});

test('the response without an error handler is not in the words of the framework', async () => {
  const response = await app.inject({ method: 'GET', url: '/outermost' });
  expect([response.statusCode, response.headers['content-type'], response.json()]).toEqual([
    503,
    json,
    {
      error: 'service_unavailable',
      message: 'This took too long; try again shortly.',
      doc_url: 'http://localhost:80/errors/service_unavailable',
    },
  ]);
});

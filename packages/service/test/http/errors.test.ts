import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/errors.js';
import { handleError, toErrorView } from '../../src/http/errors.js';
import { toFailureView } from '../../src/http/tradebook/envelope.js';

/**
 * Of two errors of one request the first is answered, whole and by the handler of its own surface: the time that runs
 * out while a refusal is on its way, and work that fails after its time ran out.
 */
const app = Fastify({ handlerTimeout: 100 });
const steps: (() => void)[] = [];
/** Resolves when the error around has been handled. */
const later = () => new Promise<void>((resolve) => void steps.push(resolve));

beforeAll(async () => {
  app.setErrorHandler(async (error, request, reply) => {
    handleError(error as never, request, reply, toErrorView);
    steps.shift()?.();
    return reply;
  });
  await app.register(async (surface) => {
    surface.setErrorHandler(async (error, request, reply) => {
      handleError(error as never, request, reply, toFailureView);
      steps.shift()?.();
      return reply;
    });
    // Its answer waits until the second error has come.
    surface.addHook('onSend', async (_request, _reply, payload) => {
      await later();
      return payload;
    });
    surface.get('/refused', async () => {
      throw new AppError('key_not_found', 'There is no such key.');
    });
    surface.get('/late', async () => {
      await later();
      throw new AppError('key_not_found', 'There is no such key.');
    });
  });
});
afterAll(() => app.close());

test.each([
  ['/refused', 404, { code: 'key_not_found', message: 'There is no such key.' }],
  ['/late', 503, { code: 'service_unavailable', message: 'This took too long; try again shortly.' }],
])('%s is answered %d in the envelope, whatever comes after', async (url, status, error) => {
  const answer = await app.inject({ method: 'GET', url });
  expect([answer.statusCode, answer.headers['content-type'], answer.json()]).toEqual([
    status,
    'application/json; charset=utf-8',
    { success: false, error },
  ]);
});

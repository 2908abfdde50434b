import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseOutage } from '../../db/outage.js';
import { AppError, unavailable } from '../../errors.js';
import { type Violation, validationError } from './validation-error.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** How errors at a path are written; undefined: all as `toErrorView` does. */
    errorViewAt: undefined | ((path: string) => ErrorView);
  }
  interface FastifyRequest {
    /** The error that it got, and the body of that. */
    failure: { error: AppError; body: Record<string, unknown> } | undefined;
  }
}

/** The body of an error response, as a surface writes it. */
export type ErrorView = (error: AppError, docsUrl: string | undefined) => Record<string, unknown>;

/**
 * Returns the body of every error response of the partner API: code, public text, the blamed field if there is one, the
 * reason, the page about either below `docsUrl`, and the error's own extras and details.
 */
export function toErrorView(error: AppError, docsUrl: string | undefined): Record<string, unknown> {
  return {
    error: error.code,
    message: error.message,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.reason && { reason: error.reason }),
    ...(docsUrl !== undefined && { doc_url: docUrlOf(error, docsUrl) }),
    ...(error.programErrorName && { program_error_name: error.programErrorName }),
    ...error.extra,
    ...(error.details && { details: error.details }),
  };
}

/** Returns the address below which the pages about errors are: where a request came to. */
export function docsUrlFor(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

/** Returns the address of the page about an error: about its reason, if it has one, else about its code. */
export function docUrlOf({ code, reason }: Pick<AppError, 'code' | 'reason'>, docsUrl: string): string {
  return reason === undefined ? `${docsUrl}/errors/${code}` : `${docsUrl}/reasons/${reason}`;
}

/** Returns the body of an error response as the surface of the requested path writes it. */
function viewOf(error: AppError, request: FastifyRequest): Record<string, unknown> {
  const toView = request.server.errorViewAt?.(request.url) ?? toErrorView;
  return toView(error, docsUrlFor(request));
}

const failed = new WeakSet<FastifyReply>();

/**
 * Responds to any error thrown on the way: an unforeseen one is a 500 whose detail stays in the log. The first error has the
 * word: while its response is being sent, the time of the request may run out, or the work that ran out of time may
 * fail after all, and the framework passes that to the error handler around the one that responded.
 */
export function handleError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const error = toAppError(thrown, request.routeOptions.bodyLimit);
  if (error.status >= 500) {
    const level = error.code === 'internal_error' ? 'error' : 'warn';
    request.log[level]({ err: thrown, code: error.code }, error.message);
  }
  const isFirst = !failed.has(reply);
  failed.add(reply);
  // The framework removes the type before it calls an error handler, also from a response that is being sent.
  if (!isFirst) return void reply.type('application/json; charset=utf-8');
  // Not by the schema of the route, which may have a response of its own for this status.
  reply.serializer(JSON.stringify);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  const body = viewOf(error, request);
  request.failure = { error, body };
  reply.code(error.status).type('application/json; charset=utf-8').send(body);
}

/** How the framework begins a response of its own; none of ours begins so. */
const frameworkWords = /^\{"statusCode":\d{3},/;

/**
 * Rewrites what the framework responds by itself: while the outermost error handler has the first of two errors
 * in hand, none of our handlers is called for the second.
 */
export function useOwnMessages(app: FastifyInstance): void {
  app.decorateRequest('failure', undefined);
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !frameworkWords.test(payload)) return payload;
    const { code, statusCode }: Partial<FastifyError> = JSON.parse(payload);
    const error = toAppError({ code, statusCode });
    reply.code(error.status).type('application/json; charset=utf-8');
    return JSON.stringify(viewOf(error, request));
  });
}

/**
 * Returns the error to respond with for anything that was thrown.
 * @param bodyLimit what the route takes, in bytes.
 */
export function toAppError(thrown: unknown, bodyLimit = 64 * 1024): AppError {
  if (thrown instanceof AppError) return thrown;
  // A query that its lane refused.
  if (thrown instanceof Error && thrown.cause instanceof AppError) return thrown.cause;
  if (isDatabaseOutage(thrown)) {
    return unavailable('The database does not respond; try again shortly.', {
      cause: thrown,
    });
  }
  const { code, validation, validationContext, statusCode } = thrown as Partial<FastifyError>;
  if (validation) return validationError(validation as Violation[], validationContext);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(
        'payload_too_large',
        `The body is larger than ${Math.floor(bodyLimit / 1024)} KiB.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'Send the body as application/json.');
    case 'FST_ERR_HANDLER_TIMEOUT':
      return unavailable('This took too long; try again shortly.');
    case 'FST_ERR_BAD_URL':
      return new AppError('invalid_request', 'The path is not validly encoded.');
    default:
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_request', 'The request is malformed.', { cause: thrown });
  }
  return new AppError('internal_error', 'Something went wrong on our side.', { cause: thrown });
}

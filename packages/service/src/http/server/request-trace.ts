import type { IncomingMessage } from 'node:http';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { requestIdOf } from './request-id.js';

const tracer = trace.getTracer('karat');

/** Requested every few seconds by probes and by Prometheus. */
const untraced = new Set(['/health', '/ready', '/metrics']);

interface RequestTrace {
  within: Context;
  /** The id of the trace, if it begins here. */
  madeId: string | undefined;
}

/** The trace that each request is a part of. */
const traces = new WeakMap<IncomingMessage, RequestTrace>();

/**
 * Begins the span of a request unless it has begun, within the trace of its `traceparent` if it has a valid one, and returns
 * the id of the request: the caller's, else that of the trace if it begins here, so that a report of an error names its trace.
 */
export function beginRequestTrace(request: IncomingMessage): string {
  return requestIdOf(request, traceOf(request)?.madeId);
}

/** Does `work` within the trace of a request. */
function inRequestTrace(request: IncomingMessage, work: () => void): void {
  context.with(traces.get(request)?.within ?? ROOT_CONTEXT, work);
}

function traceOf(request: IncomingMessage): RequestTrace | undefined {
  const known = traces.get(request);
  if (known || untraced.has(request.url?.split('?', 1)[0] ?? '')) return known;
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const method = request.method ?? '';
  const attributes = { 'http.request.method': method };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  const { traceId } = span.spanContext();
  const isNew =
    traceId !== trace.getSpanContext(parent)?.traceId && trace.isSpanContextValid(span.spanContext());
  const begun = { within: trace.setSpan(parent, span), madeId: isNew ? traceId : undefined };
  traces.set(request, begun);
  return begun;
}

/** Ends the span of a request unless it has ended. The route is its pattern: a raw path may hold anything. */
export function endRequestTrace(request: IncomingMessage, status: number, route?: string): void {
  const span = trace.getSpan(traces.get(request)?.within ?? ROOT_CONTEXT);
  if (!span?.isRecording()) return;
  if (route !== undefined) {
    span.updateName(`${request.method} ${route}`);
    span.setAttribute('http.route', route);
  }
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Does everything that a request takes within its trace. */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => inRequestTrace(raw, done));
  // A body is read from its socket, which knows of no request.
  app.addHook('preValidation', ({ raw }, _reply, done) => inRequestTrace(raw, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { raw, is404, routeOptions } = request;
    endRequestTrace(raw, reply.statusCode, is404 ? undefined : routeOptions.url);
    inRequestTrace(raw, done);
  });
}

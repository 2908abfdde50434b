import {
  type Attributes,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { outsideLanes } from '../runtime/lanes.js';

/**
 * Spans of this process. OpenTelemetry's API does nothing until `startTracing` has put its SDK behind it, so every
 * function here costs next to nothing in a process that is not traced. Attributes hold names, counts and public ids:
 * never a key, a signature, a person's data, or a value of a query.
 */
const tracer = trace.getTracer('karat');

/** The span in hand, if it is recorded. One that has ended is none: what goes on later is no part of it. */
function recordedSpan(): Span | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span : undefined;
}

/** Returns whether what happens now is recorded as a part of a trace. */
export function isRecorded(): boolean {
  return recordedSpan() !== undefined;
}

/** Adds attributes to the span in hand. */
export function annotate(attributes: Attributes): void {
  recordedSpan()?.setAttributes(attributes);
}

/** Returns the ids of the trace and the span in hand, for lines of the log. */
export function traceFacts(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** How something is shown in a trace. */
export interface SpanFacts {
  name: string;
  attributes: Attributes;
}

/** Does `work`, a call of something outside this process, as a span of the trace in hand. Without one it only does it. */
export function inClientSpan<T>(facts: () => SpanFacts, work: () => Promise<T>): Promise<T> {
  if (!recordedSpan()) return work();
  const { name, attributes } = facts();
  return inSpan(name, { kind: SpanKind.CLIENT, attributes }, work);
}

/** Does `work` as a span of the trace in hand. Without one it only does it. */
export function inChildSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return recordedSpan() ? inSpan(name, {}, work) : work();
}

/** Does `work` as a trace of its own. */
export function inOwnTrace<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return inSpan(name, { root: true, attributes }, work);
}

/** Does `work` outside of every trace and lane: a loop may be started by a request, and goes on after it. */
export function outsideRequests<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, () => outsideLanes(work));
}

interface SpanOptions {
  root?: boolean;
  kind?: SpanKind;
  attributes?: Attributes;
}

function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setAttribute('error.type', error instanceof Error ? error.constructor.name : typeof error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns the trace in hand as the header `traceparent` of W3C Trace Context, or null if none is recorded. */
export function traceparentInHand(): string | null {
  const carrier: { traceparent?: string } = {};
  if (isRecorded()) propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Adds a span that is over to the trace that `traceparent` names, from `startMs` of `performance.now` until now, with a link to the span in hand. */
export function addToTrace(
  traceparent: string,
  name: string,
  { startMs, attributes }: { startMs: number; attributes: Attributes },
): void {
  const inHand = recordedSpan();
  const links: Link[] = inHand ? [{ context: inHand.spanContext() }] : [];
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
  tracer.startSpan(name, { startTime: startMs, links, attributes }, parent).end();
}

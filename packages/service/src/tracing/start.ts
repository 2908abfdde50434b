import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import { ConfigError } from '../config.js';
import { inTime } from '../runtime/time.js';
import { version } from '../version.js';

/** What is left when the process stops is sent within this time, or lost. */
const flushWithinMs = 2_000;

export interface Tracing {
  /** Sends what is left. Never rejects, and does not wait for a collector that hangs. */
  stop(): Promise<void>;
}

/**
 * Begins to record spans and to send them to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names, in the background: when
 * it does not respond, spans wait in memory up to a limit and are then dropped. OpenTelemetry's SDK reads its other
 * variables, such as `OTEL_TRACES_SAMPLER`, from the environment itself. Throws a `ConfigError` for a protocol other than
 * `http/protobuf`.
 */
export function startTracing(log: Logger): Tracing {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = process.env;
  if (OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none') {
    return { stop: async () => {} };
  }
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    const protocol = process.env[name];
    if (protocol && protocol !== 'http/protobuf') throw new ConfigError(`${name} must be http/protobuf`);
  }
  const own = resourceFromAttributes({ 'service.name': 'karat', 'service.version': version });
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new LoggedExporter(new OTLPTraceExporter(), log))],
  });
  provider.register();
  return {
    stop: () => inTime(provider.shutdown(), flushWithinMs).catch(() => {}),
  };
}

/** Logs when spans stop to reach the collector, and when they do again: the SDK itself is silent. */
class LoggedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  #failing = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const failing = result.code !== ExportResultCode.SUCCESS;
      if (failing && !this.#failing) {
        this.#log.warn({ err: result.error }, 'spans do not reach the collector and are dropped');
      } else if (!failing && this.#failing) this.#log.info('spans reach the collector again');
      this.#failing = failing;
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

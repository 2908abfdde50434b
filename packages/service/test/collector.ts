import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';
import { eventually } from './karat-chain.js';

/** What is read of OTLP's messages; names and numbers are those of opentelemetry-proto. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Status { int32 code = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
  }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
`);
const Request = root.lookupType('ExportTraceServiceRequest');

type Attributes = Record<string, string | number | boolean>;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Attributes;
  /** Ids of the spans that it has links to. */
  links: string[];
  resource: Attributes;
}

interface RawAttribute {
  key: string;
  value: Record<string, string | number | boolean>;
}

function attributesOf(raw: RawAttribute[] = []): Attributes {
  return Object.fromEntries(raw.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));
}

/** An OpenTelemetry collector, as far as it receives traces: OTLP over HTTP, in Protocol Buffers. */
export async function startCollector() {
  const spans: ReceivedSpan[] = [];
  const paths = new Set<string>();
  let hanging = false;
  let held = 0;
  const server = createServer(async (request, response) => {
    paths.add(`${request.method} ${request.url} ${request.headers['content-type']}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (hanging) {
      held += 1;
      return;
    }
    const message = Request.toObject(Request.decode(Buffer.concat(chunks)), { longs: Number });
    for (const { resource, scopeSpans = [] } of message.resourceSpans ?? []) {
      for (const span of scopeSpans.flatMap(({ spans = [] }: { spans?: object[] }) => spans)) {
        spans.push({
          traceId: span.traceId.toString('hex'),
          spanId: span.spanId.toString('hex'),
          parentId: span.parentSpanId?.toString('hex') ?? '',
          name: span.name,
          kind: span.kind,
          attributes: attributesOf(span.attributes),
          links: (span.links ?? []).map(({ spanId }: { spanId: Buffer }) => spanId.toString('hex')),
          resource: attributesOf(resource?.attributes),
        });
      }
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    /** From now on takes what comes and never responds; returns how many requests it holds. */
    hang(): () => number {
      hanging = true;
      return () => held;
    },
    /** Waits for a span that is wanted. */
    span: (isWanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> =>
      eventually(() => {
        const found = spans.find(isWanted);
        if (!found) throw new Error(`not among ${spans.map(({ name }) => name).join(', ')}`);
        return found;
      }, 20_000),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

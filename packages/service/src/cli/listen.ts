import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type Call, CommandError, type Outcome, UsageError } from './command.js';
import { apiKeyVariable, webhookSecretVariable } from './parse.js';

/** As long as the service waits for an endpoint. */
const deliverWithinMs = 10_000;
/** The stream has at least a comment this often, see `GET /v1/events/stream`; without one the connection is lost. */
const silenceMs = 40_000;
const [firstRetryMs, longestRetryMs] = [1_000, 30_000];

/** One event as it came by the stream, or the place where the stream begins. */
interface Streamed {
  id: string;
  /** The event as JSON text: exactly this is signed and forwarded. */
  data: string | undefined;
}

/**
 * Streams the events of a partner and forwards each, signed as a webhook, one after the other. A lost connection is made
 * again and goes on where it ended. Ends only when it is stopped, or when the service refuses the key or the types.
 */
export async function listen(call: Call): Promise<Outcome> {
  const target = urlOf(call, 'forward-to');
  const stream = new URL('/v1/events/stream', urlOf(call, 'api-url'));
  const types = call.find('types');
  if (types !== undefined) stream.searchParams.set('types', types);
  const apiKey = call.terminal.env[apiKeyVariable];
  if (!apiKey)
    throw new UsageError(`${apiKeyVariable} is not set: it takes a partner's key of scope PARTNER`);
  const webhook = webhookOf(call);
  let lastId: string | undefined;
  let retryMs = firstRetryMs;
  for (;;) {
    try {
      const events = await open(stream, apiKey, lastId);
      print(`Listening at ${stream.origin}; events are forwarded to ${target.href}`);
      retryMs = firstRetryMs;
      for await (const { id, data } of events) {
        if (data !== undefined) print(await forward({ id, data }, target, webhook));
        lastId = id;
      }
      print('The stream has ended.');
    } catch (error) {
      if (error instanceof CommandError) throw error;
      print(`The stream was lost (${causeOf(error)}).`);
    }
    await pause(retryMs);
    retryMs = Math.min(longestRetryMs, 2 * retryMs);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function urlOf(call: Call, name: string): URL {
  const text = call.get(name);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${call.sourceOf(name)} must be an address that begins with http:// or https://`);
}

/** Signs by the secret that was given, or by a new one, which is printed. */
function webhookOf(call: Call): Webhook {
  const given = call.terminal.env[webhookSecretVariable] || undefined;
  const secret = given ?? `whsec_${randomBytes(24).toString('base64')}`;
  if (given === undefined) print(`Webhooks are signed with the secret ${secret}`);
  try {
    return new Webhook(secret);
  } catch {
    throw new UsageError(`${webhookSecretVariable} must be whsec_ and base64, as an endpoint's secret is`);
  }
}

/** Opens the stream behind the last event that was forwarded. Throws a `CommandError` for what trying again would not mend. */
async function open(
  stream: URL,
  apiKey: string,
  lastId: string | undefined,
): Promise<AsyncIterable<Streamed>> {
  const headers = { 'x-api-key': apiKey, ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('nothing came for too long')), silenceMs);
  const response = await fetch(stream, { headers, redirect: 'error', signal: silence.signal });
  if (response.ok && response.body) return readStream(response.body, () => timer.refresh());
  clearTimeout(timer);
  const { message = response.statusText } = (await response.json().catch(() => ({}))) as { message?: string };
  if ([400, 401, 403, 404].includes(response.status)) throw new CommandError(`${stream.origin}: ${message}`);
  throw new Error(message);
}

/** Reads server-sent events; `heard` is called for everything that comes, also for comments. */
async function* readStream(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Streamed> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    heard();
    text += decoder.decode(bytes, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => splitField(line)));
      const id = fields.get('id');
      if (id !== undefined) yield { id, data: fields.get('data') };
    }
  }
}

function splitField(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
}

/** Sends an event as a webhook; returns the line that says what came back. */
async function forward(
  { id, data }: { id: string; data: string },
  target: URL,
  webhook: Webhook,
): Promise<string> {
  const { type } = JSON.parse(data) as { type: string };
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': webhook.sign(id, at, data),
  };
  const begun = performance.now();
  const signal = AbortSignal.timeout(deliverWithinMs);
  const outcome = await fetch(target, {
    method: 'POST',
    headers,
    body: data,
    redirect: 'manual',
    signal,
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: unknown) => `failed: ${causeOf(error)}`,
  );
  const ms = Math.round(performance.now() - begun);
  return `${at.toISOString()}  ${type}  ${id}  -> ${outcome}  (${ms} ms)`;
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  if (cause instanceof Error) return ('code' in cause && String(cause.code)) || cause.message;
  return error instanceof Error ? error.message : String(error);
}

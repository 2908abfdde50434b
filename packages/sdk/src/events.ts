import { type Api, baseUrlOf, type CallOptions, init, Resource, taken } from './client.js';
import { errorOf, KaratError } from './errors.js';
import { List } from './list.js';
import { pause, redirect, type TransportOptions } from './transport.js';
import type { EventTypes, KaratEvent } from './types.js';

export interface EventQuery {
  /** Begins behind this event, an `id` of the log. */
  after?: string | undefined;
  types?: EventTypes | undefined;
  /** Only events of this object, such as a trade. */
  object_id?: string | undefined;
  /** How many events a page has, up to 100. */
  limit?: string | number | undefined;
}

/** Which events a stream has, and from where on. */
export interface StreamOptions {
  /** Begins behind this event, an `id` of the log; default: with what comes next. */
  after?: string | undefined;
  types?: EventTypes | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** After so long without a sign the connection counts as lost, milliseconds; default: 40,000. The API sends one every 15 s. */
  silenceMs?: number | undefined;
}

const [firstPauseMs, longestPauseMs] = [500, 15_000];
/** How often a stream is tried to be opened for the first time. */
const firstTries = 4;

export class Events extends Resource {
  readonly #options: TransportOptions & { apiKey: string };

  constructor(api: Api, options: TransportOptions & { apiKey: string }) {
    super(api);
    this.#options = options;
  }

  /** Lists events, oldest first. */
  list({ after, types, object_id, limit }: EventQuery = {}, options?: CallOptions): List<KaratEvent> {
    const query = {
      ...namesOf(types),
      ...(object_id && { object_id }),
      ...(limit && { limit: String(limit) }),
    };
    const read = (position: string | undefined) => {
      const params = { query: { ...query, ...(position !== undefined && { after: position }) } };
      return taken(this.api.GET('/v1/events', { params, ...init(options) }));
    };
    return new List(async function* () {
      for (let position = after; ; ) {
        const { events, has_more } = await read(position);
        yield events as unknown as KaratEvent[];
        position = events.at(-1)?.id ?? position;
        if (!has_more) return;
      }
    });
  }

  /**
   * Yields events as they happen, each once and in order, until the signal aborts or the reader stops: a connection that is
   * lost, or silent for too long, is made again behind the last event. Throws the `KaratError` of a stream that is refused:
   * without a valid key, or one too many of a key or partner.
   */
  async *stream(options: StreamOptions = {}): AsyncGenerator<KaratEvent, void, undefined> {
    const { types, signal, silenceMs = 40_000 } = options;
    let last = options.after;
    let sequence = 0;
    /** Whether the API has said where the stream begins, which is the first that it sends. */
    let begun = false;
    for (let tried = 0; !signal?.aborted; ) {
      const silence = new Silence(silenceMs, signal);
      let waitMs = Math.min(longestPauseMs, firstPauseMs * 2 ** tried);
      tried += 1;
      try {
        const response = await this.#open({ last, types }, silence.signal);
        for await (const { id, data } of messagesIn(response, () => silence.broken())) {
          if (signal?.aborted) return;
          begun ||= id !== undefined;
          if (begun) tried = 0;
          last = id ?? last;
          const event: KaratEvent | undefined = data === undefined ? undefined : JSON.parse(data);
          if (event === undefined || event.sequence <= sequence) continue;
          sequence = event.sequence;
          silence.suspend();
          yield event;
          silence.broken();
        }
        if (!begun)
          throw new KaratError('network_error', {
            message: 'The event stream ended before it sent its starting position.',
          });
      } catch (error) {
        if (signal?.aborted) return;
        const { status = 0, retryAfterMs } = error instanceof KaratError ? error : {};
        // One that was lost may still be counted among those of the key.
        const passing = status === 0 || status >= 500 || (begun && status === 429);
        if (!passing || (!begun && tried >= firstTries)) throw error;
        waitMs = retryAfterMs ?? waitMs;
      } finally {
        silence.end();
      }
      await pause(waitMs, signal).catch(() => {});
    }
  }

  async #open(
    { last, types }: { last: string | undefined; types: EventTypes | undefined },
    signal: AbortSignal,
  ): Promise<Response> {
    const { apiKey, fetch: send = fetch } = this.#options;
    const url = new URL(`${baseUrlOf(this.#options)}/v1/events/stream`);
    for (const [name, value] of Object.entries(namesOf(types))) url.searchParams.set(name, value);
    const headers = {
      accept: 'text/event-stream',
      'x-api-key': apiKey,
      ...(last !== undefined && { 'last-event-id': last }),
    };
    let response: Response;
    try {
      response = await send(new Request(url, { headers, signal, redirect }), { signal, redirect });
    } catch (cause) {
      throw new KaratError('network_error', { message: `The API at ${url.origin} did not respond.`, cause });
    }
    if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    throw errorOf(response, await response.json().catch(() => undefined));
  }
}

function namesOf(types: EventTypes | undefined): { types?: string } {
  if (types === undefined) return {};
  return { types: typeof types === 'string' ? types : types.join(',') };
}

const lastLookMs = 20;

/** Aborts after a time without a sign of life, and with another signal. */
class Silence {
  readonly #end = new AbortController();
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.#end.abort();
  /** What has arrived by then is read first: a process that was busy would otherwise take its own pause for the server's. */
  readonly #lastLook = () => {
    this.#timer = setTimeout(this.#abort, lastLookMs);
  };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    outer?.addEventListener('abort', this.#abort);
    this.broken();
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#lastLook, this.#ms);
  }

  /** While the reader is busy, nothing is read. */
  suspend(): void {
    clearTimeout(this.#timer);
  }

  /** Closes the connection, too. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
    this.#end.abort();
  }
}

/** Yields the messages of server-sent events; `heard` is called for all that comes, also for comments. */
async function* messagesIn(
  { body }: Response,
  heard: () => void,
): AsyncGenerator<{ id: string | undefined; data: string | undefined }> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  while (reader) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name: string) =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      yield { id: field('id'), data: field('data') };
    }
  }
}

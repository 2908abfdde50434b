import { Readable } from 'node:stream';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/ids.js';
import { AppError, unavailable } from '../../errors.js';
import { Batcher } from '../../runtime/batcher.js';
import { outsideRequests } from '../../tracing/spans.js';
import { endRequestTrace } from './request-trace.js';

/** A comment shows both sides that the connection lives. */
export const commentEveryMs = 15_000;
/** How often the streams of this process are renewed; they lapse after 30 s. */
const renewEveryMs = 5_000;

export interface OpenStream {
  id: Uuid;
  end: AbortController;
}

/** Where the database knows of streams, so that limits hold over all processes. */
export interface StreamRegister {
  /** Returns the streams of these that may go on. */
  renew(ids: readonly Uuid[]): Promise<Set<Uuid>>;
  close(id: Uuid): Promise<void>;
}

/** Streams of server-sent events that this process has open, whatever they show. */
export class OpenStreams {
  readonly #ctx: Pick<Context, 'log'>;
  readonly #register: StreamRegister;
  readonly #open = new Map<Uuid, OpenStream>();
  /** Those who ask at the same time share one. One under way may have read what has changed since. */
  readonly #renewals = new Batcher<void, void>({ run: () => this.#renewAll().then(() => []) });
  #closing = false;

  constructor(ctx: Pick<Context, 'log'>, register: StreamRegister) {
    this.#ctx = ctx;
    this.#register = register;
  }

  /**
   * Opens a stream that is registered already. It ends when its caller goes, when the register does not renew it any more,
   * and in order when this process stops. Throws 503 while that happens.
   * @param frames what is sent, until the signal of the stream's `end` aborts.
   */
  async open(
    reply: FastifyReply,
    id: Uuid,
    frames: (stream: OpenStream) => AsyncIterable<string>,
  ): Promise<Readable> {
    const stream = { id, end: new AbortController() };
    this.#open.set(id, stream);
    reply.raw.once('close', () => void this.forget(stream));
    // Those who went meanwhile are not reported as going.
    if (reply.raw.destroyed || this.#closing) await this.forget(stream);
    if (this.#closing) throw unavailable('The service is shutting down.');
    return Readable.from(outsideItsRequest(this.#framesOf(stream, frames)), { objectMode: false });
  }

  async *#framesOf(
    stream: OpenStream,
    frames: (stream: OpenStream) => AsyncIterable<string>,
  ): AsyncGenerator<string> {
    try {
      yield* frames(stream);
    } finally {
      await this.forget(stream);
    }
  }

  /** Ends all streams when the application closes, and renews them while it runs. */
  attach(app: FastifyInstance): void {
    const timer = setInterval(() => void this.renew(), renewEveryMs).unref();
    app.addHook('preClose', async () => {
      this.#closing = true;
      clearInterval(timer);
      for (const { end } of this.#open.values()) end.abort();
    });
  }

  /** Renews the streams of this process, and ends those that may not go on. */
  renew(): Promise<void> {
    return this.#renewals.add();
  }

  async #renewAll(): Promise<void> {
    const ids = [...this.#open.keys()];
    try {
      const good = await this.#register.renew(ids);
      for (const id of ids) if (!good.has(id)) this.#open.get(id)?.end.abort();
    } catch (err) {
      this.#ctx.log.warn({ err }, 'open streams were not renewed');
    }
  }

  async forget({ id, end }: OpenStream): Promise<void> {
    end.abort();
    if (!this.#open.delete(id)) return;
    await this.#register
      .close(id)
      .catch((err: unknown) => this.#ctx.log.warn({ err }, 'a stream was not closed and lapses by itself'));
  }
}

/** Has frames made outside the trace of the request that opened the stream, which has long ended. */
function outsideItsRequest(frames: AsyncGenerator<string>): AsyncIterable<string> {
  const iterator: AsyncIterator<string> = {
    next: () => outsideRequests(() => frames.next()),
    return: () => outsideRequests(() => frames.return(undefined)),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Returns the refusal of a stream, or of a request that waits, beyond the limit of those that are open. */
export function tooManyOpen(message: string, retryAfterSeconds = 30): AppError {
  return new AppError('rate_limited', message, { retryAfterSeconds });
}

/** Sends a stream of server-sent events as the response, whose span ends here: the stream goes on for hours. */
export function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
  // Nothing follows a stream on its connection, which would keep a process that stops waiting.
  reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' });
  reply.type('text/event-stream; charset=utf-8').send(stream as never);
  endRequestTrace(reply.request.raw, reply.statusCode, reply.request.routeOptions.url);
  return reply;
}

/** Returns what a route that streams responds with; `example` is an event as it is sent. */
export function streamResponse(example: string) {
  const frames = Type.String({
    description: 'Events and comments, each followed by an empty line.',
    examples: [example],
  });
  return { 200: { description: 'The stream', content: { 'text/event-stream': { schema: frames } } } };
}

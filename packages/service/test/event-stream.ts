import { eventually } from './karat-chain.js';

/** An open stream of events, as a partner's program sees it. */
export interface FollowedStream {
  status: number;
  headers: Headers;
  /** Events so far, each with the time at which it came. */
  events: { id: string; type: string; sequence: number; atMs: number; body: Record<string, unknown> }[];
  comments: string[];
  /** The response, if it is no stream. */
  text: string;
  /** Resolves when the stream has ended, with whether it did so in order. */
  ended: Promise<'in order' | 'broken'>;
  /** Resolves with the first events once there are so many. */
  first(count: number): Promise<FollowedStream['events']>;
  close(): void;
}

export async function followStream(
  url: string,
  headers: Record<string, string>,
  path = '/v1/events/stream',
): Promise<FollowedStream> {
  const abort = new AbortController();
  const response = await fetch(`${url}${path}`, { headers, signal: abort.signal });
  const { status } = response;
  const stream: FollowedStream = {
    status,
    headers: response.headers,
    events: [],
    comments: [],
    text: status === 200 ? '' : await response.text(),
    ended: Promise.resolve('in order'),
    async first(count) {
      await eventually(() => {
        if (stream.events.length < count)
          throw new Error(`only ${stream.events.length} of ${count} events came`);
      }, 15_000);
      return stream.events.slice(0, count);
    },
    close: () => abort.abort(),
  };
  if (status === 200 && response.body) stream.ended = read(response.body, stream);
  return stream;
}

async function read(
  body: ReadableStream<Uint8Array>,
  stream: FollowedStream,
): Promise<'in order' | 'broken'> {
  let rest = '';
  try {
    for await (const chunk of body.pipeThrough(
      new TextDecoderStream() as never,
    ) as unknown as AsyncIterable<string>) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) take(frame, stream);
    }
    return 'in order';
  } catch {
    return 'broken';
  }
}

function take(frame: string, stream: FollowedStream): void {
  if (frame.startsWith(':')) return void stream.comments.push(frame);
  const [, id = '', data = ''] = /^id: (\S+)\ndata: (.+)$/.exec(frame) ?? [];
  const body = JSON.parse(data);
  stream.events.push({ id, type: body.type, sequence: body.sequence, atMs: performance.now(), body });
}

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

/** An open stream of changes, as the console of operators sees it. */
export interface FollowedChanges {
  status: number;
  headers: Headers;
  /** Kind and id of each change so far. */
  changes: string[];
  /** Names of all fields that came. */
  keys: Set<string>;
  /** The response, if it is no stream. */
  text: string;
  /** Resolves when the stream has ended, with whether it did so in order. */
  ended: Promise<'in order' | 'broken'>;
  /** Resolves once that change has come. */
  until(change: string | RegExp): Promise<void>;
  close(): void;
}

export async function followChanges(
  url: string,
  headers: Record<string, string>,
  path: string,
): Promise<FollowedChanges> {
  const abort = new AbortController();
  const response = await fetch(`${url}${path}`, { headers, signal: abort.signal });
  const { status } = response;
  const stream: FollowedChanges = {
    status,
    headers: response.headers,
    changes: [],
    keys: new Set(),
    text: status === 200 ? '' : await response.text(),
    ended: Promise.resolve('in order'),
    until: (change) =>
      eventually(() => {
        const there = stream.changes.some((one) =>
          typeof change === 'string' ? one === change : change.test(one),
        );
        if (!there) throw new Error(`${change} did not come: ${stream.changes.join()}`);
      }, 5_000),
    close: () => abort.abort(),
  };
  const takeChange = (frame: string) => {
    if (frame.startsWith(':')) return;
    for (const line of frame.split('\n')) {
      const change = JSON.parse(line.slice('data: '.length));
      for (const key of Object.keys(change)) stream.keys.add(key);
      stream.changes.push(`${change.object_type} ${change.object_id}`);
    }
  };
  if (status === 200 && response.body) stream.ended = readFrames(response.body, takeChange);
  return stream;
}

const read = (body: ReadableStream<Uint8Array>, stream: FollowedStream) =>
  readFrames(body, (frame) => take(frame, stream));

async function readFrames(
  body: ReadableStream<Uint8Array>,
  takeFrame: (frame: string) => void,
): Promise<'in order' | 'broken'> {
  let rest = '';
  try {
    for await (const chunk of body.pipeThrough(
      new TextDecoderStream() as never,
    ) as unknown as AsyncIterable<string>) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) takeFrame(frame);
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

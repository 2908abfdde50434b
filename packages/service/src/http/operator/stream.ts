import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import {
  closeOperatorStream,
  openOperatorStream,
  renewOpenOperatorStreams,
  streamsOfAnOperator,
} from '../../actions/operators/open-operator-stream.js';
import type { Context } from '../../context.js';
import type { ChangeName } from '../../events/change-feed.js';
import { pause } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';
import { tagRoutes } from '../openapi/conventions.js';
import {
  commentEveryMs,
  type OpenStream,
  OpenStreams,
  sendStream,
  streamResponse,
  tooManyOpen,
} from '../server/open-streams.js';
import { route } from '../server/route.js';
import { read } from './shapes.js';

const redemptionId = 'red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

const streamRoute = route(read, {
  operationId: 'streamChanges',
  summary: 'Stream what changes',
  description: `Server-sent events, each as soon as a change is committed: \`data\` has the \`object_type\` and the \`object_id\` of what has changed, and nothing else; read the object again. The types are those of the audit log and of the events of partners, such as \`redemption\`, \`bar\`, \`trade\`, \`approval\`, \`user\` or \`partner\`, and \`dead_letter\` and \`audit\`. \`anything\`, with \`object_id\` null, is sent first and whenever changes may have been missed: read everything again. A comment follows every 15 s. An operator may have ${streamsOfAnOperator} streams open at once; a further one is 429. A stream ends with its session or token, and does not count as a use of the session.`,
  response: streamResponse(`data: {"object_type":"redemption","object_id":"${redemptionId}"}\n\n`),
});

/** A reader who is so many changes behind gets `anything` instead. */
const maxWaiting = 1_000;
/** From one frame to the next, however quickly changes come: each has its reader read again. */
const framesApartMs = 100;

/** The streams of changes that this process has open. */
class ChangeStreams {
  readonly #ctx: Context;
  readonly #streams: OpenStreams;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#streams = new OpenStreams(ctx, {
      renew: (ids) => renewOpenOperatorStreams(ctx, ids),
      close: (id) => closeOperatorStream(ctx, id),
    });
  }

  open = (...[reply, id]: [Parameters<OpenStreams['open']>[0], Parameters<OpenStreams['open']>[1]]) =>
    this.#streams.open(reply, id, (stream) => this.#frames(stream));

  attach(app: FastifyInstance): void {
    this.#streams.attach(app);
  }

  async *#frames({ end: { signal } }: OpenStream): AsyncGenerator<string> {
    const woken = new Wake();
    let waiting = new Set<ChangeName>();
    let anything = true;
    const stop = this.#ctx.feed.follow('changes', (changes) => {
      if (changes === 'anything') anything = true;
      else for (const change of changes) waiting.add(change);
      if (waiting.size > maxWaiting) anything = true;
      if (anything) waiting.clear();
      woken.wake();
    });
    try {
      while (!signal.aborted) {
        const frames = anything ? [frameOf('anything', null)] : [...waiting].map(frameOfChange);
        const mayEnd = anything || [...waiting].some(mayEndStreams);
        anything = false;
        waiting = new Set();
        if (mayEnd) await this.#streams.renew();
        if (signal.aborted) return;
        if (frames.length > 0) yield frames.join('');
        await pause(framesApartMs, signal);
        if (!(await woken.sleep(commentEveryMs, signal)) && !signal.aborted) yield ': still here\n\n';
      }
    } finally {
      stop();
    }
  }
}

function frameOfChange(change: ChangeName): string {
  const at = change.indexOf(' ');
  return frameOf(change.slice(0, at), change.slice(at + 1));
}

function frameOf(objectType: string, objectId: string | null): string {
  return `data: ${JSON.stringify({ object_type: objectType, object_id: objectId })}\n\n`;
}

/** Whether a change may be the end of somebody's access. */
function mayEndStreams(change: ChangeName): boolean {
  return change.startsWith('operator');
}

/** Route by which open pages follow what changes. */
export function streamRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Overview');
    const streams = new ChangeStreams(ctx);
    streams.attach(app);

    app.get('/stream', { ...streamRoute, exposeHeadRoute: false }, async (request, reply) => {
      const { personId: operatorId } = request.operator;
      const id = await openOperatorStream(ctx, { operatorId, ...request.operatorCredential });
      if (id === undefined) {
        const message = `An operator may have ${streamsOfAnOperator} streams open at once; close one first.`;
        throw tooManyOpen(message);
      }
      return sendStream(reply, await streams.open(reply, id));
    });
  };
}

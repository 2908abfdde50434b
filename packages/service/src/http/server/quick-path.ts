import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves some requests past the framework. */
export interface QuickPath {
  /**
   * Takes a request if it may be one that it serves, and returns whether it has. One that turns out to be another, after its body
   * was read, goes to `handle` of the framework, which then finds the body where the routes look for it.
   */
  take(request: IncomingMessage, response: ServerResponse, handle: Handle): boolean;
}

/** When requests came that the framework got later, by the monotonic clock. */
const arrivals = new WeakMap<IncomingMessage, number>();

/** Notes when a request came, before it goes to the framework. */
export function noteArrival(request: IncomingMessage, atMs: number): void {
  arrivals.set(request, atMs);
}

/** Returns how long a response took, in milliseconds. */
export function elapsedMsOf({ request, elapsedTime }: FastifyReply): number {
  const arrivedMs = arrivals.get(request.raw);
  return arrivedMs === undefined ? elapsedTime : performance.now() - arrivedMs;
}

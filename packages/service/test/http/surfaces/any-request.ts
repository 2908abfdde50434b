import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { responseOf } from '../../harness.js';
import { anyRequest, type Known } from './arbitrary-request.js';
import type { Surface, SurfaceOperation } from './surfaces.js';

/** The application that requests are sent to, and what they are made of. */
export interface Target {
  app: FastifyInstance;
  known: Known;
  /** The key or token of a caller who may use an operation. */
  secretFor(operationId: string): string;
  /** Runs before each batch. */
  prepare?(): void;
  stop(): Promise<void>;
}

export interface AnyRequestOptions {
  /** Requests to each route: as many as it takes for chance to find good ones, but no fewer than the first number and no more than the second. */
  requests: readonly [least: number, most: number];
  /** How many of them are sent at once. */
  atOnce(operationId: string): number;
  start(): Promise<Target>;
  /** Operations that are 503 as well because they ask a node that is not there. */
  mayBeUnavailable?: RegExp;
  /** Operations that chance sends no good request to: they need a signature, or a thing that is there once. */
  hardToPlease: RegExp;
  /** Operations that need no caller to be known, and refuse nearly everyone. */
  refusesMost?: RegExp;
}

/** Statuses of requests that were refused before their contents were looked at. */
const atTheDoor = [401, 413, 415, 429];

/** Sends requests of every kind to every route of a surface: none may get 500 or more, all in JSON of the surface's form. */
export function describeAnyRequest(surface: Surface, options: AnyRequestOptions): void {
  const { requests, hardToPlease, mayBeUnavailable, refusesMost } = options;
  let target: Target;
  beforeAll(async () => {
    target = await options.start();
  });
  afterAll(() => target?.stop());

  /** Sends requests until enough of them have got far enough. */
  async function statusesOf(route: SurfaceOperation, id: string): Promise<number[]> {
    const { app, known } = target;
    const caller = { secret: target.secretFor(id), credentials: surface.credentials };
    const statuses: number[] = [];
    const atOnce = options.atOnce(id);
    const batch = fc.array(anyRequest(route, known, caller), { minLength: atOnce, maxLength: atOnce });
    const property = fc.asyncProperty(batch, async (all) => {
      target.prepare?.();
      const responses = await Promise.all(all.map((one) => app.inject(one)));
      // Requests that wait for nothing leave no turn to the readers of the chain, who then take the node for silent.
      await new Promise(setImmediate);
      for (const [at, response] of responses.entries()) {
        const shown = `${JSON.stringify(all[at])} got ${response.statusCode}: ${response.body}`;
        const { statusCode: status } = response;
        const unavailable = status === 503 && mayBeUnavailable?.test(id);
        if (status >= 500 && !unavailable) throw new Error(shown);
        statuses.push(status);
        const type = String(response.headers['content-type']);
        // A table or a paper is returned where it is requested, and its errors are JSON.
        const [, format] = /[?&]format=(csv|pdf)(&|$)/.exec(String(all[at]?.url)) ?? [];
        if (status === 200 && format !== undefined && new RegExp(`^\\w+/${format}`).test(type)) continue;
        if (!/^application\/json/.test(type)) throw new Error(shown);
        surface.refusalOf(responseOf(response));
      }
    });
    const most = requests[1];
    // Once a night it is as many as a route may need.
    const least = process.env.KARAT_THOROUGH ? most : requests[0];
    while (statuses.length < most) {
      await fc.assert(property, { numRuns: least / atOnce, endOnFailure: true });
      if (isPleased(id, statuses)) break;
    }
    return statuses;
  }

  /** Requests that are all refused at the door would prove nothing; of some routes chance has a third refused there. */
  const isPastTheDoor = (id: string, statuses: number[]) =>
    refusesMost?.test(id) ||
    statuses.filter((status) => !atTheDoor.includes(status)).length > statuses.length / 4;
  const hasGood = (id: string, statuses: number[]) =>
    hardToPlease.test(id) || statuses.filter((status) => status < 300).length > 10;
  const isPleased = (id: string, statuses: number[]) => isPastTheDoor(id, statuses) && hasGood(id, statuses);

  describe(`${requests[0]} to ${requests[1]} requests of every kind to each route: no response is 500 or more, and all are JSON`, () => {
    // So many requests may take a busy machine a while.
    // A stream does not end.
    const ending = surface.operations.filter(({ operation }) => !/^stream/.test(operation.operationId ?? ''));
    test.each(ending)('$method $path', { timeout: 120_000 }, async (route) => {
      const id = route.operation.operationId ?? '';
      const statuses = await statusesOf(route, id);
      expect(isPastTheDoor(id, statuses), `most are refused at the door: ${statuses}`).toBe(true);
      expect(hasGood(id, statuses), `too few are good: ${statuses}`).toBe(true);
    });
  });
}

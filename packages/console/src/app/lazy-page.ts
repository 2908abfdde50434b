import type { AnyRouter, lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement } from 'react';

/** The code of a page did not arrive: the service is away, or has another version by now. */
export class MissingCode extends Error {
  constructor(page: string, options?: ErrorOptions) {
    super(`The code of the page ${page} did not arrive.`, options);
  }
}

/**
 * A page whose code is loaded when it is opened or prefetched. One that fails shows the page of the router for errors;
 * the router's own lazy components reload the whole address then, which ends in the error page of the browser.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): ReturnType<typeof lazyRouteComponent> {
  let page: ComponentType | undefined;
  const preload = async () => {
    try {
      page ??= (await load())[name];
    } catch (cause) {
      throw new MissingCode(name, { cause });
    }
  };
  const Page = () => {
    if (!page) throw new MissingCode(name);
    return createElement(page);
  };
  return Object.assign(Page, { preload });
}

/** After the first page, which needs the network for itself. */
const prefetchAfterMs = 2_000;
const retryAfterMs = 10_000;
const attempts = 6;

/** Loads the code of all pages and of `others`, so that none is missing when the service is away. */
export async function prefetch(
  router: AnyRouter,
  others: readonly (() => Promise<unknown>)[],
): Promise<void> {
  await pause(prefetchAfterMs);
  const routes = Object.values(
    router.routesById as Record<string, Parameters<AnyRouter['loadRouteChunk']>[0]>,
  );
  const loads = [...routes.map((route) => async () => router.loadRouteChunk(route)), ...others];
  for (const load of loads) {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const done = await load().then(
        () => true,
        () => false,
      );
      if (done) break;
      await pause(retryAfterMs);
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

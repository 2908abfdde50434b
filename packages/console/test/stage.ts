import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Browser, type BrowserContext, chromium as driver, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import type { Config } from '../../service/src/config.js';
import type { Context } from '../../service/src/context.js';
import { buildApp } from '../../service/src/http/app.js';
import { buildOperatorApp } from '../../service/src/http/operator/app.js';
import { type Operating, startOperating } from '../../service/test/operating.js';
import type { GivenOperator } from '../../service/test/operators.js';

export { expectAccessible } from '../../service/test/accessible.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to launch the browser that is unpacked before any test. */
    browser: { executablePath?: string; channel?: string; env?: Record<string, string> };
    /** Where the console (`dist`) and the portal (`dist-portal`) are, built from the sources as they are now. */
    consoleFolder: string;
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** The operator port with the console, without refusals for being slow: browser and service share a busy machine. */
export const buildConsole = (ctx: Context): Promise<FastifyInstance> =>
  buildOperatorApp(ctx, {
    console: join(inject('consoleFolder'), 'dist'),
    maxTurnMs: 0,
    respondWithinMs: 60_000,
  });

/** The port of partners with the portal, likewise. */
export const buildPortal = (ctx: Context): Promise<FastifyInstance> =>
  buildApp(ctx, {
    portal: join(inject('consoleFolder'), 'dist-portal'),
    maxTurnMs: 0,
    respondWithinMs: 60_000,
  });

/** The whole service over a chain, its operator port with the console, and a browser. Two operators approve. */
async function openStage(config: Partial<Config> = {}) {
  const o: Operating = await startOperating({ approvals: 2, webhooksAllowLocal: true, ...config });
  const app: FastifyInstance = await buildConsole(o.h.ctx);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  // Passkeys belong to a name.
  const url = address.replace('127.0.0.1', 'localhost');
  const portalApp: FastifyInstance = await buildPortal(o.h.ctx);
  const portalAddress = await portalApp.listen({ host: '127.0.0.1', port: 0 });
  const portalUrl = portalAddress.replace('127.0.0.1', 'localhost');
  const browser: Browser = await driver.launch(inject('browser'));
  const complaints: string[] = [];

  /** A window of its own, with its own cookies. What the page or its policy complains of is collected. */
  async function open(options: Parameters<Browser['newContext']>[0] = {}, at = url): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    // The limit of the test is the only one.
    page.setDefaultTimeout(0);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      const refused = /status of 4\d\d/.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !refused) complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(at) && !/^(data|blob):/.test(request.url()))
        complaints.push(`another host was called: ${request.url()}`);
    });
    return page;
  }

  return {
    ...o,
    app,
    url,
    portalApp,
    portalUrl,
    open,
    /** A window in which an operator has signed in: without the form, which a page of its own would have to show first. */
    async signedIn({ email, password }: GivenOperator, path = '/', options = {}, at = url): Promise<Page> {
      const page = await open(options, at);
      const data = { email, password };
      const response = await page.context().request.post(`${at}/operator/v1/session`, { data });
      if (response.status() !== 200) throw new Error(`${email} is not signed in: ${await response.text()}`);
      await page.goto(at + path);
      return page;
    },
    /** What pages complained of since the last look: errors, refusals by their policy, calls of other hosts. */
    takeComplaints: () => complaints.splice(0),
    windows: () => browser.contexts(),
    async close() {
      await browser.close();
      await app.close();
      await portalApp.close();
      await o.stop();
    },
  };
}

/**
 * Opens a stage for the tests of a file, and closes it after them. The windows of a test are closed behind it: each reads
 * again what it shows at every change that later tests make. Those that a `beforeAll` opens stay. All windows are closed shortly
 * before a test is out of time, which fails what waits for something in one, so that the test fails with the step that hangs.
 */
export function useStage(take: (stage: Stage) => void, config: Partial<Config> = {}): void {
  let stage: Stage | undefined;
  let timer: NodeJS.Timeout | undefined;
  let staying: BrowserContext[] = [];
  const closeWindows = (windows: BrowserContext[]) => Promise.all(windows.map((window) => window.close()));
  beforeAll(async () => {
    stage = await openStage(config);
    take(stage);
  }, 120_000);
  beforeEach(({ task }) => {
    // Also here: where another hook fails, what comes after each test does not.
    clearTimeout(timer);
    timer = setTimeout(() => closeWindows(stage?.windows() ?? []).catch(() => {}), task.timeout - 2_000);
    staying = stage?.windows() ?? [];
  });
  afterEach(() => {
    // A `beforeAll` may follow, whose time is its own.
    clearTimeout(timer);
    return closeWindows((stage?.windows() ?? []).filter((window) => !staying.includes(window)));
  });
  afterAll(async () => {
    clearTimeout(timer);
    await stage?.close();
  });
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Waits until a page has its heading. */
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The dialog that is open, or the one of a title. */
export const dialog = (page: Page, name?: string) =>
  page.getByRole('dialog', name === undefined ? {} : { name });

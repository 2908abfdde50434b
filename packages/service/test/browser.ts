import { type Browser, type LaunchOptions, chromium as playwright } from 'playwright-core';

/** How the browser of the tests is launched, which is unpacked before any of them. */
export type OwnBrowser = Pick<LaunchOptions, 'executablePath' | 'channel' | 'env'>;

declare module 'vitest' {
  interface ProvidedContext {
    browser: OwnBrowser;
  }
}

export function launchBrowser(own: OwnBrowser): Promise<Browser> {
  return playwright.launch(own);
}

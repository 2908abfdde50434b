import type { OwnBrowser } from '../packages/service/test/browser.js';

/** Returns how the browser is launched. Elsewhere than on Linux x64 an installed Chrome is used. */
export function browserOptions(): OwnBrowser;

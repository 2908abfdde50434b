/** The nonce by which this page's policy admits style elements. */
export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Where the library that locks scrolling behind dialogs looks for it. */
Object.assign(globalThis, { __webpack_nonce__: nonce });

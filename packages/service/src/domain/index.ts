export * from './ids.js';
export * from './memo.js';
export * from './money.js';
export * from './principal.js';
export * from './quote.js';

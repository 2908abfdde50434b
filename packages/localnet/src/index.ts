export type { AccountChange, AccountState } from './account.js';
export { readAccountJson } from './clone.js';
export { RpcError } from './errors.js';
export { Localnet, type LocalnetOptions } from './localnet.js';
export type { ProgramToAdd } from './programs.js';

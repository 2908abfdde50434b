export { type Keeper, type KeeperStatus, startKeeper } from './keeper.js';
export type { KeeperTuning } from './tuning.js';

export { type Keeper, startKeeper } from './keeper.js';

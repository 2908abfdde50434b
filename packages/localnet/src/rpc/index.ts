import { accountMethods } from './accounts.js';
import { blockhashMethods } from './blockhash.js';
import { blockMethods } from './blocks.js';
import { cheatMethods } from './cheats.js';
import { clusterMethods } from './cluster.js';
import type { Methods } from './context.js';
import { inflationMethods } from './inflation.js';
import { leaderMethods } from './leaders.js';
import { productionMethods } from './production.js';
import { sendMethods } from './send.js';
import { simulateMethods } from './simulate.js';
import { tokenMethods } from './tokens.js';
import { transactionMethods } from './transactions.js';

/** Every method of a node that is implemented here; any other is -32601. */
export const nodeMethods: Methods = {
  ...accountMethods,
  ...blockMethods,
  ...blockhashMethods,
  ...clusterMethods,
  ...inflationMethods,
  ...leaderMethods,
  ...productionMethods,
  ...sendMethods,
  ...simulateMethods,
  ...tokenMethods,
  ...transactionMethods,
};

export { cheatMethods };

import { API_VERSION, type Methods } from './context.js';

/** Feature set of the Agave version that is named; clients only print it. */
const FEATURE_SET = 3_604_001_754;

export const clusterMethods: Methods = {
  getGenesisHash: ({ chain }) => chain.genesisHash,
  getHealth: () => 'ok',
  getIdentity: ({ chain }) => ({ identity: chain.identity.address }),
  getVersion: () => ({ 'feature-set': FEATURE_SET, 'solana-core': API_VERSION }),
};

import type { KaratChain } from '../../packages/service/test/karat-chain.js';
import { kycKeyFile } from '../../packages/service/test/kyc-key.js';

/** Settings that the service has in both forms of the torture, as an environment. */
export const settingsOf = (chain: KaratChain, databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  KARAT_NETWORK: 'localnet',
  KARAT_RPC_URL: chain.node.rpcUrl,
  KARAT_WS_URL: chain.node.wsUrl,
  KARAT_PROGRAM_ID: chain.config.programId,
  KARAT_SERVICE_SIGNER: chain.config.serviceSignerUrl,
  KARAT_OPERATIONS_SIGNER: chain.keyFile(chain.operations),
  KARAT_MARKET_HOURS: 'always',
  KARAT_SECOND_FACTOR: 'optional',
  KARAT_PICKUP_SECRET: 'p'.repeat(32),
  KARAT_KYC_KEY: kycKeyFile(),
  KARAT_KEY_RATE_LIMIT: '1000000',
});

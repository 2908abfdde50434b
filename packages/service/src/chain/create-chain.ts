import { type Address, isAddress } from '@solana/kit';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import { type Config, ConfigError } from '../config.js';
import { PollingBlockhashKeeper } from './blockhash.js';
import { KitOrderBuilder } from './build-order.js';
import { TemplateRedemptionBuilder } from './build-redemption.js';
import { TemplateTradeBuilder } from './build-trade.js';
import type { Chain } from './chain.js';
import { Freshness } from './freshness.js';
import { connectNodes } from './nodes.js';
import { connectNotifications } from './notifications.js';
import { CachedPriceReader } from './price.js';
import { CachedProgramReader } from './program.js';
import { NodeSender } from './send-transaction.js';
import { PollingSignatureWatch } from './signature-watch.js';
import { loadSigner } from './signer.js';
import { NodeSubmissions } from './submissions.js';
import { RememberingTokenAccountReader } from './token-accounts.js';
import { NodeVaultReader } from './vault.js';

/**
 * The chain that the configuration names. Nothing is sent before `start`. Throws a `ConfigError` for a program id that
 * is no address and an error for an unusable key file.
 */
export function createChain(input: { config: Config; clock: Clock; log: Logger }): Chain {
  const { config, clock, log } = input;
  const programAddress = programAddressOf(config);
  const signer = loadSigner(config.serviceKeypair);
  const keyOf = (path: string | undefined) => (path === undefined ? undefined : loadSigner(path));
  const { rpc, transport, witnesses, health } = connectNodes(config.rpcUrls);
  const notifications = connectNotifications(config.wsUrls);
  const node = new Freshness();
  const program = new CachedProgramReader({ rpc, notifications, programAddress, node });
  const price = new CachedPriceReader({ rpc, notifications, source: program, clock, node });
  const blockhash = new PollingBlockhashKeeper({ rpc, clock, node });
  const sender = new NodeSender(transport);
  const computeUnitPrice = BigInt(config.priorityFeeCapMicroLamports);
  return {
    rpc,
    witnesses,
    nodeHealth: health,
    programAddress,
    signer,
    otherSigner: keyOf(config.otherServiceKeypair),
    admin: keyOf(config.adminKeypair),
    guardian: keyOf(config.guardianKeypair),
    program,
    price,
    blockhash,
    tokenAccounts: new RememberingTokenAccountReader(rpc),
    trades: new TemplateTradeBuilder({ programAddress, signer, computeUnitPrice }),
    redemptions: new TemplateRedemptionBuilder({ signer, computeUnitPrice }),
    orders: new KitOrderBuilder({ programAddress, computeUnitPrice }),
    vaults: new NodeVaultReader(rpc),
    sender,
    submissions: new NodeSubmissions({ rpc, sender, watch: new PollingSignatureWatch(rpc) }),
    signerFault() {
      const known = program.lastConfig();
      if (!known || known.serviceSigners.includes(signer.address)) return undefined;
      return `The key of this process, ${signer.address}, is no service signer of the program.`;
    },
    async start() {
      // The price account is named in the program's configuration, so that has to be there first.
      await Promise.all([program.start(log).then(() => price.start(log)), blockhash.start(log)]);
    },
    async stop() {
      await Promise.all([program.stop(), price.stop(), blockhash.stop()]);
    },
  };
}

function programAddressOf(config: Config): Address {
  if (isAddress(config.programId)) return config.programId;
  throw new ConfigError('KARAT_PROGRAM_ID is not an address');
}

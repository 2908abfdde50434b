import { type Address, isAddress } from '@solana/kit';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import { type Config, ConfigError } from '../config.js';
import { unavailable } from '../errors.js';
import { Demand } from '../runtime/demand.js';
import { Freshness } from '../runtime/freshness.js';
import { TemplateTradeBuilder } from './build/build-trade.js';
import { KeyFileError, loadSigner, type Signer } from './build/signer.js';
import type { Chain } from './chain.js';
import { PollingBlockhashKeeper } from './node/blockhash.js';
import type { RecordedChain } from './node/genesis.js';
import { connectNodes } from './node/nodes.js';
import { connectNotifications } from './node/notifications.js';
import { NodeSender } from './node/send-transaction.js';
import { PollingSignatureWatch } from './node/signature-watch.js';
import { NodeSubmissions } from './node/submissions.js';
import { CachedPriceReader } from './program/price.js';
import { type AccountTaker, CachedProgramReader } from './program/program.js';

/**
 * The chain that the configuration names. Nothing is sent before `start`. Throws a `ConfigError` for a program id that
 * is no address and for a key file that cannot be used.
 */
export function createChain(input: {
  config: Omit<Config, 'databaseUrl'>;
  clock: Clock;
  log: Logger;
  /** The chain that the nodes have to be of; undefined: any. */
  recorded?: RecordedChain;
}): Chain {
  const { config, clock, log, recorded } = input;
  const programAddress = programAddressOf(config);
  const key = keyOf('KARAT_SERVICE_KEYPAIR', config.serviceKeypair);
  const signer = () => key ?? missingSigner();
  const { rpc, transport, witnesses, health, fault } = connectNodes(config.rpcUrls, { recorded });
  const notifications = connectNotifications(config.wsUrls);
  const node = new Freshness(fault);
  const demand = new Demand();
  const program = new CachedProgramReader({ rpc, notifications, programAddress, node, demand });
  const price = new CachedPriceReader({ rpc, notifications, source: program, clock, node, demand });
  const blockhash = new PollingBlockhashKeeper({ rpc, clock, node, demand });
  const sender = new NodeSender(transport);
  const computeUnitPrice = BigInt(config.priorityFeeCapMicroLamports);
  let started: ReturnType<Chain['readers']> = [];
  let trades: TemplateTradeBuilder | undefined;
  return {
    rpc,
    witnesses,
    nodeHealth: health,
    programAddress,
    hasSigner: key !== undefined,
    get signer() {
      return signer();
    },
    otherSigner: keyOf('KARAT_OTHER_SERVICE_KEYPAIR', config.otherServiceKeypair),
    admin: keyOf('KARAT_ADMIN_KEYPAIR', config.adminKeypair),
    operations: keyOf('KARAT_OPERATIONS_KEYPAIR', config.operationsKeypair),
    guardian: keyOf('KARAT_GUARDIAN_KEYPAIR', config.guardianKeypair),
    market: keyOf('KARAT_MARKET_KEYPAIR', config.marketKeypair),
    program,
    price,
    blockhash,
    get trades() {
      trades ??= new TemplateTradeBuilder({ programAddress, signer: signer(), computeUnitPrice });
      return trades;
    },
    computeUnitPrice,
    sender,
    submissions: new NodeSubmissions({ rpc, sender, watch: new PollingSignatureWatch(rpc) }),
    signerFault() {
      const known = program.lastConfig();
      if (!known || !key || known.serviceSigners.includes(key.address)) return undefined;
      return `The key of this process, ${key.address}, is not a service signer of the program.`;
    },
    readers: () => started,
    async start() {
      // Who signs no quotes needs neither price nor blockhash, which costs requests to the node.
      const quoting = key !== undefined;
      started = quoting ? ['program', 'blockhash', 'price'] : ['program'];
      const accept: AccountTaker = (...account) => price.accept(...account);
      // The price account is named in the program's configuration, so that has to be there first.
      const accounts = program
        .start(log, quoting, accept)
        .then(() => (quoting ? price.start(log) : undefined));
      await Promise.all([accounts, quoting ? blockhash.start(log) : undefined]);
    },
    async stop() {
      await Promise.all([program.stop(), price.stop(), blockhash.stop()]);
    },
  };
}

function keyOf(variable: string, path: string | undefined): Signer | undefined {
  try {
    return path === undefined ? undefined : loadSigner(path);
  } catch (error) {
    if (error instanceof KeyFileError)
      throw new ConfigError(`${variable} names ${path}, which ${error.message}`);
    throw error;
  }
}

function missingSigner(): never {
  throw unavailable('This process does not hold the key of a service signer.');
}

function programAddressOf(config: Pick<Config, 'programId'>): Address {
  if (isAddress(config.programId)) return config.programId;
  throw new ConfigError('KARAT_PROGRAM_ID is not an address');
}

import type { OnRefused } from '@karat/signer';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import { type Config, ConfigError } from '../config.js';
import { unavailable } from '../errors.js';
import { Demand } from '../runtime/demand.js';
import { Freshness } from '../runtime/freshness.js';
import { TemplateTradeBuilder } from './build/build-trade.js';

import type { Chain } from './chain.js';
import { RecentBlockhashes } from './node/blockhash.js';
import { CallerBudget } from './node/caller-budget.js';
import { OtherChainError, type RecordedChain } from './node/genesis.js';
import { connectNodes } from './node/nodes.js';
import { connectNotifications } from './node/notifications.js';
import { NodeSender } from './node/send-transaction.js';
import { PollingSignatureWatch } from './node/signature-watch.js';
import { NodeSubmissions } from './node/submissions.js';
import { AccountReader } from './program/account-reader.js';
import { ChainClock } from './program/chain-clock.js';
import { PriceGate } from './program/price.js';
import { closeKeys, openGuardedKeys, programAddressOf } from './sign/keys.js';
import { SignerWatch } from './sign/watch-signer.js';

/**
 * The chain that the configuration names. Nothing is sent before `start`. Throws a `ConfigError` for a program id that
 * is no address and for a key that cannot be used.
 */
export async function createChain(input: {
  config: Omit<Config, 'databaseUrl'>;
  clock: Clock;
  log: Logger;
  /** The chain that the nodes have to be of; undefined: any. */
  recorded?: RecordedChain;
  /** Called with every signature that the policy refuses. Default: it is logged. */
  onRefused?: OnRefused;
  /** Called when nodes contradict each other, once it is logged. */
  onDisagreement?: () => void;
}): Promise<Chain> {
  const { config, clock, log, recorded } = input;
  const onRefused = input.onRefused ?? ((refused) => log.error({ refused }, 'a signature was refused'));
  const programAddress = programAddressOf(config);
  const keys = await openGuardedKeys(config, clock, onRefused);
  const key = keys.service;
  const signer = () => key ?? missingSigner();
  const signerWatch =
    key && config.serviceSignerUrl
      ? new SignerWatch(config.serviceSignerUrl, 'service', key.address)
      : undefined;
  const nodes = connectNodes(config.rpcUrls, { recorded, network: config.network });
  const { rpc, transport, witnesses, health, fault } = nodes;
  const { look, trade } = nodes.callers;
  const notifications = connectNotifications(config.wsUrls);
  const callBudget = new CallerBudget(config.callerRpcRateLimitPerSecond);
  const node = new Freshness(fault);
  const demand = new Demand();
  const chainClock = new ChainClock(clock);
  const parts = { clock, node, demand, chainClock };
  const blockhash = new RecentBlockhashes(parts);
  const program = new AccountReader({
    ...parts,
    rpc,
    notifications,
    programAddress,
    blockhashes: blockhash,
  });
  const price = new PriceGate({ ...parts, source: program });
  const sender = new NodeSender(transport, programAddress);
  const callersSender = new NodeSender(trade.transport, programAddress);
  const computeUnitPrice = BigInt(config.priorityFeeCapMicroLamports);
  let started: ReturnType<Chain['readers']> = [];
  let trades: TemplateTradeBuilder | undefined;
  return {
    rpc,
    transport,
    callers: { look: look.rpc, trade: trade.rpc, sender: callersSender },
    notifications,
    witnesses,
    noteDisagreement(disagreement) {
      log.error(disagreement, 'the Solana nodes contradict each other');
      input.onDisagreement?.();
    },
    callBudget,
    nodeHealth: health,
    programAddress,
    hasSigner: key !== undefined,
    get signer() {
      return signer();
    },
    otherSigner: keys.otherService,
    admin: keys.admin,
    operations: keys.operations,
    guardian: keys.guardian,
    market: keys.market,
    program,
    price,
    blockhash,
    get trades() {
      trades ??= new TemplateTradeBuilder({ programAddress, signer: signer(), computeUnitPrice });
      return trades;
    },
    computeUnitPrice,
    sender,
    submissions: new NodeSubmissions({
      rpc: trade.rpc,
      sender: callersSender,
      watch: new PollingSignatureWatch(trade.rpc),
    }),
    clockFault: () => chainClock.fault(),
    signerFault() {
      const known = program.lastConfig();
      if (!known || !key || known.hotKeys.serviceSigners.includes(key.address)) return undefined;
      return `The key of this process, ${key.address}, is not a service signer of the program.`;
    },
    signingFault: () => signerWatch?.fault(),
    readers: () => started,
    async requireNetwork() {
      try {
        await nodes.requireNetwork();
      } catch (error) {
        if (error instanceof OtherChainError) throw new ConfigError(error.message);
        throw error;
      }
    },
    async start({ quoting = key !== undefined } = {}) {
      // Who signs no quotes needs neither price nor blockhash, which costs requests to the node.
      started = quoting ? ['program', 'blockhash', 'price'] : ['program'];
      if (quoting) signerWatch?.start(log);
      await program.start(log, quoting);
    },
    async stop() {
      await program.stop();
      await signerWatch?.stop();
      await closeKeys(keys);
    },
  };
}

function missingSigner(): never {
  throw unavailable('This process does not hold the key of a service signer.');
}

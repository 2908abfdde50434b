import type { Address, Rpc, RpcTransport, SolanaRpcApi } from '@solana/kit';
import type { TemplateTradeBuilder } from './build/build-trade.js';
import type { Nodes } from './node/agreed.js';
import type { RecentBlockhashes } from './node/blockhash.js';
import type { CallerBudget } from './node/caller-budget.js';
import type { NodeHealth } from './node/node.js';
import type { NotificationsOf } from './node/notifications.js';
import type { NodeSender } from './node/send-transaction.js';
import type { NodeSubmissions } from './node/submissions.js';
import type { AccountReader } from './program/account-reader.js';
import type { PriceGate } from './program/price.js';
import type { Signer } from './sign/signer.js';

/** The chain as the service sees it: its nodes, one program, one signer. */
export interface Chain {
  /** The configured nodes as one: a call that a node fails goes to the next. */
  rpc: Rpc<SolanaRpcApi>;
  /** The same nodes for requests of many calls at once. */
  transport: RpcTransport;
  /**
   * The same nodes for calls that callers cause, taken from `callBudget` first: a 429 to one stops none of Karat's
   * own calls, and a 429 to a lookup stops no trades.
   */
  callers: {
    look: Rpc<SolanaRpcApi>;
    trade: Rpc<SolanaRpcApi>;
    sender: Pick<NodeSender, 'send' | 'landed'>;
  };
  /** Subscriptions at the first node that takes them. */
  notifications: NotificationsOf;
  /** Each configured node by itself, for `agreed.ts` and for histories that are read from one node after the other. */
  witnesses: readonly Rpc<SolanaRpcApi>[];
  /** Notes that nodes contradict each other. */
  noteDisagreement: Nodes['noteDisagreement'];
  /** The budget of calls for callers, which must be taken from before the nodes are called for one. */
  callBudget: Pick<CallerBudget, 'take' | 'giveBack'>;
  /** How each configured node has fared lately, in the order of the configuration. */
  nodeHealth(): NodeHealth[];
  programAddress: Address;
  /** Whether this process holds a service signer's key; those that only index or keep do not. */
  hasSigner: boolean;
  /**
   * The service's own key: fee payer and first signer of every transaction of the partner API. Reading it, or the builder
   * `trades`, throws `service_unavailable` in a process without it.
   */
  readonly signer: Signer;
  /** The service's key before or after this one, while keys are rotated: it signs only its own quotes again. */
  otherSigner: Signer | undefined;
  /** The program's admin, in a process that holds its key. */
  admin: Signer | undefined;
  /** The program's operations key, which puts partners on chain and settles redemptions, in a process that holds it. */
  operations: Signer | undefined;
  /** The program's guardian, who pauses, in a process that holds its key. */
  guardian: Signer | undefined;
  /** The program's market key, which opens and closes the market, in a process that holds it. */
  market: Signer | undefined;
  /** Reads accounts and blockhash; config, integrators and treasury of the program, kept in memory. */
  program: AccountReader;
  price: PriceGate;
  blockhash: Pick<RecentBlockhashes, 'current' | 'fault' | 'expiryOf' | 'lifetimeOf'>;
  readonly trades: TemplateTradeBuilder;
  /** What every transaction pays, micro-lamports per compute unit. */
  computeUnitPrice: bigint;
  sender: Pick<NodeSender, 'send' | 'landed'>;
  /** Transactions that were submitted and are waited for. */
  submissions: NodeSubmissions;
  /**
   * Why nothing can be quoted: the chain's clock and the service's differ by more than 30 s. Undefined while they
   * agree.
   */
  clockFault(): string | undefined;
  /**
   * Why the program would refuse what `signer` signs: its key is no service signer. Undefined when it is one, and while
   * that is not known.
   */
  signerFault(): string | undefined;
  /** Why `signer` signs nothing: the process that holds its key is dead, or cannot use it. Undefined while it signs. */
  signingFault(): string | undefined;
  /**
   * Throws a `ConfigError` if a node that responds is not on the network of KARAT_NETWORK. Nodes that do not respond are
   * checked when they do.
   */
  requireNetwork(): Promise<void>;
  /** The readers that `start` started: those of quotes only where quotes are signed. */
  readers(): readonly ('program' | 'blockhash' | 'price')[];
  /**
   * Loads what the readers need and keeps it fresh until `stop`. Does not throw while the node is down. `quoting`: reads
   * what quotes need; default: if this process holds a service signer's key.
   */
  start(options?: { quoting?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

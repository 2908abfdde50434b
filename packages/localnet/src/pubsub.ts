import type { WebSocket } from 'ws';
import type { AccountState } from './account.js';
import { SYSTEM_PROGRAM } from './addresses.js';
import type { AccountsEvent, Chain, SlotEvent, TransactionEvent } from './chain.js';
import { type Commitment, slotAt } from './commitment.js';
import { invalidParams, RpcError } from './errors.js';
import { toJson } from './json.js';
import { type AccountFormat, accountFormatIn, encodeAccount } from './rpc/account-encoding.js';
import { nodeVersion, withContext } from './rpc/context.js';
import { type AccountFilter, accountFiltersIn } from './rpc/filters.js';
import {
  addressOf,
  booleanIn,
  commitmentIn,
  configParam,
  objectOf,
  signatureOf,
  unsignedParam,
} from './rpc/params.js';
import { sendOrCutOff } from './socket.js';

/**
 * Notifications of what is known already must wait until the client has read the response to its subscription: it places a
 * notification by the id in that response, and @solana/kit drops those that come before the caller had a chance to
 * listen. So a ping follows the response, and its pong shows that the response was read; without one, notifications
 * start after this time.
 */
const SEND_WITHOUT_PONG_MS = 250;
/** In a longer jump of the chain only the last slot and root are notified. */
const MAX_SLOTS_NOTIFIED = 64;

const CLOSED: AccountState = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(0),
  executable: false,
};

interface Base {
  id: number;
  socket: WebSocket;
  commitment: Commitment;
}
type SignatureSubscription = Base & { kind: 'signature'; signature: string; wantsReceived: boolean };
type AccountSubscription = Base & { kind: 'account'; address: string; format: AccountFormat };
type ProgramSubscription = Base & {
  kind: 'program';
  program: string;
  format: AccountFormat;
  filters: AccountFilter[];
};
type LogsSubscription = Base & { kind: 'logs'; mentions: string | undefined };
type PlainSubscription = Base & { kind: 'slot' | 'root' | 'slotsUpdates' };
type Subscription =
  | SignatureSubscription
  | AccountSubscription
  | ProgramSubscription
  | LogsSubscription
  | PlainSubscription;
type Kind = Subscription['kind'];
type Of<K extends Kind> = Extract<Subscription, { kind: K }>;

/** What happened in a slot that is not finalized yet, for the notifications of later commitments. */
interface Pending {
  transactions: TransactionEvent[];
  accounts: Map<string, AccountState | undefined>;
}

/** Kind and key by which a subscription is found. */
function topicOf(subscription: Subscription): string {
  if (subscription.kind === 'account') return `account ${subscription.address}`;
  if (subscription.kind === 'program') return `program ${subscription.program}`;
  if (subscription.kind === 'signature') return `signature ${subscription.signature}`;
  return `${subscription.kind} `;
}

/** Reads what is subscribed to, with the text that a node has for a wrong one. */
function subscribed(value: unknown, name: string, read: (value: unknown) => string): string {
  if (value === undefined) throw invalidParams('`params` should have at least 1 argument(s)');
  try {
    return read(value);
  } catch (error) {
    if (typeof value !== 'string') throw error;
    throw invalidParams(`Invalid Request: Invalid ${name} provided`);
  }
}

/** Here a node puts the meaning of the code before the text of a filter that it refuses. */
function filtersIn(config: Record<string, unknown>): AccountFilter[] {
  try {
    return accountFiltersIn(config);
  } catch (error) {
    if (!(error instanceof RpcError) || error.message.startsWith('Invalid params: ')) throw error;
    throw invalidParams(`Invalid params: ${error.message}`);
  }
}

function mentionsOf(filter: unknown): string | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const { mentions } = objectOf(filter ?? null);
  if (!Array.isArray(mentions))
    throw invalidParams('Invalid params: expected `all`, `allWithVotes` or `mentions`.');
  if (mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported');
  return subscribed(mentions[0], 'mentions', addressOf);
}

/** The subscriptions of all WebSocket connections, and their notifications as the chain moves. */
export class Pubsub {
  readonly #chain: Chain;
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #byTopic = new Map<string, Set<Subscription>>();
  readonly #pending = new Map<number, Pending>();
  readonly #stop: (() => void)[];
  /** What to send once the response to a subscription was read, by its id. */
  readonly #unread = new Map<number, () => void>();
  #lastId = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#stop = [
      chain.onTransaction.on((event) => this.#transactionRan(event)),
      chain.onAccounts.on((event) => this.#accountsChanged(event)),
      chain.onSlot.on((event) => this.#slotMoved(event)),
    ];
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  /** Forgets everything a connection subscribed to. */
  drop(socket: WebSocket): void {
    for (const subscription of this.#subscriptions.values())
      if (subscription.socket === socket) this.#remove(subscription);
  }

  /** Returns what runs a method of a connection with its parameters; undefined when there is no such method. */
  call(socket: WebSocket, method: string): ((params: readonly unknown[]) => unknown) | undefined {
    // The one method that a node accepts here as well as over HTTP.
    if (method === 'getVersion') return nodeVersion;
    const [, kind, what] =
      /^(signature|account|program|logs|slotsUpdates|slot|root)(Subscribe|Unsubscribe)$/.exec(method) ?? [];
    if (kind === undefined) return undefined;
    return what === 'Subscribe'
      ? (params) => this.#subscribe(socket, kind as Kind, params)
      : (params) => this.#unsubscribe(socket, params);
  }

  #subscribe(socket: WebSocket, kind: Kind, params: readonly unknown[]): number {
    this.#lastId += 1;
    const config = configParam(params, 1);
    const base = { id: this.#lastId, socket, commitment: commitmentIn(config) ?? 'finalized' };
    const subscription = this.#subscriptionOf(base, kind, params, config);
    this.#add(subscription);
    // The status of a signature may be known by now: no event will report it.
    if (subscription.kind === 'signature') this.#notifyOnceRead(subscription);
    return base.id;
  }

  #notifyOnceRead(subscription: SignatureSubscription): void {
    const { id, socket } = subscription;
    const send = () => {
      clearTimeout(timer);
      if (this.#unread.delete(id)) this.#notifySignature(subscription);
    };
    // What has arrived by then is read first, by a client in this process too: the pong may be there and not read yet.
    const timer = setTimeout(() => setImmediate(send), SEND_WITHOUT_PONG_MS);
    this.#unread.set(id, send);
    // The response is on its way by then, followed by the ping.
    setImmediate(() => socket.readyState === socket.OPEN && socket.ping(String(id)));
  }

  /** Takes the pong of a connection: what was sent before its ping has been read. */
  heard(payload: string): void {
    // Another turn of the loop, for a client in this very process to start listening.
    setImmediate(() => this.#unread.get(Number(payload))?.());
  }

  #subscriptionOf(
    base: Base,
    kind: Kind,
    params: readonly unknown[],
    config: Record<string, unknown>,
  ): Subscription {
    switch (kind) {
      case 'signature': {
        const wantsReceived = booleanIn(config, 'enableReceivedNotification');
        return { ...base, kind, signature: subscribed(params[0], 'signature', signatureOf), wantsReceived };
      }
      case 'account':
        return {
          ...base,
          kind,
          address: subscribed(params[0], 'pubkey', addressOf),
          format: accountFormatIn(config),
        };
      case 'program': {
        const format = accountFormatIn(config);
        const filters = filtersIn(config);
        return { ...base, kind, program: subscribed(params[0], 'pubkey', addressOf), format, filters };
      }
      case 'logs':
        return { ...base, kind, mentions: mentionsOf(params[0]) };
      default:
        return { ...base, kind };
    }
  }

  /** Ends any subscription of a connection: as on a node, the method need not be that of its kind. */
  #unsubscribe(socket: WebSocket, params: readonly unknown[]): true {
    const id = unsignedParam(params, 0);
    const subscription = this.#subscriptions.get(id);
    if (subscription?.socket !== socket) throw invalidParams('Invalid subscription id.');
    this.#remove(subscription);
    return true;
  }

  /**
   * Returns the subscriptions of a kind, by `key` where they have one, so that a change does not go through all others.
   */
  #of<K extends Kind>(kind: K, key = ''): Of<K>[] {
    const found = this.#byTopic.get(`${kind} ${key}`) ?? [];
    return [...found].filter((subscription): subscription is Of<K> => subscription.kind === kind);
  }

  #add(subscription: Subscription): void {
    this.#subscriptions.set(subscription.id, subscription);
    const topic = topicOf(subscription);
    const known = this.#byTopic.get(topic);
    if (known) known.add(subscription);
    else this.#byTopic.set(topic, new Set([subscription]));
  }

  #remove(subscription: Subscription): void {
    this.#subscriptions.delete(subscription.id);
    const topic = topicOf(subscription);
    const known = this.#byTopic.get(topic);
    known?.delete(subscription);
    if (known?.size === 0) this.#byTopic.delete(topic);
  }

  #notify(subscription: Subscription, result: unknown): void {
    const { socket, kind, id } = subscription;
    const params = { result, subscription: id };
    sendOrCutOff(socket, toJson({ jsonrpc: '2.0', method: `${kind}Notification`, params }));
  }

  /** Sends the status of a signature once it has the commitment, and ends the subscription. */
  #notifySignature(subscription: SignatureSubscription): void {
    const entry = this.#chain.history.find(subscription.signature);
    if (!entry || !this.#subscriptions.has(subscription.id) || this.#unread.has(subscription.id)) return;
    if (subscription.wantsReceived) {
      subscription.wantsReceived = false;
      this.#notify(subscription, withContext(this.#chain.slot, 'receivedSignature'));
    }
    if (entry.slot > this.#chain.slotAt(subscription.commitment)) return;
    this.#remove(subscription);
    this.#notify(subscription, withContext(this.#chain.slotAt(subscription.commitment), { err: entry.err }));
  }

  #notifyLogs({ entry, logs }: TransactionEvent, commitment: Commitment): void {
    if (!logs) return;
    const wanted = this.#of('logs').filter(
      ({ mentions, commitment: requested }) =>
        requested === commitment && (mentions === undefined || entry.keys.includes(mentions)),
    );
    if (wanted.length === 0) return;
    const value = { signature: entry.signature, err: entry.err, logs };
    for (const subscription of wanted) this.#notify(subscription, withContext(entry.slot, value));
  }

  #notifyAccount(
    slot: number,
    address: string,
    state: AccountState | undefined,
    commitment: Commitment,
  ): void {
    const getAccount = (other: string) => this.#chain.vm.getAccount(other);
    for (const subscription of this.#of('account', address)) {
      if (subscription.commitment !== commitment) continue;
      this.#notify(
        subscription,
        withContext(slot, encodeAccount(address, state ?? CLOSED, subscription.format, getAccount, 'text')),
      );
    }
    if (!state) return;
    for (const subscription of this.#of('program', state.owner)) {
      if (subscription.commitment !== commitment) continue;
      if (!subscription.filters.every((filter) => filter.passes(state))) continue;
      const account = encodeAccount(address, state, subscription.format, getAccount, 'text');
      this.#notify(subscription, withContext(slot, { pubkey: address, account }));
    }
  }

  #pendingAt(slot: number): Pending {
    const known = this.#pending.get(slot);
    if (known) return known;
    const fresh: Pending = { transactions: [], accounts: new Map() };
    this.#pending.set(slot, fresh);
    return fresh;
  }

  #transactionRan(event: TransactionEvent): void {
    const { slot, signature } = event.entry;
    this.#pendingAt(slot).transactions.push(event);
    for (const subscription of this.#of('signature', signature)) this.#notifySignature(subscription);
    this.#notifyLogs(event, 'processed');
  }

  #accountsChanged({ slot, changes }: AccountsEvent): void {
    const { accounts } = this.#pendingAt(slot);
    for (const { address, state } of changes) {
      accounts.set(address, state);
      this.#notifyAccount(slot, address, state, 'processed');
    }
  }

  #slotMoved(event: SlotEvent): void {
    for (const subscription of this.#subscriptions.values())
      if (subscription.kind === 'signature') this.#notifySignature(subscription);
    for (const commitment of ['confirmed', 'finalized'] as const) this.#notifyReached(event, commitment);
    const finalized = slotAt(event.to, 'finalized');
    for (const slot of this.#pending.keys()) if (slot <= finalized) this.#pending.delete(slot);
    for (let slot = Math.max(event.from + 1, event.to - MAX_SLOTS_NOTIFIED + 1); slot <= event.to; slot += 1)
      this.#notifySlot(slot);
  }

  /** Sends what happened in the slots that have just reached a commitment. */
  #notifyReached({ from, to }: SlotEvent, commitment: Commitment): void {
    const after = slotAt(from, commitment);
    const upTo = slotAt(to, commitment);
    for (const [slot, { transactions, accounts }] of this.#pending) {
      if (slot <= after || slot > upTo) continue;
      for (const event of transactions) this.#notifyLogs(event, commitment);
      for (const [address, state] of accounts) this.#notifyAccount(slot, address, state, commitment);
    }
  }

  #notifySlot(slot: number): void {
    const root = slotAt(slot, 'finalized');
    for (const subscription of this.#of('slot'))
      this.#notify(subscription, { parent: Math.max(0, slot - 1), root, slot });
    const isNewRoot = root !== slotAt(slot - 1, 'finalized');
    if (isNewRoot) for (const subscription of this.#of('root')) this.#notify(subscription, root);
    const listeners = this.#of('slotsUpdates');
    if (listeners.length === 0) return;
    for (const update of this.#updatesOf(slot, isNewRoot ? root : undefined))
      for (const subscription of listeners) this.#notify(subscription, update);
  }

  /** Returns the steps of a slot's life that its beginning, the end of the one before and a new root are. */
  #updatesOf(slot: number, root: number | undefined): Record<string, unknown>[] {
    const timestamp = Math.floor(this.#chain.nowMs());
    const ended = slot - 1;
    const entries = this.#chain.history.inSlot(ended);
    const failed = entries.filter(({ err }) => err !== null).length;
    const stats = {
      maxTransactionsPerEntry: Math.min(1, entries.length),
      numFailedTransactions: failed,
      numSuccessfulTransactions: entries.length - failed,
      numTransactionEntries: entries.length,
    };
    return [
      { slot: ended, timestamp, type: 'completed' },
      { slot: ended, stats, timestamp, type: 'frozen' },
      { slot: ended, timestamp, type: 'optimisticConfirmation' },
      { slot, timestamp, type: 'firstShredReceived' },
      { parent: ended, slot, timestamp, type: 'createdBank' },
      ...(root === undefined ? [] : [{ slot: root, timestamp, type: 'root' }]),
    ];
  }
}

import {
  CONFIG_KIND,
  type Config,
  findConfigPda,
  findIntegratorPda,
  getConfigDecoder,
  getConfigSize,
  getIntegratorDecoder,
  getIntegratorSize,
  INTEGRATOR_KIND,
  type Integrator,
} from '@karat/program-client';
import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import { type Uuid, uuidBytes, uuidFromBytes } from '../../domain/ids.js';
import { unavailable } from '../../errors.js';
import { chunksOf } from '../../runtime/chunks.js';
import type { Demand } from '../../runtime/demand.js';
import { Freshness, isOutdated, nodeFault } from '../../runtime/freshness.js';
import { atMost } from '../../runtime/limit.js';
import { type Loop, type Subscription, startLoop, startSubscription } from '../../runtime/loop.js';
import { accountsPerCall } from '../node/node.js';
import type { NotificationsOf } from '../node/notifications.js';
import { type ChainClock, clockAddress, type NodeAccount } from './chain-clock.js';
import { tokenAmountOf } from './wallet.js';

export interface IntegratorEntry {
  address: Address;
  data: Integrator;
}

/** Balances of the treasury, in base units. */
export interface TreasuryBalances {
  usdc: bigint;
  gold: bigint;
}

const pollMs = 2_000;
/** While no quotes are requested and notifications arrive: a pause, a fee or a suspension comes by them at once. */
const idlePollMs = 5_000;
/** For processes that sign no quotes, such as one that indexes: nothing else there shows that the node responds. */
const slowPollMs = 4_000;
/** With a live subscription new partners arrive by it; the listing then only makes up for a lost notification. */
const listEveryMs = 30_000;
/** Without one, every round lists. */
const quickListEveryMs = 0;
const retrySubscriptionMs = 2_000;
/** Older than this, a pause, a new fee or a suspension may have been missed. */
const maxAgeMs = 10_000;
/**
 * Integrators that a round reads again, besides those that were never read. Changes come by notifications; where there are
 * more integrators than that, one whose notification was lost is noticed some rounds later, and the chain refuses what was
 * quoted meanwhile on terms that no longer hold.
 */
const integratorsPerRound = 10 * accountsPerCall;
/** So long, rounds that miss something count as well: the next ones read it. */
const incompleteMs = 30_000;
/** Calls of one round that are under way at a time. */
const callsAtOnce = 4;

/** Takes an account that was read together with those of the program; null: it does not exist. */
export type AccountTaker = (address: Address, account: NodeAccount | null, slot: bigint) => void;

interface Stored<T> {
  value: T;
  /** The account's bytes as they came, to keep `value` the same object while nothing changes. */
  base64: string;
  slot: bigint;
}

/** Where the id of the partner is in the bytes of an integrator. */
const partnerIdAt = 8;
const partnerIdBytes = 16;

/**
 * An integrator that is decoded when it is first used. Decoding takes many times as long as all else that is done with it,
 * because of its addresses, and a service with thousands of partners would not come to quote for that.
 */
class KnownIntegrator implements IntegratorEntry {
  readonly address: Address;
  readonly partnerId: Uuid;
  readonly #bytes: Uint8Array;
  #data: Integrator | undefined;

  constructor(address: Address, bytes: Uint8Array) {
    this.address = address;
    this.partnerId = uuidFromBytes(bytes.subarray(partnerIdAt, partnerIdAt + partnerIdBytes));
    this.#bytes = bytes;
  }

  get data(): Integrator {
    this.#data ??= getIntegratorDecoder().decode(this.#bytes);
    return this.#data;
  }
}

/** Keeps the program's Config, its integrators and the treasury's balances in memory, and watches the chain's clock. */
export class CachedProgramReader {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #notifications: NotificationsOf;
  readonly #programAddress: Address;
  readonly #node: Freshness;
  readonly #demand: Demand;
  readonly #clock: Clock;
  readonly #chainClock: ChainClock;
  readonly #read = new Freshness();
  /** When a round last missed nothing. */
  readonly #complete = new Freshness();
  readonly #integrators = new Map<Address, Stored<KnownIntegrator>>();
  readonly #addressOf = new Map<Uuid, Address>();
  /** Addresses from the listing; their contents come from `getMultipleAccounts`, which returns the slot. */
  #listed = new Set<Address>();
  /** How many of the integrators, in the order in which they became known, were read again in this turn. */
  #turn = 0;
  #byPartner = new Map<Uuid, IntegratorEntry>();
  #alsoRead: AccountTaker | undefined;
  #config: Stored<Config> | undefined;
  #configAddress: Address | undefined;
  #treasury: TreasuryBalances | undefined;
  #listedAtMs = Number.NEGATIVE_INFINITY;
  #loop: Loop | undefined;
  #subscription: Subscription | undefined;

  constructor(input: {
    rpc: Rpc<SolanaRpcApi>;
    notifications: NotificationsOf;
    programAddress: Address;
    node: Freshness;
    demand: Demand;
    clock: Clock;
    chainClock: ChainClock;
  }) {
    this.#rpc = input.rpc;
    this.#notifications = input.notifications;
    this.#programAddress = input.programAddress;
    this.#node = input.node;
    this.#demand = input.demand;
    this.#clock = input.clock;
    this.#chainClock = input.chainClock;
  }

  /**
   * Begins to read, and again whenever that is due. `quoting`: quotes are given from what is read; `alsoRead` then takes the
   * price account with the others.
   */
  start(log: Logger, quoting: boolean, alsoRead: AccountTaker): Promise<void> {
    this.#alsoRead = quoting ? alsoRead : undefined;
    this.#subscription ??= startSubscription({
      name: 'program accounts',
      log,
      retryMs: retrySubscriptionMs,
      open: (signal) => this.#notifications.program(this.#programAddress, signal),
      take: ({ context, value }) => this.#store(value.pubkey, value.account, context.slot),
    });
    this.#loop ??= startLoop({
      name: 'program',
      intervalMs: (failing) => this.#pauseMs(failing, quoting),
      log,
      round: (signal) => this.#refresh(signal),
    });
    return this.#loop.first;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#loop?.stop(), this.#subscription?.stop()]);
  }

  #pauseMs(failing: boolean, quoting: boolean): number {
    if (!quoting) return failing ? pollMs : slowPollMs;
    const calm = !failing && !this.#demand.active() && this.#subscription?.live() === true;
    return calm ? idlePollMs : pollMs;
  }

  /**
   * Returns the program's configuration. Throws `service_unavailable` while it was never read or the node is silent.
   */
  config(): Config {
    this.#requireFresh();
    if (this.#config) return this.#config.value;
    throw unavailable(noConfig);
  }

  /**
   * Returns a partner's integrator account, or undefined when there is none on chain. Throws `service_unavailable` when
   * that is not known for certain.
   */
  integrator(partnerId: Uuid): IntegratorEntry | undefined {
    this.#requireFresh();
    return this.#byPartner.get(partnerId);
  }

  /** Returns a partner's integrator account as it was last read, however old that is; undefined when none is known. */
  lastIntegrator(partnerId: Uuid): IntegratorEntry | undefined {
    return this.#byPartner.get(partnerId);
  }

  /** Returns every integrator that is known on chain, however old that knowledge is. */
  integrators(): IntegratorEntry[] {
    return [...this.#byPartner.values()];
  }

  /** Balances of the treasury, a few seconds old at most. Throws `service_unavailable` as `config` does. */
  treasury(): TreasuryBalances {
    this.#requireFresh();
    if (this.#treasury) return this.#treasury;
    throw unavailable('The balances of the treasury are not known.');
  }

  /** Returns the partner whose integrator account that is; undefined when it is none. Throws as `config` does. */
  partnerOf(integrator: Address): Uuid | undefined {
    this.#requireFresh();
    return this.#integrators.get(integrator)?.value.partnerId;
  }

  /** Returns where a partner's integrator account is or would be. Needs no node. */
  async integratorAddress(partnerId: Uuid): Promise<Address> {
    const known = this.#addressOf.get(partnerId);
    if (known) return known;
    const [found] = await findIntegratorPda(
      { partnerId: uuidBytes(partnerId) },
      { programAddress: this.#programAddress },
    );
    this.#addressOf.set(partnerId, found);
    return found;
  }

  fault(): string | undefined {
    const down = nodeFault(this.#node);
    if (down !== undefined) return down;
    const ageMs = this.#read.ageMs();
    if (ageMs === undefined) return 'The accounts of the program have not been read yet.';
    if (ageMs > maxAgeMs) {
      return `The accounts of the program were last read ${Math.floor(ageMs / 1000)} s ago.`;
    }
    return this.#config ? undefined : noConfig;
  }

  /** Returns the configuration whatever its age, for readers that judge freshness themselves. */
  lastConfig(): Config | undefined {
    return this.#config?.value;
  }

  #requireFresh(): void {
    const fault = this.fault();
    if (fault === undefined) return;
    throw unavailable(fault, fault === noConfig ? {} : { reason: 'node_unavailable' });
  }

  /** Reads everything that is due. What one call fails to read does not void what the others read. */
  async #refresh(signal: AbortSignal): Promise<void> {
    this.#configAddress ??= (await findConfigPda({ programAddress: this.#programAddress }))[0];
    if (!this.#config) await this.#fetch([this.#configAddress], signal);
    const [listing] = await Promise.allSettled([this.#listIfDue(signal)]);
    const config = this.#config?.value;
    const named = config ? [config.treasuryUsdc, config.treasuryGold] : [];
    if (config && this.#alsoRead) named.push(config.priceAccount);
    const addresses = [this.#configAddress, clockAddress, ...named, ...this.#integratorsToRead()];
    const inTurn = atMost(callsAtOnce);
    const fetches = chunksOf(addresses, accountsPerCall).map((some) =>
      inTurn(() => this.#fetch(some, signal)),
    );
    // The first one has the configuration and the clock.
    const [first, ...others] = await Promise.allSettled(fetches);
    const missed = [listing, first, ...others].find((each) => each?.status === 'rejected');
    if (!missed) this.#complete.confirm();
    const completeAgeMs = this.#complete.ageMs() ?? Number.POSITIVE_INFINITY;
    if (first?.status === 'fulfilled' && completeAgeMs <= incompleteMs) {
      this.#read.confirm();
      this.#node.confirm();
    }
    if (missed) throw missed.reason;
  }

  #integratorsToRead(): Address[] {
    const unread = [...this.#listed].filter((address) => !this.#integrators.has(address));
    const known = [...this.#integrators.keys()];
    if (this.#turn >= known.length) this.#turn = 0;
    const again = known.slice(this.#turn, this.#turn + integratorsPerRound);
    this.#turn += again.length;
    return [...unread, ...again];
  }

  async #listIfDue(signal: AbortSignal): Promise<void> {
    const quick = this.#alsoRead !== undefined && this.#subscription?.live() !== true;
    if (performance.now() - this.#listedAtMs < (quick ? quickListEveryMs : listEveryMs)) return;
    const found = await this.#rpc
      .getProgramAccounts(this.#programAddress, {
        commitment: 'confirmed',
        encoding: 'base64',
        dataSlice: { offset: 0, length: 0 },
        filters: [{ dataSize: BigInt(getIntegratorSize()) }],
      })
      .send({ abortSignal: signal });
    this.#listed = new Set(found.map(({ pubkey }) => pubkey));
    this.#listedAtMs = performance.now();
  }

  /** Reads accounts in one call. */
  async #fetch(addresses: Address[], signal: AbortSignal): Promise<void> {
    const beganMs = this.#clock.now();
    const { context, value } = await this.#rpc
      .getMultipleAccounts(addresses, { commitment: 'confirmed', encoding: 'base64' })
      .send({ abortSignal: signal });
    addresses.forEach((address, index) => {
      const account = value[index] ?? null;
      if (address === this.#config?.value.priceAccount) this.#alsoRead?.(address, account, context.slot);
      else if (account && address === clockAddress) this.#chainClock.accept(account, beganMs);
      else if (account) this.#store(address, account, context.slot);
    });
  }

  #store(address: Address, account: NodeAccount, slot: bigint): void {
    const base64 = account.data[0];
    const known = this.#integrators.get(address);
    if (known?.base64 === base64 && account.owner === this.#programAddress) {
      if (!isOutdated(slot, known.slot)) known.slot = slot;
      return;
    }
    const bytes = Buffer.from(base64, 'base64');
    const amount = tokenAmountOf(account);
    if (amount !== undefined) {
      this.#storeBalance(address, amount);
    } else if (account.owner !== this.#programAddress) {
      return;
    } else if (bytes.length === getConfigSize() && bytes[0] === CONFIG_KIND) {
      this.#config = newer(this.#config, base64, slot, () => getConfigDecoder().decode(bytes));
    } else if (bytes.length === getIntegratorSize() && bytes[0] === INTEGRATOR_KIND) {
      this.#storeIntegrator(address, base64, bytes, slot);
    }
  }

  #storeBalance(address: Address, amount: bigint): void {
    const config = this.#config?.value;
    if (!config) return;
    const balances = this.#treasury ?? { usdc: 0n, gold: 0n };
    if (address === config.treasuryUsdc) this.#treasury = { ...balances, usdc: amount };
    if (address === config.treasuryGold) this.#treasury = { ...balances, gold: amount };
  }

  #storeIntegrator(address: Address, base64: string, bytes: Buffer, slot: bigint): void {
    const before = this.#integrators.get(address);
    const after = newer(before, base64, slot, () => new KnownIntegrator(address, bytes));
    this.#integrators.set(address, after);
    this.#listed.add(address);
    if (before?.value === after.value) return;
    const { partnerId } = after.value;
    this.#byPartner.set(partnerId, after.value);
    this.#addressOf.set(partnerId, address);
  }
}

const noConfig = 'The program has no configuration on this chain.';

/** Returns what to keep: the later slot wins, and equal bytes keep the decoded object. */
function newer<T>(before: Stored<T> | undefined, base64: string, slot: bigint, decode: () => T): Stored<T> {
  if (before && isOutdated(slot, before.slot)) return before;
  if (before?.base64 === base64) return { ...before, slot };
  return { value: decode(), base64, slot };
}

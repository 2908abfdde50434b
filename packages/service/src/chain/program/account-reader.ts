import {
  CONFIG_KIND,
  type Config,
  findConfigPda,
  findIntegratorPda,
  getConfigDecoder,
  getConfigSize,
  getIntegratorSize,
  INTEGRATOR_KIND,
} from '@karat/program-client';
import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import { type Uuid, uuidBytes } from '../../domain/ids.js';
import { unavailable } from '../../errors.js';
import { chunksOf } from '../../runtime/chunks.js';
import type { Demand } from '../../runtime/demand.js';
import { Freshness, isOutdated, nodeFault } from '../../runtime/freshness.js';
import { atMost } from '../../runtime/limit.js';
import { type Loop, type Subscription, startLoop, startSubscription } from '../../runtime/loop.js';
import type { RecentBlockhashes } from '../node/blockhash.js';
import { accountsPerCall } from '../node/node.js';
import type { NotificationsOf } from '../node/notifications.js';
import { type ChainClock, clockAddress, type EncodedAccount } from './chain-clock.js';
import { type IntegratorEntry, KnownIntegrator } from './integrator.js';
import type { PriceAccount, PriceName, ReadPrice } from './price.js';
import { supplyOf, tokenAmountOf } from './token-accounts.js';

/** Balances of the treasury, in base units. */
export interface TreasuryBalances {
  usdc: bigint;
  gold: bigint;
}

/** While quotes are requested. */
const roundMs = 1_000;
/** While no quotes are requested and notifications arrive: a pause, a fee or a suspension comes by them at once. */
const idleMs = 5_000;
/** While no quotes are requested, without notifications or after a failure. */
const pollMs = 2_000;
/** For processes that sign no quotes, such as one that indexes: nothing else there shows that the node responds. */
const slowMs = 5_000;
/** While no quotes are requested. What the first one gets then is this old at most. */
const idleBlockhashMs = 4_000;
/** From the start of one turn of the integrators to that of the next, at least. */
const turnMs = 2_000;
/** With a live subscription new partners arrive by it; the listing then only makes up for a lost notification. */
const listMs = 60_000;
const retrySubscriptionMs = 2_000;
/** Older than this, a pause, a new fee or a suspension may have been missed. */
const maxAgeMs = 10_000;
/**
 * Integrators that are read again at a time. Changes come by notifications; where there are more integrators than that, one
 * whose notification was lost is noticed some rounds later, and the chain refuses what was quoted meanwhile on terms that no
 * longer hold.
 */
const integratorsAtOnce = 10 * accountsPerCall;
/** So long, turns that miss something do no harm: the next ones read it. */
const incompleteMs = 30_000;
/** Calls for integrators that are under way at a time, beside that of the round. */
const callsAtOnce = 4;

interface Known<T> {
  value: T;
  /** The account's bytes as they came, to keep `value` the same object while nothing changes. */
  base64: string;
  slot: bigint;
}

/** A price account that the configuration names. */
interface FollowedPrice {
  address: Address;
  /** Undefined: it does not exist, or was not read yet. */
  account: (PriceAccount & { slot: bigint }) | undefined;
  read: Freshness;
}

/**
 * Reads what quotes need of the chain, and keeps it in memory: the program's configuration, its integrators, the treasury's
 * balances, the price, the chain's clock and a blockhash. One call reads the accounts, and another one the blockhash;
 * notifications bring changes before the next round.
 */
export class AccountReader {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #notifications: NotificationsOf;
  readonly #programAddress: Address;
  readonly #node: Freshness;
  readonly #demand: Demand;
  readonly #clock: Clock;
  readonly #chainClock: ChainClock;
  readonly #blockhashes: RecentBlockhashes;
  /** When the configuration, and with it all that the program has, was read last. */
  readonly #read = new Freshness();
  /** When a turn of the integrators last missed nothing. */
  readonly #complete = new Freshness();
  readonly #integrators = new Map<Address, Known<KnownIntegrator>>();
  readonly #byPartner = new Map<Uuid, IntegratorEntry>();
  readonly #balances = new Map<Address, bigint>();
  readonly #inTurn = atMost(callsAtOnce);
  /** How many of the integrators, in the order in which they became known, were read again since the first one was. */
  #readAgain = 0;
  /** The turn that is under way. */
  #turn: Promise<void> | undefined;
  #turnAtMs = Number.NEGATIVE_INFINITY;
  /** Why the last turn missed something. */
  #turnFailure: unknown;
  #listedAtMs = Number.NEGATIVE_INFINITY;
  #config: Known<Config> | undefined;
  #configAddress: Address | undefined;
  readonly #prices: Partial<Record<PriceName, FollowedPrice>> = {};
  /** Base units of GOLD, and of which mint. */
  #supply: { mint: Address; amount: bigint; slot: bigint } | undefined;
  #quoting = false;
  /** Whether the last round read everything, and changes come by notifications. */
  #calm = false;
  #begunAtMs = Number.NEGATIVE_INFINITY;
  #log: Logger | undefined;
  #accountsLoop: Loop | undefined;
  #blockhashLoop: Loop | undefined;
  #programSubscription: Subscription | undefined;
  readonly #priceSubscriptions: Partial<Record<PriceName, Subscription>> = {};

  constructor(input: {
    rpc: Rpc<SolanaRpcApi>;
    notifications: NotificationsOf;
    programAddress: Address;
    node: Freshness;
    demand: Demand;
    clock: Clock;
    chainClock: ChainClock;
    blockhashes: RecentBlockhashes;
  }) {
    this.#rpc = input.rpc;
    this.#notifications = input.notifications;
    this.#programAddress = input.programAddress;
    this.#node = input.node;
    this.#demand = input.demand;
    this.#clock = input.clock;
    this.#chainClock = input.chainClock;
    this.#blockhashes = input.blockhashes;
  }

  /**
   * Begins to read; resolves after the first round, whether it succeeded or not. `quoting`: quotes are given from what is
   * read, so price and blockhash are read as well.
   */
  async start(log: Logger, quoting: boolean): Promise<void> {
    this.#log = log;
    this.#quoting = quoting;
    this.#programSubscription ??= startSubscription({
      name: 'program accounts',
      log,
      retryMs: retrySubscriptionMs,
      open: (signal) => this.#notifications.program(this.#programAddress, signal),
      take: ({ context, value }) => this.#store(value.pubkey, value.account, context.slot),
    });
    this.#accountsLoop ??= startLoop({
      name: 'accounts',
      intervalMs: (failing) => this.#accountsMs(failing),
      log,
      round: (signal) => this.#readAccounts(signal),
    });
    if (quoting) {
      this.#blockhashLoop ??= startLoop({
        name: 'blockhash',
        intervalMs: (failing) => (failing || this.#demand.active() ? roundMs : idleBlockhashMs),
        log,
        round: (signal) => this.#readBlockhash(signal),
      });
    }
    await Promise.all([this.#accountsLoop.first, this.#blockhashLoop?.first]);
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.#accountsLoop?.stop(),
      this.#blockhashLoop?.stop(),
      this.#programSubscription?.stop(),
    ]);
    await this.#turn;
    // Until all of those have ended, a configuration may arrive that names price accounts to follow.
    await Promise.all(Object.values(this.#priceSubscriptions).map((subscription) => subscription.stop()));
  }

  /**
   * Returns the program's configuration. Throws `service_unavailable` while it was never read or the node is silent.
   */
  config(): Config {
    this.#requireFresh();
    if (this.#config) return this.#config.value;
    throw unavailable(noConfig);
  }

  /** Returns the configuration whatever its age, for readers that judge freshness themselves. */
  lastConfig(): Config | undefined {
    return this.#config?.value;
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

  /** Returns the partner whose integrator account that is; undefined when it is none. Throws as `config` does. */
  partnerOf(integrator: Address): Uuid | undefined {
    this.#requireFresh();
    return this.#integrators.get(integrator)?.value.partnerId;
  }

  /** Returns where a partner's integrator account is or would be. Needs no node. */
  async integratorAddress(partnerId: Uuid): Promise<Address> {
    const known = this.#byPartner.get(partnerId);
    if (known) return known.address;
    const seeds = { partnerId: uuidBytes(partnerId) };
    return (await findIntegratorPda(seeds, { programAddress: this.#programAddress }))[0];
  }

  /** Balances of the treasury, a few seconds old at most. Throws `service_unavailable` as `config` does. */
  treasury(): TreasuryBalances {
    const { treasuryUsdc, treasuryGold } = this.config();
    const [usdc, gold] = [this.#balances.get(treasuryUsdc), this.#balances.get(treasuryGold)];
    if (usdc === undefined && gold === undefined) {
      throw unavailable('The balances of the treasury are not known.');
    }
    return { usdc: usdc ?? 0n, gold: gold ?? 0n };
  }

  /** Returns how much GOLD there is, base units, a few seconds old at most; undefined while it was never read. Throws as `config` does. */
  supply(): bigint | undefined {
    const { goldMint } = this.config();
    return this.#supply?.mint === goldMint ? this.#supply.amount : undefined;
  }

  /** Returns a price account as it was last read, with its age; undefined before the first time. */
  readPrice(name: PriceName): ReadPrice | undefined {
    const price = this.#prices[name];
    const ageMs = price?.read.ageMs();
    if (!this.#config || !price || ageMs === undefined) return undefined;
    return { config: this.#config.value, account: price.account, ageMs };
  }

  /** Why nothing that the program has can be relied on; undefined while it can. */
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

  #requireFresh(): void {
    const fault = this.fault();
    if (fault === undefined) return;
    throw unavailable(fault, fault === noConfig ? {} : { reason: 'node_unavailable' });
  }

  /** Returns how long to wait before the next round of accounts, milliseconds. */
  #accountsMs(failing: boolean): number {
    this.#calm = this.#quoting && !failing && this.#notified();
    if (!this.#quoting) return failing ? pollMs : slowMs;
    return this.#calm || this.#demand.active() ? roundMs : pollMs;
  }

  /** Returns whether a round may be left out: then a request for quotes has the next one read within a second. */
  #isIdle(): boolean {
    // Rounds are a second apart, give or take.
    const isRecent = performance.now() - this.#begunAtMs < idleMs - roundMs / 2;
    return this.#calm && this.#turnFailure === undefined && isRecent && !this.#demand.active();
  }

  #notified(): boolean {
    return this.#programSubscription?.live() === true;
  }

  async #readBlockhash(signal: AbortSignal): Promise<void> {
    // The time before the call: its life began no later than that, so that the promise is never too long.
    const beganMs = this.#clock.now();
    const call = this.#rpc.getLatestBlockhash({ commitment: 'confirmed' });
    const { value } = await call.send({ abortSignal: signal });
    this.#node.confirm();
    this.#blockhashes.accept(value, beganMs);
  }

  /** Reads the accounts that are due. The integrators have a turn beside the rounds, which never wait for it. */
  async #readAccounts(signal: AbortSignal): Promise<void> {
    if (this.#isIdle()) return;
    this.#begunAtMs = performance.now();
    this.#configAddress ??= (await findConfigPda({ programAddress: this.#programAddress }))[0];
    if (!this.#config) await this.#fetch([this.#configAddress], signal);
    const config = this.#config?.value;
    const named = config ? [config.treasuryUsdc, config.treasuryGold, config.goldMint] : [];
    const prices = Object.values(this.#prices).map(({ address }) => address);
    const isDue = !this.#turn && performance.now() - this.#turnAtMs >= turnMs;
    const accounts = [this.#configAddress, clockAddress, ...named, ...prices];
    if (isDue) accounts.push(...this.#integratorsInTurn());
    // As many integrators as have room in the call of the round are read by it.
    const call = this.#fetch(accounts.slice(0, accountsPerCall), signal);
    if (isDue) this.#turn = this.#takeTurn(call, accounts.slice(accountsPerCall), signal);
    // Before the first complete turn nothing is relied on, so that nothing is held up by it.
    const isFirst = this.#complete.ageMs() === undefined;
    await Promise.all([call, isFirst && this.#turn]);
    const completeAgeMs = this.#complete.ageMs() ?? Number.POSITIVE_INFINITY;
    if (completeAgeMs <= incompleteMs) this.#read.confirm();
    if (this.#turnFailure !== undefined) throw this.#turnFailure;
  }

  #integratorsInTurn(): Address[] {
    const known = [...this.#integrators.keys()];
    if (this.#readAgain >= known.length) this.#readAgain = 0;
    const again = known.slice(this.#readAgain, this.#readAgain + integratorsAtOnce);
    this.#readAgain += again.length;
    return again;
  }

  /** Lists the integrators if that is due, and reads what the call of the round does not. Resolves even if something fails. */
  async #takeTurn(call: Promise<void>, others: Address[], signal: AbortSignal): Promise<void> {
    this.#turnAtMs = performance.now();
    try {
      await allEnded([call, this.#listIfDue(signal), this.#fetchAll(others, signal)]);
      this.#turnFailure = undefined;
      this.#complete.confirm();
    } catch (error) {
      this.#turnFailure = error;
    }
    this.#turn = undefined;
  }

  /** Lists the integrators if that is due, and reads those that are new. */
  async #listIfDue(signal: AbortSignal): Promise<void> {
    const beganMs = performance.now();
    const quick = this.#quoting && !this.#notified();
    if (!quick && beganMs - this.#listedAtMs < listMs) return;
    const found = await this.#rpc
      .getProgramAccounts(this.#programAddress, {
        commitment: 'confirmed',
        encoding: 'base64',
        dataSlice: { offset: 0, length: 0 },
        filters: [{ dataSize: BigInt(getIntegratorSize()) }],
      })
      .send({ abortSignal: signal });
    const unread = found.map(({ pubkey }) => pubkey).filter((address) => !this.#integrators.has(address));
    await this.#fetchAll(unread, signal);
    // A node that lags behind the one that listed them may lack some; the next turn lists again then.
    if (unread.every((address) => this.#integrators.has(address))) this.#listedAtMs = beganMs;
  }

  /** Reads accounts that are in no hurry. */
  #fetchAll(addresses: Address[], signal: AbortSignal): Promise<void> {
    const calls = chunksOf(addresses, accountsPerCall);
    return allEnded(calls.map((some) => this.#inTurn(() => this.#fetch(some, signal))));
  }

  /** Reads accounts in one call. */
  async #fetch(addresses: Address[], signal: AbortSignal): Promise<void> {
    const beganMs = this.#clock.now();
    const { context, value } = await this.#rpc
      .getMultipleAccounts(addresses, { commitment: 'confirmed', encoding: 'base64' })
      .send({ abortSignal: signal });
    this.#node.confirm();
    addresses.forEach((address, index) => {
      const account = value[index] ?? null;
      const price = this.#priceAt(address);
      if (price) {
        storePrice(price, account, context.slot);
        price.read.confirm();
      } else if (address === this.#config?.value.goldMint) {
        this.#storeSupply(address, account, context.slot);
      } else if (account && address === clockAddress) {
        this.#chainClock.accept(account, beganMs);
      } else if (account) {
        this.#store(address, account, context.slot);
      }
    });
  }

  /** Takes an account, read or notified of, and ignores what is of no interest. */
  #store(address: Address, account: EncodedAccount, slot: bigint): void {
    const base64 = account.data[0];
    const known = this.#integrators.get(address);
    if (known?.base64 === base64 && account.owner === this.#programAddress) {
      if (!isOutdated(slot, known.slot)) known.slot = slot;
      return;
    }
    const amount = tokenAmountOf(account);
    if (amount !== undefined) this.#balances.set(address, amount);
    if (account.owner !== this.#programAddress) return;
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length === getConfigSize() && bytes[0] === CONFIG_KIND) {
      this.#config = newer(this.#config, base64, slot, () => getConfigDecoder().decode(bytes));
      const { priceAccount, usdcPriceAccount } = this.#config.value.settings;
      if (!this.#quoting) return;
      this.#follow('gold', priceAccount);
      this.#follow('usdc', usdcPriceAccount);
    } else if (bytes.length === getIntegratorSize() && bytes[0] === INTEGRATOR_KIND) {
      const after = newer(known, base64, slot, () => new KnownIntegrator(address, bytes));
      this.#integrators.set(address, after);
      if (known?.value === after.value) return;
      this.#byPartner.set(after.value.partnerId, after.value);
    }
  }

  /** Changes to another price account, when the configuration has. */
  #follow(name: PriceName, address: Address): void {
    if (address === this.#prices[name]?.address) return;
    this.#prices[name] = { address, account: undefined, read: new Freshness() };
    void this.#priceSubscriptions[name]?.stop();
    if (!this.#log) return;
    this.#priceSubscriptions[name] = startSubscription({
      name: `price account of ${name}`,
      log: this.#log,
      retryMs: retrySubscriptionMs,
      open: (signal) => this.#notifications.account(address, signal),
      take: ({ context, value }) => {
        const price = this.#priceAt(address);
        if (price) storePrice(price, value, context.slot);
      },
    });
  }

  #priceAt(address: Address): FollowedPrice | undefined {
    return Object.values(this.#prices).find((price) => price.address === address);
  }

  #storeSupply(mint: Address, account: EncodedAccount | null, slot: bigint): void {
    if (this.#supply?.mint === mint && isOutdated(slot, this.#supply.slot)) return;
    const amount = supplyOf(
      account && { owner: account.owner, data: Buffer.from(account.data[0], 'base64') },
    );
    this.#supply = { mint, amount, slot };
  }
}

function storePrice(price: FollowedPrice, account: EncodedAccount | null, slot: bigint): void {
  if (account && price.account && isOutdated(slot, price.account.slot)) return;
  price.account = account
    ? { owner: account.owner, data: Buffer.from(account.data[0], 'base64'), slot }
    : undefined;
}

const noConfig = 'The program has no configuration on this chain.';

/** Returns what to keep: the later slot wins, and equal bytes keep the decoded object. */
function newer<T>(before: Known<T> | undefined, base64: string, slot: bigint, decode: () => T): Known<T> {
  if (before && isOutdated(slot, before.slot)) return before;
  if (before?.base64 === base64) return { ...before, slot };
  return { value: decode(), base64, slot };
}

/** Waits until all have ended, and throws what the first of them that failed has thrown. */
async function allEnded(all: Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(all)) if (each.status === 'rejected') throw each.reason;
}

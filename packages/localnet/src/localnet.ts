import type { AccountChange, AccountState } from './account.js';
import { addressToBytes } from './address-bytes.js';
import { Chain } from './chain.js';
import { FINALIZED_AFTER_SLOTS } from './commitment.js';
import { type Call, type Dispatched, dispatch } from './dispatch.js';
import { Faults } from './faults.js';
import { addProgram, type ProgramToAdd } from './programs.js';
import { Pubsub } from './pubsub.js';
import { paramsOf } from './rpc/arity.js';
import type { RpcContext } from './rpc/context.js';
import { cheatMethods, nodeMethods } from './rpc/index.js';
import { RpcServer } from './server.js';
import { setTokenBalance } from './token-balance.js';

/** Behind by more than this (the machine slept), the chain goes on from now instead of making up for it. */
const CATCH_UP_SLOTS_MAX = 25;

export interface LocalnetOptions {
  /** Folder that the chain lives in; undefined: nothing is written. */
  ledger?: string | undefined;
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 8899; 0: any free port. WebSocket on the same port and, when it is free, on the next. */
  rpcPort?: number | undefined;
  /** Length of a slot in milliseconds, default 400. */
  slotMs?: number | undefined;
  /** Programs to be there from the start, added when their address is free. */
  programs?: readonly ProgramToAdd[] | undefined;
  /** Accounts to be there from the start, written where the address is free. */
  accounts?: readonly AccountChange[] | undefined;
  /** More RPC methods, by name; they may throw an RpcError. */
  methods?: Readonly<Record<string, (params: unknown[]) => unknown>> | undefined;
  /** Whether the methods `karat_…` are available; default true. */
  cheats?: boolean | undefined;
  /** How many transactions are kept, default 100,000. Older ones are unknown to every method. */
  historyTransactions?: number | undefined;
  /** How many slots are kept, default 216,000 (24 hours of 400 ms). */
  historySlots?: number | undefined;
}

/** A Solana node for one machine: the SVM behind JSON-RPC and WebSocket. */
export class Localnet implements AsyncDisposable {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly rpcPort: number;
  readonly wsPort: number;
  /**
   * True when this start made the chain, false when it was continued from a ledger. A caller that seeds a chain should look
   * at what is there instead: the start that made it may have been killed, or refused its port, right afterwards.
   */
  readonly genesisCreated: boolean;
  readonly #chain: Chain;
  readonly #pubsub: Pubsub;
  readonly #server: RpcServer;
  readonly #respond: (text: string) => Promise<Dispatched>;
  #timer: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(
    { chain, pubsub, server }: { chain: Chain; pubsub: Pubsub; server: RpcServer },
    host: string,
    respond: (text: string) => Promise<Dispatched>,
  ) {
    this.#respond = respond;
    this.#chain = chain;
    this.#pubsub = pubsub;
    this.#server = server;
    this.genesisCreated = chain.genesisCreated;
    this.rpcPort = server.rpcPort;
    this.wsPort = server.wsPort;
    const name =
      host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
    this.rpcUrl = `http://${name}:${this.rpcPort}`;
    this.wsUrl = `ws://${name}:${this.wsPort}`;
    this.#tickFrom(performance.now());
  }

  /**
   * Starts a node. Throws when the ledger is in use, damaged or of another version, and the system's EADDRINUSE when
   * the port is taken; nothing is left behind then.
   */
  static async start(options: LocalnetOptions = {}): Promise<Localnet> {
    const host = options.host ?? '127.0.0.1';
    const chain = new Chain({
      ledger: options.ledger,
      slotMs: options.slotMs ?? 400,
      historyTransactions: options.historyTransactions ?? 100_000,
      historySlots: options.historySlots ?? 216_000,
    });
    const pubsub = new Pubsub(chain);
    try {
      const missing = (options.accounts ?? []).filter(({ address }) => !chain.vm.getAccount(address));
      if (missing.length > 0) chain.writeAccounts(missing);
      for (const program of options.programs ?? []) await addProgram(chain, program);
      const faults = new Faults();
      const listening: RpcContext['listening'] = {};
      const call = Localnet.#callOf({ chain, faults, listening }, options);
      const server = await RpcServer.start({ host, rpcPort: options.rpcPort ?? 8899, faults, pubsub, call });
      listening.rpc = `${host}:${server.rpcPort}`;
      listening.pubsub = `${host}:${server.wsPort}`;
      const parts = { chain, pubsub, server };
      return new Localnet(parts, host, (text) => dispatch(text, faults, call));
    } catch (error) {
      pubsub.close();
      chain.close();
      throw error;
    }
  }

  static #callOf(context: RpcContext, options: LocalnetOptions): Call {
    const known = { ...nodeMethods, ...(options.cheats === false ? {} : cheatMethods) };
    const methods = new Map(Object.entries(known));
    const extra = new Map(Object.entries(options.methods ?? {}));
    return (name, params) => {
      const added = extra.get(name);
      if (added) return () => added([...paramsOf(name, params)]);
      const method = methods.get(name);
      return method && (() => method(context, paramsOf(name, params)));
    };
  }

  /** Writes an account without any checks (undefined or no lamports: removes it) and notifies its subscribers. */
  setAccount(address: string, state: AccountState | undefined): void {
    if (!addressToBytes(address)) throw new Error(`${JSON.stringify(address)} is not an address`);
    // A copy, since the caller may go on writing into its bytes.
    const copy = state && state.lamports > 0n ? { ...state, data: Uint8Array.from(state.data) } : undefined;
    this.#chain.writeAccounts([{ address, state: copy }]);
  }

  /**
   * Sets the balance, in base units, of the owner's associated token account, making it when it is missing; the mint's
   * supply moves with it. Gives the account's address. Throws an RpcError when there is no such mint.
   */
  async setTokenBalance(owner: string, mint: string, amount: bigint): Promise<string> {
    return await setTokenBalance(this.#chain, owner, mint, amount);
  }

  /** Returns the account at `address` as of now (processed); undefined when there is none. */
  getAccount(address: string): AccountState | undefined {
    return this.#chain.vm.getAccount(address);
  }

  /** Sends lamports from the faucet, as a transaction; gives its signature. */
  airdrop(address: string, lamports: bigint): string {
    return this.#chain.airdrop(address, lamports);
  }

  /** Moves the chain on, clock and slots together; blockhashes expire accordingly. */
  warp(by: { slots?: number | undefined; seconds?: number | undefined }): void {
    this.#chain.warp(by);
  }

  /** Makes all that has landed final at once: the slots that it takes pass while the clock stands still. */
  finalize(): void {
    this.#chain.advance(FINALIZED_AFTER_SLOTS);
  }

  /** Makes no further slots but those of `warp`, until `resume`; what is sent meanwhile waits for its confirmation. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Goes on making slots after `pause`, without those of the meantime. */
  resume(): void {
    if (this.#timer === undefined && this.#stopped === undefined) this.#tickFrom(performance.now());
  }

  /** Returns the response to one JSON-RPC text, for callers in the same process; undefined when the node gives none. */
  async respond(text: string): Promise<string | undefined> {
    const outcome = await this.#respond(text);
    return outcome.do === 'respond' ? outcome.text : undefined;
  }

  /** Returns what goes back to this moment of the chain, as often as it is called. Only without a ledger. */
  mark(): () => void {
    return this.#chain.mark();
  }

  /** Returns the chain's clock, warps included, in whole Unix seconds. */
  nowUnixSeconds(): number {
    return Math.floor(this.#chain.nowMs() / 1000);
  }

  /** Returns the chain's clock, warps included, in Unix milliseconds. */
  nowUnixMs(): number {
    return this.#chain.nowMs();
  }

  /** Calls `listener` after every warp; the function it returns ends that. */
  onWarp(listener: (warp: { slots: number; milliseconds: number }) => void): () => void {
    return this.#chain.onWarp.on(listener);
  }

  /** Closes all connections, writes a snapshot and lets the ledger go. Later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.pause();
    await this.#server.stop();
    this.#pubsub.close();
    this.#chain.close();
  }

  /** Moves the chain at even intervals, also when a timer comes late; `last` is when the current slot was due. */
  #tickFrom(last: number): void {
    const { slotMs } = this.#chain;
    this.#timer = setTimeout(
      () => {
        const due = Math.floor((performance.now() - last) / slotMs);
        if (due > 0) this.#chain.advance(Math.min(due, CATCH_UP_SLOTS_MAX));
        this.#tickFrom(due > CATCH_UP_SLOTS_MAX ? performance.now() : last + due * slotMs);
      },
      Math.max(1, last + slotMs - performance.now()),
    );
  }
}

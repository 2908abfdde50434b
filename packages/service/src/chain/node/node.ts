import {
  createDefaultRpcTransport,
  isSolanaError,
  type RpcTransport,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
} from '@solana/kit';
import { toInteger } from '../../domain/integer.js';
import { lookAtMostEvery } from '../../runtime/look.js';
import { pause, withDeadline } from '../../runtime/time.js';
import { inClientSpan } from '../../tracing/spans.js';
import { type ExpectedChain, OtherChainError, requireNetwork, requireRecordedChain } from './genesis.js';
import { Pace } from './pace.js';

/** Limit of `getMultipleAccounts`. */
export const accountsPerCall = 100;

export type RpcRequest = Parameters<RpcTransport>[0];

/** How a node has fared lately. */
export interface NodeHealth {
  /** Whether calls go to it before they go to nodes that fail. */
  usable: boolean;
  /** For how long Karat sends no calls of its own, because the node refused some by 429. */
  restSeconds: number;
  /** Newest slot that a response named; undefined before the first. */
  slot: bigint | undefined;
  calls: Record<CallOutcome, number>;
}

/**
 * Whose calls they are: Karat's own, or those that callers cause, to look something up or for trades. A node that refuses
 * some by 429 still gets the others, because providers also limit single methods; but none for callers while Karat's own
 * have to rest.
 */
export type Lane = 'own' | 'look' | 'trade';

export const callOutcomes = ['answered', 'failed', 'rate_limited'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** A call that was not sent, because the node refused others by 429 and rests. */
export class NodeRestsError extends Error {
  override name = 'NodeRestsError';

  constructor(ms: number) {
    super(`the node refused calls as too many (429); the next one goes out in ${Math.ceil(ms)} ms`);
  }
}

/** A response that refuses a call as one too many, in its body. */
class TooManyCallsError extends Error {
  override name = 'TooManyCallsError';
}

/** How long calls wait. */
export interface CallTimes {
  /** For the response of all nodes together. */
  callMs: number;
  /** For a node, at most, before the next one is called. */
  nextAfterMs: number;
}

export const callTimes: CallTimes = { callMs: 3_000, nextAfterMs: 1_500 };
/** A call that waited for a node to rest has at least so long itself. */
const leastCallMs = 1_000;
/** How often it is checked which chain a node is on, and how often for a node on another chain. */
const recheckMs = 60_000;
const recheckForeignMs = 2_000;
/** What is final is some 32 slots behind; a response for a slot further back may be from another chain. */
const usualLagSlots = 64n;
/** A node that fails is left alone for so long at first, and twice as long each time, while another one works. */
const firstAvoidMs = 500;
const longestAvoidMs = 10_000;
/** Responses name a new slot about every 400 ms; a node that names no new one for so long stands still. */
const standstillMs = 15_000;

/** One node over HTTP: paces the calls to it, and knows how it fares. */
export class Node {
  readonly #number: number;
  readonly #base: RpcTransport;
  readonly #paces: Record<Lane, Pace> = { own: new Pace(), look: new Pace(), trade: new Pace() };
  readonly #calls: NodeHealth['calls'] = { answered: 0, failed: 0, rate_limited: 0 };
  #failures = 0;
  #avoidUntilMs = Number.NEGATIVE_INFINITY;
  #slot: bigint | undefined;
  #slotAtMs = 0;

  readonly #expected: ExpectedChain;
  readonly #callMs: number;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  readonly #check = lookAtMostEvery(0, () => this.#checkChain());
  /** Genesis hash that the check under way has read. */
  #genesisRead: string | undefined;
  #foreign: OtherChainError | undefined;

  /**
   * @param number of the node, from 1 on: its address may hold a key of its provider.
   * @param expected the chain that the node has to be of.
   * @param callMs for the response when the node reports which chain it is on.
   */
  constructor(url: string, number: number, expected: ExpectedChain, callMs: number) {
    this.#number = number;
    this.#base = createDefaultRpcTransport({ url });
    this.#expected = expected;
    this.#callMs = callMs;
  }

  /**
   * Sends a call that may take `limitMs`. While its lane rests it waits if `patient` and if there is time for it; else
   * it rejects with a `NodeRestsError`. A single call that the node refuses by 429 is sent again after the rest, if
   * `patient` and while there is time. Rejects when the node fails, does not respond in time, or `signal` aborts.
   */
  call(request: RpcRequest, limitMs: number, patient: boolean, lane: Lane): Promise<unknown> {
    const facts = () => {
      const name = methodOf(request);
      const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': name, 'karat.node': this.#number };
      return { name, attributes };
    };
    return inClientSpan(facts, () => this.#call(request, limitMs, patient, lane));
  }

  async #call(request: RpcRequest, limitMs: number, patient: boolean, lane: Lane): Promise<unknown> {
    const endMs = performance.now() + limitMs;
    const waitsUntilMs = patient ? endMs - leastCallMs : 0;
    const isLast = () => {
      const nowMs = performance.now();
      return Array.isArray(request.payload) || nowMs + this.#restMs(lane, nowMs) > waitsUntilMs;
    };
    for (;;) {
      await this.#enter(lane, waitsUntilMs, request.signal);
      try {
        const response = await this.#send(request, endMs, lane);
        if (!codesOf(response).some(isRateLimit) || isLast()) return response;
      } catch (error) {
        if (!isRefusal(error) || isLast()) throw error;
      }
    }
  }

  async #send(request: RpcRequest, endMs: number, lane: Lane): Promise<unknown> {
    const pace = this.#paces[lane];
    const beganMs = performance.now();
    // Of those that come when the time is up, one tries the node; the others go on avoiding it until that has worked.
    if (this.#failures > 0) this.#avoidUntilMs = beganMs + avoidMs(this.#failures);
    try {
      await this.#requireChain();
      const response: unknown = await inTime(this.#base, request, Math.max(1, endMs - performance.now()));
      if (this.#wentBack(response)) await this.#requireChain();
      if (codesOf(response).some(isRateLimit)) this.#refused(pace, beganMs, undefined);
      else this.#succeed(pace, beganMs, response);
      return response;
    } catch (error) {
      if (isRefusal(error)) {
        this.#refused(pace, beganMs, requestedPauseMs(error));
      } else {
        pace.ended(beganMs, false);
        // A caller that gives up proves nothing about the node.
        if (!request.signal?.aborted && !(error instanceof OtherChainError)) this.failed();
      }
      throw error;
    }
  }

  /** Returns why responses of the node are rejected: it is on another chain. */
  fault(): string | undefined {
    return this.#foreign?.message;
  }

  /** Notes that the node did not do what it should: calls go to others first, for a while. */
  failed(): void {
    this.#calls.failed += 1;
    this.#failures += 1;
    this.#avoidUntilMs = performance.now() + avoidMs(this.#failures);
  }

  /** Returns whether calls of a lane should go to it first. */
  usable(lane: Lane): boolean {
    const nowMs = performance.now();
    return !this.#foreign && nowMs >= this.#avoidUntilMs && this.#restMs(lane, nowMs) === 0;
  }

  health(): NodeHealth {
    return {
      usable: this.#failures === 0 && this.usable('own'),
      restSeconds: this.#restMs('own', performance.now()) / 1_000,
      slot: this.#slot,
      calls: { ...this.#calls },
    };
  }

  /** For how long no call of a lane goes out, milliseconds. */
  #restMs(lane: Lane, nowMs: number): number {
    return Math.max(this.#paces.own.restMs(nowMs), this.#paces[lane].restMs(nowMs));
  }

  async #enter(lane: Lane, endMs: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const nowMs = performance.now();
      const ms = this.#restMs(lane, nowMs) || this.#paces[lane].enter(nowMs);
      if (ms === 0) return;
      if (nowMs + ms > endMs) throw new NodeRestsError(ms);
      await pause(ms, signal);
    }
  }

  /**
   * Makes sure that the node is of the expected chain: at first, every minute, and whenever it may have been replaced, because
   * a call failed or its slot went back. Throws an `OtherChainError` when it is of another one.
   */
  async #requireChain(): Promise<void> {
    const { recorded, network } = this.#expected;
    if (!recorded && !network) return;
    const ageMs = performance.now() - this.#checkedAtMs;
    if (this.#foreign ? ageMs < recheckForeignMs : ageMs < recheckMs && this.#failures === 0) {
      if (this.#foreign) throw this.#foreign;
      return;
    }
    await this.#check();
  }

  async #checkChain(): Promise<void> {
    const [genesis, slot] = await this.#readIdentity();
    try {
      const { network, recorded } = this.#expected;
      if (network) requireNetwork(network, genesis);
      if (recorded) await requireRecordedChain(recorded, { genesis, slot: BigInt(String(slot)) });
      this.#foreign = undefined;
      this.#slot = undefined;
    } catch (error) {
      if (error instanceof OtherChainError) this.#foreign = error;
      throw error;
    } finally {
      this.#checkedAtMs = performance.now();
    }
  }

  /** Returns genesis hash and slot. If only the slot is refused by 429, the next try reads no more than that. */
  async #readIdentity(): Promise<[genesis: string, slot: unknown]> {
    const [genesis, slot] = await Promise.allSettled([
      this.#genesisRead ?? this.genesis(),
      this.#resultOf('getSlot', [{ commitment: 'confirmed' }]),
    ]);
    this.#genesisRead = undefined;
    if (genesis.status === 'rejected') throw genesis.reason;
    if (slot.status === 'fulfilled') return [genesis.value, slot.value];
    if (isRefusal(slot.reason)) this.#genesisRead = genesis.value;
    throw slot.reason;
  }

  /** Returns the genesis hash of its chain, whichever that is. */
  async genesis(): Promise<string> {
    return String(await this.#resultOf('getGenesisHash', []));
  }

  async #resultOf(method: string, params: unknown[]): Promise<unknown> {
    const payload = { jsonrpc: '2.0', id: method, method, params };
    const response = await inTime(this.#base, { payload }, this.#callMs);
    const code = codeOf(response);
    if (isRateLimit(code)) throw new TooManyCallsError(`The node returned ${code} for ${method}`);
    if (code !== undefined) throw new Error(`The node returned ${code} for ${method}`);
    return (response as { result: unknown }).result;
  }

  /**
   * Returns whether a response names a slot so far back that the chain may be another one; it is looked at again then.
   */
  #wentBack(response: unknown): boolean {
    const slot = slotOf(response);
    if (slot === undefined || this.#slot === undefined || slot + usualLagSlots >= this.#slot) return false;
    this.#checkedAtMs = Number.NEGATIVE_INFINITY;
    return true;
  }

  #refused(pace: Pace, beganMs: number, retryMs: number | undefined): void {
    this.#calls.rate_limited += 1;
    pace.refused(beganMs, performance.now(), retryMs);
  }

  #succeed(pace: Pace, beganMs: number, response: unknown): void {
    pace.ended(beganMs, true);
    const nowMs = performance.now();
    const slot = slotOf(response);
    if (slot !== undefined && (this.#slot === undefined || slot > this.#slot)) {
      this.#slot = slot;
      this.#slotAtMs = nowMs;
    }
    if (slot !== undefined && nowMs - this.#slotAtMs > standstillMs) {
      this.failed();
      return;
    }
    this.#calls.answered += 1;
    this.#failures = 0;
    this.#avoidUntilMs = Number.NEGATIVE_INFINITY;
  }
}

/** Returns the method that is called, or `batch` for several calls at once. */
function methodOf({ payload }: RpcRequest): string {
  return Array.isArray(payload) ? 'batch' : String((payload as { method?: unknown }).method);
}

/** Calls a transport; rejects when there is no response within `ms`. */
async function inTime(base: RpcTransport, request: RpcRequest, ms: number): Promise<unknown> {
  // The transport of kit waits for an abort still to come.
  request.signal?.throwIfAborted();
  const payload = isLong(request.payload) ? unrecognized(request.payload) : request.payload;
  return withDeadline(ms, request.signal, (signal) => base({ payload, signal }));
}

/** Methods with long responses, of which no number that is read is larger than a double holds exactly. */
const longMethods = new Set(['getProgramAccounts', 'getSignaturesForAddress', 'getTransaction']);

function isLong(payload: unknown): boolean {
  return longMethods.has(String((payload as { method?: unknown }).method));
}

/**
 * Returns a payload that is sent as it is, and that the library does not know for one of Solana: its response is read by
 * `JSON.parse`, not character by character, which takes longer than verifying a transaction's signatures.
 */
function unrecognized(payload: unknown): unknown {
  const text = JSON.stringify(payload, (_key, value) =>
    typeof value === 'bigint' ? toInteger(value) : value,
  );
  return { toJSON: () => JSON.parse(text) };
}

function avoidMs(failures: number): number {
  return Math.min(longestAvoidMs, firstAvoidMs * 2 ** (failures - 1));
}

/** Returns whether a call was refused by 429. */
function isRefusal(error: unknown): boolean {
  if (error instanceof TooManyCallsError) return true;
  return isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR) && error.context.statusCode === 429;
}

/** Returns the pause that a refusal requests; undefined for one that requests none. */
function requestedPauseMs(refusal: unknown): number | undefined {
  if (!isSolanaError(refusal, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) return undefined;
  return retryAfterMs(refusal.context.headers.get('retry-after'));
}

/** Reads `retry-after`: seconds, or a date. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? toInteger(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Returns whether a response is a refusal for too many calls: some providers respond 200 with it in the body. */
export function isRateLimit(code: number | undefined): boolean {
  return code === 429 || code === -32429;
}

/** Returns the code of a JSON-RPC error; undefined for a result. */
export function codeOf(response: unknown): number | undefined {
  const { error } = (response ?? {}) as { error?: { code?: unknown } | null };
  return error == null ? undefined : toInteger(error.code);
}

/** Returns the codes of the errors in a response, one for each call of several. */
export function codesOf(response: unknown): (number | undefined)[] {
  return Array.isArray(response) ? response.map(codeOf) : [codeOf(response)];
}

function slotOf(response: unknown): bigint | undefined {
  const { result } = (response ?? {}) as { result?: { context?: { slot?: unknown } } | null };
  const slot = result?.context?.slot;
  return typeof slot === 'bigint' ? slot : typeof slot === 'number' ? BigInt(slot) : undefined;
}

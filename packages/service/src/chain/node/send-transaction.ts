import type { Address, Base64EncodedDataResponse, RpcTransport, Signature } from '@solana/kit';
import { toInteger } from '../../domain/integer.js';
import type { Cause } from '../../reasons.js';
import { advised, causeOf, errorOfResponse, type FailedTransaction, unknownPayer } from '../failure/cause.js';
import { TransactionDifference, viewTransaction } from '../inspect/transaction-view.js';
import { memberOf } from '../program/program-errors.js';
import { tokenAmountOf } from '../program/token-accounts.js';

/** What the node said to a transaction. */
export type SendOutcome =
  /** Taken, or known already: it has landed or may land. `looked`: its status was read for that. */
  | { kind: 'accepted'; looked: boolean }
  /** Refused for good, unless the node's words were not `understood`; the message of the cause begins with them. */
  | { kind: 'refused'; cause: Cause; understood: boolean }
  /** No usable response, or one of a node that lags: whether it was taken is not known. Sending the same bytes again is safe. */
  | { kind: 'unreachable'; cause: unknown };

/** A signed transaction in wire format. */
export interface SignedBytes {
  transaction: Uint8Array;
  /** Base58 of its first signature. */
  txHash: Signature;
  /** It cannot land above this block height. */
  lastValidBlockHeight: bigint;
}

interface RpcFailure {
  code: number;
  message: string;
  err: unknown;
  /** What the programs logged while the node tried the transaction out. */
  logs: string[];
}

/** Codes of Agave for what is wrong with the transaction itself; any other one is the node's own trouble. */
const preflightFailed = -32002;
const signatureFailed = -32003;
const transactionFaults = new Set([preflightFailed, signatureFailed, -32602, -32600, -32013]);

/** Speaks JSON-RPC itself for the sake of the node's own words, which @solana/kit replaces by codes. */
export class NodeSender {
  readonly #transport: RpcTransport;
  readonly #programAddress: Address;

  constructor(transport: RpcTransport, programAddress: Address) {
    this.#transport = transport;
    this.#programAddress = programAddress;
  }

  /** `deadline` ends all waiting. */
  async send(
    { transaction, txHash, lastValidBlockHeight }: SignedBytes,
    deadline: AbortSignal,
  ): Promise<SendOutcome> {
    const base64 = Buffer.from(transaction).toString('base64');
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
    try {
      const failure = failureOf(await this.#call('sendTransaction', [base64, options], deadline));
      if (!failure) return { kind: 'accepted', looked: false };
      if (failure.err === 'AlreadyProcessed') return { kind: 'accepted', looked: false };
      // What has landed is refused in many ways: its blockhash has expired, its effect is there, or the node reports
      // that it knows it with a text of its own. The status on chain decides, whatever the node reports.
      if ((await this.landed([txHash], deadline))[0]) return { kind: 'accepted', looked: true };
      if (!transactionFaults.has(failure.code)) return { kind: 'unreachable', cause: asError(failure) };
      if (failure.err === 'BlockhashNotFound' && (await this.#height(deadline)) <= lastValidBlockHeight)
        return { kind: 'unreachable', cause: asError(failure) };
      const understood = failure.code !== preflightFailed || failure.err !== undefined;
      return { kind: 'refused', cause: await this.#causeOf(failure, transaction, deadline), understood };
    } catch (error) {
      return { kind: 'unreachable', cause: error };
    }
  }

  /**
   * Returns which of the transactions have landed, with whatever outcome. Rejects when the node gives no usable
   * response.
   */
  async landed(txHashes: Signature[], deadline: AbortSignal): Promise<boolean[]> {
    const params = [txHashes, { searchTransactionHistory: true }];
    const response = await this.#call('getSignatureStatuses', params, deadline);
    const failure = failureOf(response);
    if (failure) throw asError(failure);
    const statuses = memberOf(memberOf(response, 'result'), 'value');
    if (!Array.isArray(statuses) || statuses.length !== txHashes.length) {
      throw new Error('The node returned something unexpected for getSignatureStatuses');
    }
    return statuses.map((status) => status !== null);
  }

  /** Returns why the node refused a transaction; a balance that it depends on is read where the node responds. */
  async #causeOf(failure: RpcFailure, transaction: Uint8Array, deadline: AbortSignal): Promise<Cause> {
    const { code, message, err } = failure;
    if (code === signatureFailed) return advised('signature_invalid', message);
    if (code !== preflightFailed) return advised('malformed', message);
    if (err === undefined) {
      return {
        reason: 'program_error',
        programErrorName: 'Unknown',
        message: `${message}. Make sure that it has not landed before you request a new quote.`,
      };
    }
    const failed = failedTransaction(failure, transaction);
    const payer = unknownPayer(failed, this.#programAddress);
    const balances = payer === undefined ? failed.balances : await this.#balancesOf(payer, deadline);
    return causeOf({ ...failed, balances }, this.#programAddress);
  }

  /** Returns how far the chain has come. A node that lags gives less, and what it does not know yet is not taken for over. */
  async #height(deadline: AbortSignal): Promise<bigint> {
    const response = await this.#call('getBlockHeight', [{ commitment: 'confirmed' }], deadline);
    const failure = failureOf(response);
    if (failure) throw asError(failure);
    return BigInt(toInteger(memberOf(response, 'result')));
  }

  async #balancesOf(account: Address, deadline: AbortSignal): Promise<FailedTransaction['balances']> {
    const options = { encoding: 'base64', commitment: 'confirmed' };
    try {
      const response = await this.#call('getAccountInfo', [account, options], deadline);
      const result = memberOf(response, 'result');
      if (memberOf(result, 'value') === undefined) return new Map();
      const found = memberOf(result, 'value') as { owner: Address; data: Base64EncodedDataResponse } | null;
      return new Map([[account, tokenAmountOf(found)]]);
    } catch {
      // The cause then says less; the refusal stands.
      return new Map();
    }
  }

  #call(method: string, params: unknown[], signal: AbortSignal): Promise<unknown> {
    return this.#transport({ payload: { jsonrpc: '2.0', id: 1, method, params }, signal });
  }
}

function failureOf(response: unknown): RpcFailure | undefined {
  const error = memberOf(response, 'error');
  if (error == null) {
    if (memberOf(response, 'result') === undefined) throw new Error('The node responded without a result');
    return undefined;
  }
  const data = memberOf(error, 'data');
  const logs = memberOf(data, 'logs');
  const message = String(memberOf(error, 'message') ?? '');
  return {
    code: toInteger(memberOf(error, 'code')),
    message,
    err: errorOfResponse(data, message),
    logs: Array.isArray(logs) ? logs.map(String) : [],
  };
}

function failedTransaction({ err, message, logs }: RpcFailure, transaction: Uint8Array): FailedTransaction {
  const { accounts, instructions } = viewOf(transaction);
  return {
    error: err,
    words: message,
    feePayer: accounts[0],
    instructions: instructions.map((instruction) => ({ ...instruction, depth: 1 })),
    logs,
    balances: new Map(),
  };
}

/** Nothing of a transaction that is not a legacy one. */
function viewOf(
  transaction: Uint8Array,
): Pick<ReturnType<typeof viewTransaction>, 'accounts' | 'instructions'> {
  try {
    return viewTransaction(transaction);
  } catch (error) {
    if (error instanceof TransactionDifference) return { accounts: [], instructions: [] };
    throw error;
  }
}

function asError({ code, message }: RpcFailure): Error {
  return new Error(`The node returned ${code}: ${message}`);
}

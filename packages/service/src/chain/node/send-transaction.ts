import type { RpcTransport, Signature } from '@solana/kit';
import { toInteger } from '../../domain/integer.js';
import { describeMissingSol } from '../admin/missing-sol.js';
import { describeProgramError, instructionFailureOf, memberOf } from '../program/program-errors.js';

/** What the node said to a transaction. */
export type SendOutcome =
  /** Taken, or known already: it has landed or may land. */
  | { kind: 'accepted' }
  /** Refused for good; `reason` is the node's text, with the name of the program's error where it is one. */
  | { kind: 'refused'; reason: string }
  /** No usable response: whether it was taken is not known. Sending the same bytes again is safe. */
  | { kind: 'unreachable'; cause: unknown };

interface RpcFailure {
  code: number;
  message: string;
  err: unknown;
  /** What the programs logged while the node tried the transaction out. */
  logs: string[];
}

/** Codes of Agave for what is wrong with the transaction itself; any other one is the node's own trouble. */
const preflightFailed = -32002;
const transactionFaults = new Set([preflightFailed, -32003, -32602, -32600, -32013]);

/** Speaks JSON-RPC itself for the sake of the node's own words, which @solana/kit replaces by codes. */
export class NodeSender {
  readonly #transport: RpcTransport;

  constructor(transport: RpcTransport) {
    this.#transport = transport;
  }

  /** `transaction` is the wire format, `txHash` its first signature in base58. `deadline` ends all waiting. */
  async send(transaction: Uint8Array, txHash: Signature, deadline: AbortSignal): Promise<SendOutcome> {
    const base64 = Buffer.from(transaction).toString('base64');
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
    try {
      const failure = failureOf(await this.#call('sendTransaction', [base64, options], deadline));
      if (!failure) return { kind: 'accepted' };
      if (failure.err === 'AlreadyProcessed') return { kind: 'accepted' };
      // What has landed is refused in many ways: its blockhash has expired, its effect is there, or the node reports
      // that it knows it with a text of its own. The status on chain decides, whatever the node reports.
      if ((await this.landed([txHash], deadline))[0]) return { kind: 'accepted' };
      if (!transactionFaults.has(failure.code)) return { kind: 'unreachable', cause: asError(failure) };
      return { kind: 'refused', reason: reasonOf(failure, transaction) };
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
  return {
    code: toInteger(memberOf(error, 'code')),
    message: String(memberOf(error, 'message') ?? ''),
    err: memberOf(data, 'err'),
    logs: Array.isArray(logs) ? logs.map(String) : [],
  };
}

/** `Transaction simulation failed: … custom program error: 0x1782 (SlippageExceeded: The output is …)`. */
function reasonOf({ message, err, logs }: RpcFailure, transaction: Uint8Array): string {
  const failure = instructionFailureOf(err);
  if (!failure) return message;
  const { index, code } = failure;
  const meaning =
    describeMissingSol(transaction, index, logs) ??
    (code === undefined ? undefined : describeProgramError(code));
  return meaning === undefined ? message : `${message} (${meaning})`;
}

function asError({ code, message }: RpcFailure): Error {
  return new Error(`The node returned ${code}: ${message}`);
}

import { RPC_CODES, RpcError } from './errors.js';
import type { Faults } from './faults.js';
import { toJson } from './json.js';

/** What becomes of a message: an answer (undefined: none is due), no answer ever, or a dropped connection. */
export type Dispatched = { do: 'answer'; text: string | undefined } | { do: 'hang' } | { do: 'close' };

/** Runs a method that exists; undefined when it does not. */
export type Call = (method: string, params: readonly unknown[]) => (() => unknown) | undefined;

type Id = string | number | null;

const PARSE_ERROR = errorText(null, RPC_CODES.parse, 'Parse error', undefined);
const INVALID_REQUEST = errorText(null, RPC_CODES.invalidRequest, 'Invalid request', undefined);
const SILENT: Dispatched = { do: 'answer', text: undefined };

function errorText(id: Id, code: number, message: string, data: unknown): string {
  return toJson({ jsonrpc: '2.0', error: { code, message, data }, id });
}

function answer(id: Id | undefined, text: (id: Id) => string): Dispatched {
  return id === undefined ? SILENT : { do: 'answer', text: text(id) };
}

function failure(id: Id | undefined, error: unknown): Dispatched {
  if (error instanceof RpcError)
    return answer(id, (known) => errorText(known, error.code, error.message, error.data));
  console.error('localnet: a method failed unexpectedly', error);
  return answer(id, (known) => errorText(known, RPC_CODES.internal, 'Internal error', undefined));
}

interface Request {
  method: string;
  params: unknown;
  /** Undefined: a notification. */
  id: Id | undefined;
}

function requestOf(value: unknown): Request | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { jsonrpc, method, params, id } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return undefined;
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') return undefined;
  return { method, params, id };
}

async function dispatchOne(value: unknown, faults: Faults, call: Call): Promise<Dispatched> {
  const request = requestOf(value);
  if (!request) return { do: 'answer', text: INVALID_REQUEST };
  const { method, params, id } = request;
  const fault = faults.take(method);
  if (fault?.mode === 'hang') return { do: 'hang' };
  if (fault?.mode === 'close') return { do: 'close' };
  if (fault) return answer(id, (known) => errorText(known, fault.code, fault.message, undefined));
  try {
    if (params !== undefined && params !== null && !Array.isArray(params)) {
      throw new RpcError(RPC_CODES.invalidParams, 'Invalid params: expected an array.');
    }
    const run = call(method, params ?? []);
    if (!run) throw new RpcError(RPC_CODES.methodNotFound, 'Method not found');
    const result = await run();
    return answer(id, (known) => toJson({ jsonrpc: '2.0', result: result ?? null, id: known }));
  } catch (error) {
    return failure(id, error);
  }
}

async function dispatchBatch(requests: readonly unknown[], faults: Faults, call: Call): Promise<Dispatched> {
  if (requests.length === 0) return { do: 'answer', text: INVALID_REQUEST };
  const texts: string[] = [];
  for (const request of requests) {
    const outcome = await dispatchOne(request, faults, call);
    if (outcome.do !== 'answer') return outcome;
    if (outcome.text !== undefined) texts.push(outcome.text);
  }
  return texts.length === 0 ? SILENT : { do: 'answer', text: `[${texts.join(',')}]` };
}

/** Answers one JSON-RPC text, single or batch (JSON-RPC 2.0, sections 4 to 6). */
export async function dispatch(text: string, faults: Faults, call: Call): Promise<Dispatched> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { do: 'answer', text: PARSE_ERROR };
  }
  return Array.isArray(value)
    ? await dispatchBatch(value, faults, call)
    : await dispatchOne(value, faults, call);
}

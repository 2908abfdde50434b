import { RPC_CODES, RpcError } from './errors.js';
import type { Faults } from './faults.js';
import { toJson } from './json.js';

/** The outcome of a message: a response (undefined: none is due), no response ever, or a dropped connection. */
export type Dispatched = { do: 'respond'; text: string | undefined } | { do: 'hang' } | { do: 'close' };

/** Runs a method that exists, with parameters as they were given; undefined when it does not. */
export type Call = (method: string, params: unknown) => (() => unknown) | undefined;

type Id = string | number | null;

const PARSE_ERROR = errorText(null, RPC_CODES.parse, 'Parse error', undefined);
const SILENT: Dispatched = { do: 'respond', text: undefined };

function errorText(id: Id, code: number, message: string, data: unknown): string {
  return toJson({ jsonrpc: '2.0', error: { code, message, data }, id });
}

function response(id: Id | undefined, text: (id: Id) => string): Dispatched {
  return id === undefined ? SILENT : { do: 'respond', text: text(id) };
}

function failure(id: Id | undefined, error: unknown): Dispatched {
  if (error instanceof RpcError)
    return response(id, (known) => errorText(known, error.code, error.message, error.data));
  console.error('localnet: a method failed unexpectedly', error);
  return response(id, (known) => errorText(known, RPC_CODES.internal, 'Internal error', undefined));
}

interface Request {
  method: string;
  params: unknown;
  /** Undefined: a notification. */
  id: Id | undefined;
  /** Whether it is marked as JSON-RPC 2.0. */
  versioned: boolean;
}

const MEMBERS = new Set(['jsonrpc', 'method', 'params', 'id']);

function isId(value: unknown): value is Id {
  return (
    value === null || typeof value === 'string' || (Number.isSafeInteger(value) && (value as number) >= 0)
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns whether a node can read it at all, as a call or at least as one that is invalid; else the whole text is a
 * parse error.
 */
function isReadable(value: unknown): value is Record<string, unknown> {
  return isObject(value) && (value.id === undefined || isId(value.id));
}

/** Returns the call in an object; undefined when it is none (jsonrpc-core `types/request.rs`: `Call::Invalid`). */
function requestOf(value: Record<string, unknown>): Request | undefined {
  const { jsonrpc, method, params, id } = value;
  if (typeof method !== 'string' || Object.keys(value).some((member) => !MEMBERS.has(member)))
    return undefined;
  if (params !== undefined && params !== null && typeof params !== 'object') return undefined;
  if (jsonrpc !== undefined && jsonrpc !== null && jsonrpc !== '2.0') return undefined;
  return { method, params, id: id as Id | undefined, versioned: jsonrpc === '2.0' };
}

async function dispatchOne(value: Record<string, unknown>, faults: Faults, call: Call): Promise<Dispatched> {
  const request = requestOf(value);
  if (!request) {
    const id = (value.id as Id | undefined) ?? null;
    return { do: 'respond', text: errorText(id, RPC_CODES.invalidRequest, 'Invalid request', undefined) };
  }
  const { method, params, id, versioned } = request;
  if (!versioned) {
    const text = 'Unsupported JSON-RPC protocol version';
    return response(id, (known) => errorText(known, RPC_CODES.invalidRequest, text, undefined));
  }
  const fault = faults.take(method, params);
  if (fault?.mode === 'hang') return { do: 'hang' };
  if (fault?.mode === 'close') return { do: 'close' };
  if (fault) return response(id, (known) => errorText(known, fault.code, fault.message, undefined));
  try {
    const run = call(method, params);
    if (!run) throw new RpcError(RPC_CODES.methodNotFound, 'Method not found');
    const result = await run();
    return response(id, (known) => toJson({ jsonrpc: '2.0', result: result ?? null, id: known }));
  } catch (error) {
    return failure(id, error);
  }
}

async function dispatchBatch(
  requests: readonly Record<string, unknown>[],
  faults: Faults,
  call: Call,
): Promise<Dispatched> {
  const texts: string[] = [];
  for (const request of requests) {
    const outcome = await dispatchOne(request, faults, call);
    if (outcome.do !== 'respond') return outcome;
    if (outcome.text !== undefined) texts.push(outcome.text);
  }
  return texts.length === 0 ? SILENT : { do: 'respond', text: `[${texts.join(',')}]` };
}

/**
 * Responds to one JSON-RPC text, single or batch, as jsonrpc-core does, which nodes are built with: anything that is
 * not an object, or has an invalid id, makes the whole text a parse error, and an empty batch has an empty response.
 */
export async function dispatch(text: string, faults: Faults, call: Call): Promise<Dispatched> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { do: 'respond', text: PARSE_ERROR };
  }
  if (Array.isArray(value)) {
    return value.every(isReadable)
      ? await dispatchBatch(value, faults, call)
      : { do: 'respond', text: PARSE_ERROR };
  }
  return isReadable(value) ? await dispatchOne(value, faults, call) : { do: 'respond', text: PARSE_ERROR };
}

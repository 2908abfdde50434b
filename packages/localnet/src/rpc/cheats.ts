import type { AccountState } from '../account.js';
import { invalidParams, RPC_CODES } from '../errors.js';
import { setTokenBalance } from '../token-balance.js';
import type { Method, Methods } from './context.js';
import {
  addressOf,
  addressParam,
  booleanIn,
  choiceIn,
  configParam,
  numberIn,
  objectOf,
  stringParam,
} from './params.js';

const U64_MAX = 2n ** 64n - 1n;
const WARP_SECONDS_MAX = 10 * 365 * 86_400;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads a u64 from a decimal string. Throws invalid params (-32602) naming the parameter. */
function amountOf(value: unknown, name: string): bigint {
  const amount = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  if (amount === undefined || amount > U64_MAX) {
    throw invalidParams(`Invalid params: ${name} must be a decimal string from "0" to "${U64_MAX}"`);
  }
  return amount;
}

const karat_setAccount: Method = ({ chain }, params) => {
  const address = addressParam(params, 0);
  const wanted = objectOf(params[1] ?? null);
  const lamports = amountOf(wanted.lamports, 'lamports');
  if (lamports === 0n) {
    chain.writeAccounts([{ address, state: undefined }]);
    return null;
  }
  const data = wanted.data ?? '';
  if (typeof data !== 'string' || !BASE64.test(data))
    throw invalidParams('Invalid params: data must be base64');
  const state: AccountState = {
    lamports,
    owner: addressOf(wanted.owner),
    data: new Uint8Array(Buffer.from(data, 'base64')),
    executable: booleanIn(wanted, 'executable'),
  };
  chain.writeAccounts([{ address, state }]);
  return null;
};

const karat_setTokenBalance: Method = async ({ chain }, params) => {
  const owner = addressParam(params, 0);
  const mint = addressParam(params, 1);
  return await setTokenBalance(chain, owner, mint, amountOf(params[2], 'amount'));
};

const karat_warp: Method = ({ chain }, params) => {
  const by = configParam(params, 0);
  const slots = numberIn(by, 'slots');
  const seconds = numberIn(by, 'seconds');
  if (slots === undefined && seconds === undefined)
    throw invalidParams('Invalid params: expected slots or seconds');
  if ((seconds ?? 0) > WARP_SECONDS_MAX || ((slots ?? 0) * chain.slotMs) / 1000 > WARP_SECONDS_MAX) {
    throw invalidParams('Invalid params: a warp covers at most 10 years');
  }
  chain.warp({ slots, seconds });
  return { slot: chain.slot, unixTimestamp: Math.floor(chain.nowMs() / 1000) };
};

const karat_injectFault: Method = ({ faults }, params) => {
  const wanted = objectOf(params[0] ?? null);
  const method = stringParam([wanted.method], 0);
  const mode = choiceIn(wanted, 'mode', ['error', 'hang', 'close'] as const);
  if (mode === undefined) throw invalidParams('Invalid params: missing field `mode`.');
  const times = numberIn(wanted, 'times') ?? 1;
  if (times === 0) throw invalidParams('Invalid params: times must be at least 1');
  const code = wanted.code ?? RPC_CODES.nodeUnhealthy;
  const message = wanted.message ?? 'Injected fault';
  const about = wanted.about ?? '';
  if (typeof code !== 'number' || !Number.isSafeInteger(code))
    throw invalidParams('Invalid params: code must be an integer');
  if (typeof message !== 'string') throw invalidParams('Invalid params: message must be a string');
  if (typeof about !== 'string') throw invalidParams('Invalid params: about must be a string');
  faults.inject(method, { mode, about, code, message }, times);
  return null;
};

/** Methods that no real node has: they move the chain past its rules, for tests and demos. */
export const cheatMethods: Methods = {
  karat_setAccount,
  karat_setTokenBalance,
  karat_warp,
  karat_injectFault,
  karat_clearFaults: ({ faults }) => {
    faults.clear();
    return null;
  },
};

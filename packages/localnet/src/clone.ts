import type { AccountChange } from './account.js';
import { addressToBytes } from './address-bytes.js';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`${what} is missing`);
  return value as Record<string, unknown>;
}

function address(value: unknown, what: string): string {
  if (typeof value === 'string' && addressToBytes(value)) return value;
  throw new Error(`${what} is not an address`);
}

/**
 * Returns lamports as the text has them, since a JavaScript number is not exact above 2^53; a string in quotes is taken
 * too.
 */
function lamportsIn(text: string): bigint {
  const found = /"lamports"\s*:\s*"?(\d{1,20})"?\s*[,}]/.exec(text)?.[1];
  const lamports = found === undefined ? 0n : BigInt(found);
  if (lamports === 0n || lamports >= 2n ** 64n) throw new Error('lamports must be a number from 1 to 2^64-1');
  return lamports;
}

/**
 * Reads an account as `solana account ADDR --output json` writes it: `{pubkey, account: {lamports, data: [base64,
 * "base64"], owner, executable}}`. Throws with what is wrong.
 */
export function readAccountJson(text: string): AccountChange {
  const file = record(JSON.parse(text), 'the account');
  const account = record(file.account, 'account');
  const [data, encoding] = Array.isArray(account.data) ? account.data : [undefined, undefined];
  if (typeof data !== 'string' || encoding !== 'base64' || !BASE64.test(data))
    throw new Error('data is not of the form ["…", "base64"]');
  const state = {
    lamports: lamportsIn(text),
    owner: address(account.owner, 'owner'),
    data: new Uint8Array(Buffer.from(data, 'base64')),
    executable: account.executable === true,
  };
  return { address: address(file.pubkey, 'pubkey'), state };
}

import { readdirSync, readFileSync } from 'node:fs';
import { checkTransaction, KaratError, type Network, type Parties, type Quoted } from '@karat/sdk';
import { describe, expect, test } from 'vitest';
import { locateTransaction } from '../../wire/src/index.js';

/** The vectors that are published for the check before signing in any language. */

interface Vector {
  name: string;
  kind: Quoted['kind'];
  request: object;
  response: object;
  network: Network;
  wallets: Parties;
  transaction: string;
  verdict: 'good' | 'bad';
  difference?: string;
}

const folder = new URL('../../../docs/vectors/', import.meta.url);
const files = readdirSync(folder).map((file) => {
  const vectors: Vector[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  return { file, vectors };
});

function differenceOf({ kind, request, response: quote, transaction, network, wallets }: Vector) {
  try {
    checkTransaction(transaction, { kind, request, quote } as Quoted, network, wallets);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(KaratError);
    expect(error).toMatchObject({
      code: 'transaction_unexpected',
      message: expect.stringContaining('Nothing was signed'),
    });
    return (error as KaratError).field;
  }
}

describe.each(files)('the vectors of $file', ({ vectors }) => {
  test.each(vectors)('the check reports of a transaction, $verdict: $name', (vector) => {
    expect(vector.difference !== undefined).toBe(vector.verdict === 'bad');
    expect(differenceOf(vector)).toBe(vector.difference);
  });

  test('the check refuses each good transaction with any bit of its message changed, but where nothing of the caller’s depends on it', () => {
    const isNamed = ({ kind, wallets }: Vector) =>
      kind === 'redemption' || wallets.partner_wallets?.length === 1;
    for (const vector of vectors.filter((each) => each.verdict === 'good' && isNamed(each))) {
      const bytes = Buffer.from(vector.transaction, 'base64');
      const free = freePlaces(bytes, vector.kind);
      const unseen = [];
      for (let at = 1 + 64 * (bytes[0] ?? 0); at < bytes.length; at += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const transaction = changed.toString('base64');
        if (differenceOf({ ...vector, transaction }) === undefined && !free.has(at)) unseen.push(at);
      }
      expect(unseen, vector.name).toEqual([]);
    }
  });
});

/**
 * Places in a transaction that the check leaves to the program and to the chain: the blockhash, what the service pays, which
 * accounts are read only, the accounts that the program itself knows or that only their owner can spend, until when a trade is
 * taken and, within bounds, how much it may give.
 */
function freePlaces(bytes: Uint8Array, kind: Vector['kind']): Set<number> {
  const { message, messageAt } = locateTransaction(bytes);
  const { accountsAt, blockhashAt, instructions } = message;
  const [limit, price] = instructions;
  const call = instructions.at(-1);
  if (!limit || !price || !call) throw new Error('it has no instructions');
  const free = new Set<number>([messageAt + 1, messageAt + 2]);
  const add = (from: number, length: number) => {
    for (let at = from; at < from + length; at += 1) free.add(at);
  };
  add(blockhashAt, 32);
  add(limit.dataAt + 1, 4);
  add(price.dataAt + 1, 8);
  // That the account of a wallet is the one that gets what comes out, the program that creates it makes sure of.
  const owned = kind === 'redemption' ? [4] : [5, 6];
  const known = kind === 'redemption' ? [1, 5, 7] : [0, 1, 7, 8, 9, 10, 13, ...(kind === 'buy' ? [16] : [])];
  for (const place of [...owned, ...known]) {
    // The account itself, and which account it is.
    add(accountsAt + 32 * (bytes[call.accountsAt + place] as number), 32);
    if (place !== { buy: 6, sell: 5, redemption: undefined }[kind]) free.add(call.accountsAt + place);
  }
  if (kind !== 'redemption') {
    add(call.dataAt + 17, 8);
    add(call.dataAt + 27, 8);
  }
  return free;
}

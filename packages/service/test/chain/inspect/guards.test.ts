import { guardProgram, memoProgram } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import { type Address, getAddressDecoder, type Instruction } from '@solana/kit';
import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { takeGuardsAway } from '../../../src/chain/inspect/guards.js';
import { type ExpectedTrade, inspectTrade } from '../../../src/chain/inspect/inspect-trade.js';
import { viewTransaction } from '../../../src/chain/inspect/transaction-view.js';
import { newId } from '../../../src/domain/ids.js';
import { addressOf } from '../fixtures.js';
import { givenBuy } from '../given-buy.js';
import {
  assertAccountInfo,
  assertSysvarClock,
  assertTokenAccount,
  guard,
  memoryClose,
  memoryWrite,
  reordered,
  withGuards,
} from '../guarded.js';
import { compile, cosign, instructionsOf, withFirstSignatureOf } from '../signed-trade.js';

const { service, partner, user, builder, tradeId, terms, expected } = givenBuy();

const assertions = Array.from({ length: 16 }, (_, index) => index + 2);

let quote: Uint8Array;
beforeAll(async () => {
  quote = await builder.build(terms);
});

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
const signedByAll = (transaction: Uint8Array) => cosign(transaction, [partner, user]);
const decode = (key: Uint8Array) => getAddressDecoder().decode(key);
const serviceSigners = [service.address];

/** Some accounts that the quote names already, and two that it does not. */
const named = (): Address[] =>
  readLegacyTransaction(quote)
    .accounts.slice(1)
    .map((key) => decode(key));
const anyGuard = fc
  .record({
    number: fc.constantFrom(...assertions),
    picks: fc.array(fc.nat({ max: 100 }), { maxLength: 3 }),
    strangers: fc.array(fc.integer({ min: 60, max: 70 }), { maxLength: 1 }),
    data: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 8 }),
  })
  .map(({ number, picks, strangers, data }) => {
    const all = named();
    const known = picks.map((pick) => all[pick % all.length] ?? addressOf(60));
    return guard(number, [...known, ...strangers.map(addressOf)], [0, ...data]);
  });

describe('taking guards away', () => {
  test('taking guards away gives the very message of the quote, whatever the guards, their places and the order of accounts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyGuard, fc.nat({ max: 5 })), { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (placed, random) => {
          const place = (own: Instruction[]) => {
            const list = [...own];
            for (const [added, at] of placed) list.splice(at, 0, added);
            return list;
          };
          const shuffle = (keys: number[]) =>
            keys
              .map((key) => ({ key, rank: random.next().value ?? 0 }))
              .sort((left, right) => left.rank - right.rank)
              .map(({ key }) => key);
          const made = withGuards(quote, [], place);
          // More than the network carries is refused before anything else.
          fc.pre(made.length <= 1_232);
          const guarded = reordered(made, shuffle);
          const found = takeGuardsAway(viewTransaction(guarded), serviceSigners);
          expect(hex(found?.message)).toBe(hex(readLegacyTransaction(quote).message));
          const inspected = inspectTrade(signedByAll(guarded), expected);
          expect(hex(inspected.guardedMessage)).toBe(hex(readLegacyTransaction(guarded).message));
          expect(inspected.quoteTxHash).toBe(viewTransaction(quote).txHash);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('taking guards away finds none in a quote as it was issued', () => {
    expect(takeGuardsAway(viewTransaction(quote), serviceSigners)).toBeUndefined();
  });

  test('taking guards away works on what @solana/web3.js 1.x makes of a quote', () => {
    const transaction = Transaction.from(quote);
    const keys = [{ pubkey: new PublicKey(user.address), isSigner: false, isWritable: false }];
    const programId = new PublicKey(guardProgram);
    transaction.add(
      new TransactionInstruction({ programId, keys, data: Buffer.from([assertAccountInfo, 0, 1]) }),
    );
    const message = transaction.compileMessage().serialize();
    const bytes = Uint8Array.from([3, ...new Uint8Array(192), ...message]);
    const guarded = withFirstSignatureOf(quote, bytes);
    expect(hex(takeGuardsAway(viewTransaction(guarded), serviceSigners)?.message)).toBe(
      hex(readLegacyTransaction(quote).message),
    );
    expect(inspectTrade(signedByAll(guarded), expected).guardedMessage).toBeDefined();
  });
});

/** A quote with one silent guard of the user's wallet, rebuilt with other parts. */
const one = () => guard(assertAccountInfo, [user.address]);
const rebuilt = (change: (list: Instruction[]) => Instruction[], blockhash: string = addressOf(99)) => {
  const list = change([...instructionsOf(quote, decode), one()]);
  return withFirstSignatureOf(quote, compile({ feePayer: service.address, blockhash, instructions: list }));
};
const withData = (at: number, edit: (data: Buffer) => void) => (list: Instruction[]) =>
  list.map((instruction, index) => {
    if (index !== at) return instruction;
    const data = Buffer.from(instruction.data ?? []);
    edit(data);
    return { ...instruction, data };
  });
const first = (own: Instruction[], added: Instruction[]) => [...added, ...own];

describe('a quote with guards is refused', () => {
  test.each<[string, () => Uint8Array, string]>([
    [
      'that writes to a memory account',
      () => withGuards(quote, [guard(memoryWrite, [user.address])]),
      'Instruction 6, of the guard program, is not an accepted assertion: its number is 0.',
    ],
    ['that closes one', () => withGuards(quote, [guard(memoryClose, [user.address])]), 'its number is 1.'],
    ['of a number that is not known', () => withGuards(quote, [guard(18)]), 'its number is 18.'],
    [
      'without data',
      () => withGuards(quote, [{ ...one(), data: new Uint8Array() }]),
      'its number is missing.',
    ],
    [
      'with a memory write among assertions',
      () => withGuards(quote, [one(), guard(memoryWrite), one()]),
      'Instruction 7, of the guard program,',
    ],
    [
      'of which there are five',
      () =>
        withGuards(
          quote,
          Array.from({ length: 5 }, () => guard(assertSysvarClock)),
        ),
      'It has 5 guards, at most 4 are allowed.',
    ],
    [
      'that names the key of the service',
      () => withGuards(quote, [guard(assertAccountInfo, [service.address])]),
      'Instruction 6, of the guard program, names the key of the service.',
    ],
    [
      'that is handed the key of the service behind another account',
      () => withGuards(quote, [guard(assertTokenAccount, [user.address, service.address])]),
      'names the key of the service',
    ],
    [
      'that makes a foreign account writable',
      () => withGuards(quote, [guard(assertAccountInfo, [addressOf(60)], [0], 1)]),
      `Its guards make ${addressOf(60)} a signer or writable.`,
    ],
    [
      'that makes an account of the quote writable',
      () => withGuards(quote, [guard(assertAccountInfo, [terms.config.goldMint], [0], 1)]),
      'The signature of the service does not match',
    ],
    [
      'with another amount',
      () => signedByAll(rebuilt(withData(4, (data) => data.writeBigUInt64LE(1n, 1)))),
      'The amount was changed: the buy instruction has 1 base units, the memo 100000000.',
    ],
    [
      'with a lower floor',
      () => rebuilt(withData(4, (data) => data.writeBigUInt64LE(1n, 9))),
      'The signature of the service does not match',
    ],
    ['with another blockhash', () => rebuilt((list) => list, addressOf(98)), 'The signature of the service'],
    [
      'with a further instruction',
      () => rebuilt((list) => [...list, { programAddress: memoProgram, data: Buffer.from('hello') }]),
      'Instruction 6 was added: it calls Memo',
    ],
    [
      'with an instruction less',
      () => rebuilt((list) => list.filter((_, at) => at !== 3)),
      'Instruction 4 was removed: the token account.',
    ],
    [
      'in place of the token account',
      () => rebuilt((list) => list.map((item, at) => (at === 3 ? one() : item))),
      'Instruction 4 was removed: the token account.',
    ],
    [
      'with its instructions in another order',
      () => rebuilt(([limit, price, ...rest]) => [price, limit, ...rest].flatMap((item) => item ?? [])),
      'The signature of the service does not match',
    ],
    [
      'without the signature of the service',
      () => {
        const copy = withGuards(quote, [one()]);
        copy.fill(0, 1, 65);
        return copy;
      },
      'The signature of the service is missing.',
    ],
    [
      'without the signature of the partner',
      () => cosign(withGuards(quote, [one()]), [user]),
      'The signature of the partner wallet',
    ],
    [
      'without the signature of the user',
      () => cosign(withGuards(quote, [one()]), [partner]),
      'The signature of the user wallet',
    ],
    [
      'under the signatures of the quote as it was',
      () => {
        const copy = withGuards(quote, [one()]);
        copy.set(signedByAll(quote).subarray(0, 193), 0);
        return copy;
      },
      'is not valid for this message',
    ],
    [
      'with a key twice',
      () => doubled(withGuards(quote, [guard(assertAccountInfo, [addressOf(60)])])),
      'twice',
    ],
    [
      'with an account that nobody uses',
      () => unused(withGuards(quote, [guard(assertAccountInfo, [addressOf(60)])])),
      `No instruction uses its account ${addressOf(60)}.`,
    ],
  ])('%s', (_, make, words) => {
    expect(() => inspectTrade(make(), expected)).toThrow(words);
  });

  test.each<[string, Partial<ExpectedTrade>, string]>([
    ['for another trade', { tradeId: newId('trd') }, `It belongs to ${tradeId}`],
    ['as a sell', { side: 'sell' }, 'It is a buy, not a sell.'],
    ['by another partner', { integrator: addressOf(31) }, 'It is a trade of another partner'],
  ])('a quote with guards is refused when it is sent %s', (_, change, words) => {
    const guarded = signedByAll(withGuards(quote, [one()]));
    expect(() => inspectTrade(guarded, expected)).not.toThrow();
    expect(() => inspectTrade(guarded, { ...expected, ...change })).toThrow(words);
  });

  test('a quote with guards is refused with one byte changed, every other of them', () => {
    const guarded = signedByAll(withGuards(quote, [one(), guard(assertTokenAccount, [addressOf(60)])]));
    for (let at = 0; at < guarded.length; at += 2) {
      const copy = Uint8Array.from(guarded);
      copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
      expect(() => inspectTrade(copy, expected), `byte ${at}`).toThrow(/^\p{Lu}.*\.$/u);
    }
  });
});

test('a guard may stand before the trade and behind it, whatever it logs', () => {
  const loud = guard(assertAccountInfo, [user.address], [1]);
  for (const place of [first, undefined]) {
    expect(() => inspectTrade(signedByAll(withGuards(quote, [loud], place)), expected)).not.toThrow();
  }
});

test('the assertions of the guard program are accepted, and no other instruction of it', () => {
  const accepted = Array.from({ length: 256 }, (_, number) => number).filter((number) => {
    try {
      return inspectTrade(signedByAll(withGuards(quote, [guard(number)])), expected) !== undefined;
    } catch (error) {
      expect(String(error)).toContain(`is not an accepted assertion: its number is ${number}.`);
      return false;
    }
  });
  expect(accepted).toEqual(assertions);
});

/** The transaction with its last account, which only a guard names, once more instead of the one before it. */
function doubled(transaction: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(transaction);
  const { accounts } = readLegacyTransaction(copy);
  accounts.at(-1)?.set(accounts.at(-2) ?? new Uint8Array(32));
  return copy;
}

/** The transaction whose guards name the user instead of the account that they brought with them. */
function unused(transaction: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(transaction);
  const { accounts, instructions } = readLegacyTransaction(copy);
  const position = (wanted: Address) => accounts.findIndex((key) => decode(key) === wanted);
  instructions.at(-1)?.accountIndexes.fill(position(user.address));
  return copy;
}

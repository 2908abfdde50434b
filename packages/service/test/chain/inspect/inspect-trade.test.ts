import { memoProgram } from '@karat/signer';
import { maxTransactionBytes, readLegacyTransaction } from '@karat/wire';
import { getAddressDecoder, getBase58Decoder, type Instruction } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { inspectTrade } from '../../../src/chain/inspect/inspect-trade.js';
import { newId } from '../../../src/domain/ids.js';
import { newWallet } from '../../harness.js';
import { addressOf, programAddress } from '../fixtures.js';
import { givenBuy } from '../given-buy.js';
import { compile, cosign, instructionsOf, withFirstSignatureOf } from '../signed-trade.js';

const { service, partner, user, builder, tradeId, terms, expected } = givenBuy();
const { blockhash } = terms;

const stranger = newWallet();

/** The quote as the service hands it out, and as it comes back signed. */
let quote: Uint8Array;
let signed: Uint8Array;
let instructions: Instruction[];

beforeAll(async () => {
  quote = await builder.build(terms);
  signed = cosign(quote, [partner, user]);
  instructions = instructionsOf(quote, (key) => getAddressDecoder().decode(key));
});

/** A changed transaction under the service's old signature, signed again by partner and user. */
function forged(
  change: (list: Instruction[]) => Instruction[],
  parts: { version?: 0; blockhash?: string } = {},
) {
  const made = compile({
    feePayer: service.address,
    blockhash,
    instructions: change([...instructions]),
    ...parts,
  });
  const carried = withFirstSignatureOf(quote, made);
  return parts.version === 0 ? carried : cosign(carried, [partner, user]);
}

/** The instruction at `position` with other data. */
const withData = (position: number, edit: (data: Buffer) => Buffer) => (list: Instruction[]) =>
  list.map((instruction, index) =>
    index === position ? { ...instruction, data: edit(Buffer.from(instruction.data ?? [])) } : instruction,
  );

const write64 = (value: bigint, at: number) => (data: Buffer) => {
  data.writeBigUInt64LE(value, at);
  return data;
};

const foreign: Instruction = { programAddress: addressOf(66), data: new Uint8Array([1]) };
const memoWith = (text: string) => withData(2, () => Buffer.from(text));

describe('inspectTrade', () => {
  test('inspectTrade passes the untouched transaction, signed by partner and user, with its id', () => {
    expect(inspectTrade(signed, expected)).toEqual({
      quoteTxHash: getBase58Decoder().decode(signed.slice(1, 65)),
      serviceSigner: service.address,
      blockhash,
      guardedMessage: undefined,
      user: user.address,
      // At most: what goes in, and the most that may come out.
      moves: { usdc: 100_000_000n, gold: 30_000n },
      stated: { expiresAtMs: 1_750_000_030_000 },
    });
  });

  test('inspectTrade passes a quote that the other service signer gave while keys are rotated', () => {
    const signers = [stranger.address, service.address];
    expect(() => inspectTrade(signed, { ...expected, serviceSigners: signers })).not.toThrow();
  });

  test.each([
    ['for another trade id', { tradeId: newId('trd') }, `It belongs to ${tradeId}, not to trd_`],
    ['as a sell', { side: 'sell' as const }, 'It is a buy, not a sell.'],
    ['by another partner', { integrator: addressOf(31) }, 'It is a trade of another partner'],
    ['to a service with another key', { serviceSigners: [stranger.address] }, 'Its fee payer is'],
  ])('inspectTrade refuses a good transaction sent %s', (_, change, message) => {
    expect(() => inspectTrade(signed, { ...expected, ...change })).toThrow(message);
  });

  test.each<[string, () => Uint8Array, string]>([
    [
      'an edited amount',
      () => forged(withData(4, write64(1n, 1))),
      'The amount was changed: the buy instruction has 1 base units, the memo 100000000.',
    ],
    [
      'an edited minimum',
      () => forged(withData(4, write64(1n, 9))),
      'The signature of the service does not match',
    ],
    [
      'an amount edited in instruction and memo alike',
      () => forged((list) => memoWith(`karat|1|buy|${tradeId}|1`)(withData(4, write64(1n, 1))(list))),
      'The signature of the service does not match',
    ],
    [
      'an added instruction',
      () => forged((list) => [...list, foreign]),
      `Instruction 6 was added: it calls ${addressOf(66)}`,
    ],
    ['an instruction put in front', () => forged((list) => [foreign, ...list]), 'Instruction 1 was added'],
    [
      'a second memo',
      () => forged((list) => [...list, instructions[2] ?? foreign]),
      'Instruction 6 was added',
    ],
    [
      'a removed token account',
      () => forged((list) => list.filter((_, i) => i !== 3)),
      'Instruction 4 was removed: the token account',
    ],
    [
      'a removed compute limit',
      () => forged((list) => list.slice(1)),
      'Instruction 2 was removed: the compute unit price',
    ],
    [
      'a replaced instruction',
      () => forged((list) => list.map((one, i) => (i === 3 ? foreign : one))),
      'Instruction 4 was replaced',
    ],
    [
      'a dropped memo',
      () => forged((list) => list.filter(({ programAddress: p }) => p !== memoProgram)),
      'The memo of the service is missing.',
    ],
    ['a dropped trade', () => forged((list) => list.slice(0, 4)), 'The buy instruction is missing.'],
    [
      'a sell in its place',
      () => forged(withData(4, (data) => Buffer.concat([Uint8Array.of(9), data.subarray(1)]))),
      'The trade instruction is not a buy.',
    ],
    ['a memo of another kind', () => forged(memoWith('hello')), 'Its memo is not one of the service.'],
    [
      'a memo of another trade',
      () => forged(memoWith(`karat|1|buy|${newId('trd')}|100000000`)),
      'It belongs to trd_',
    ],
    [
      'a memo of a sell',
      () => forged(memoWith(`karat|1|sell|${tradeId}|100000000`)),
      'It is a sell, not a buy.',
    ],
    [
      'another blockhash',
      () => forged((list) => list, { blockhash: addressOf(98) }),
      'The signature of the service does not match',
    ],
    [
      'another integrator',
      () =>
        forged((list) =>
          list.map((one) =>
            one.programAddress === programAddress
              ? {
                  ...one,
                  accounts: (one.accounts ?? []).map((a, i) =>
                    i === 1 ? { ...a, address: addressOf(31) } : a,
                  ),
                }
              : one,
          ),
        ),
      'It is a trade of another partner',
    ],
    [
      'another receiver',
      () =>
        forged((list) =>
          list.map((one) =>
            one.programAddress === programAddress
              ? {
                  ...one,
                  accounts: (one.accounts ?? []).map((a, i) =>
                    i === 6 ? { ...a, address: addressOf(41) } : a,
                  ),
                }
              : one,
          ),
        ),
      'The signature of the service does not match',
    ],
    [
      'a version 0 message',
      () => forged((list) => list, { version: 0 }),
      'a version 0 transaction, where a legacy one is needed',
    ],
    [
      'another fee payer',
      () =>
        cosign(compile({ feePayer: stranger.address, blockhash, instructions }), [stranger, partner, user]),
      `Its fee payer is ${stranger.address}, not the service.`,
    ],
    [
      'no signature of the service',
      () => cosign(compile({ feePayer: service.address, blockhash, instructions }), [partner, user]),
      'The signature of the service is missing.',
    ],
    [
      'no signature of the partner',
      () => cosign(quote, [user]),
      `The signature of the partner wallet (${partner.address}) is missing.`,
    ],
    [
      'no signature of the user',
      () => cosign(quote, [partner]),
      `The signature of the user wallet (${user.address}) is missing.`,
    ],
    [
      'a bad signature of the service',
      () => flipped(signed, 20),
      'The signature of the service does not match',
    ],
    [
      'a bad signature of the partner',
      () => flipped(signed, 1 + 64 + 20),
      'The signature of the partner wallet',
    ],
    ['a bad signature of the user', () => flipped(signed, 1 + 128 + 20), 'The signature of the user wallet'],
    ['bytes after its end', () => Uint8Array.from([...signed, 0]), '1 bytes follow its end'],
    ['a missing last byte', () => signed.slice(0, -1), 'it ends too early'],
    [
      'more bytes than the network carries',
      () => Uint8Array.from([...signed, ...new Uint8Array(maxTransactionBytes)]),
      'at most 1232 are allowed',
    ],
    ['nothing in it', () => new Uint8Array(), 'it ends too early'],
    ['random bytes', () => new Uint8Array(300).fill(7), 'It is not a transaction of a quote'],
    [
      'a signature too few',
      () => Uint8Array.from([2, ...signed.slice(1, 129), ...signed.slice(193)]),
      'it carries 2 signatures where its message needs 3',
    ],
  ])('inspectTrade refuses one with %s', (_, make, message) => {
    expect(() => inspectTrade(make(), expected)).toThrow(message);
  });

  test('inspectTrade refuses each of 200 copies with one bit flipped, and names the reason', () => {
    const reasons = new Set<string>();
    for (let round = 0; round < 200; round += 1) {
      const at = (round * 7_919) % signed.length;
      const copy = Uint8Array.from(signed);
      copy[at] = (copy[at] ?? 0) ^ (1 << (round % 8));
      expect(() => inspectTrade(copy, expected), `bit ${round % 8} of byte ${at}`).toThrow(/^\p{Lu}.*\.$/u);
      try {
        inspectTrade(copy, expected);
      } catch (error) {
        reasons.add(String(error).slice(0, 40));
      }
    }
    expect(reasons.size).toBeGreaterThan(5);
  });

  test('inspectTrade takes bytes of any kind without an error of its own', () => {
    for (let length = 0; length < 400; length += 1) {
      const prefix = signed.slice(0, length);
      expect(() => inspectTrade(prefix, expected)).toThrow(/it ends too early/);
    }
  });
});

/** A copy with one bit changed that keeps the signature well-formed. */
function flipped(transaction: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(transaction);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

test('an over-long count is refused, as a node does', () => {
  const copy = Uint8Array.from([0x83, 0x00, ...signed.slice(1)]);
  expect(() => readLegacyTransaction(copy)).toThrow('shortest form');
});

import { type Address, getAddressDecoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOf, MessageTemplate } from '../src/message-template.js';
import { compile, compiled } from './transactions.js';

const decoder = getAddressDecoder();
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const [slot, other] = [254, 255].map((byte) => decoder.decode(new Uint8Array(32).fill(byte))) as [
  Address,
  Address,
];

test('a filled template has the bytes that the Solana library compiles', () => {
  const roles = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }));
  fc.assert(
    fc.property(
      compiled(fc.constant('legacy' as const)),
      roles,
      bytes32,
      bytes32,
      (made, [a, b], one, two) => {
        const withAccounts = (first: Address, second: Address, data: Uint8Array) => [
          ...made.instructions,
          {
            programAddress: decoder.decode(new Uint8Array(32).fill(8)),
            accounts: [
              { address: second, role: b },
              { address: first, role: a },
            ],
            data,
          },
        ];
        const holes = { slots: [slot, other], open: [made.instructions.length] };
        const template = new MessageTemplate(made.feePayer, withAccounts(slot, other, two), holes);
        const [first, second] = [one, two].map((bytes) => decoder.decode(bytes)) as [Address, Address];
        fc.pre(first !== second);
        for (const data of [one, new Uint8Array(300).fill(1)]) {
          const filled = template.fill([keyOf(first), keyOf(second)])?.write(made.blockhash, [data]);
          const wanted = compile({ ...made, instructions: withAccounts(first, second, data) }).bytes;
          expect(filled && Uint8Array.from(filled)).toEqual(wanted);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a template is not filled with an account that it names elsewhere, or twice', () => {
  const [feePayer, program, stranger] = [1, 2, 3].map((byte) =>
    decoder.decode(new Uint8Array(32).fill(byte)),
  ) as [Address, Address, Address];
  const accounts = [slot, other].map((address) => ({ address, role: 1 }));
  const template = new MessageTemplate(feePayer, [{ programAddress: program, accounts }], {
    slots: [slot, other],
    open: [],
  });
  const key = keyOf(stranger);
  expect(template.fill([key, key])).toBeUndefined();
  expect(template.fill([key, keyOf(feePayer)])).toBeUndefined();
  expect(template.fill([keyOf(program), key])).toBeUndefined();
  expect(template.fill([key, keyOf(other)])).toBeDefined();
});

test('a text that is no address has no key', () => {
  expect(() => keyOf('l')).toThrow('"l" is no address');
});

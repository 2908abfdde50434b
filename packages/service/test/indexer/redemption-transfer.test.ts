import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { getTransferCheckedInstructionDataEncoder } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { decode, givenTrade, keys, memoOf, type Scene, tokenProgram, transfer } from './scene.js';

const id = 'red_0192f000-0000-7000-8000-000000000001';
const amount = 380_625n;

const payment = (paid = amount, target = keys.escrowGold): Instruction => ({
  programAddress: tokenProgram,
  accounts: [keys.userGold, keys.goldMint, target, keys.user].map((address: Address, index) => ({
    address,
    role: index === 3 ? AccountRole.READONLY_SIGNER : AccountRole.WRITABLE,
  })),
  data: getTransferCheckedInstructionDataEncoder().encode({ amount: paid, decimals: 6 }),
});

/** A redemption as the service builds it and the chain executes it. */
function givenRedemption(): Scene {
  return {
    ...givenTrade(),
    instructions: [memoOf(`karat|1|redeem|${id}|${amount}`), payment()],
    invoked: new Map(),
    balances: [
      { account: keys.userGold, before: 1_000_000n, after: 1_000_000n - amount },
      { account: keys.escrowGold, before: 5n, after: 5n + amount },
    ],
  };
}

const facts = {
  id,
  amount,
  userWallet: keys.user,
  escrowAccount: keys.escrowGold,
  failureReason: null,
};

describe('a redemption', () => {
  test('is read from the memo and the one transfer beside it', async () => {
    const { redemption, trade, letters } = await decode(givenRedemption());
    expect({ redemption, trade, letters }).toEqual({ redemption: facts, trade: undefined, letters: [] });
  });

  test('is read also when its payment made the escrow account', async () => {
    const scene = givenRedemption();
    scene.balances = [{ account: keys.escrowGold, after: amount }];
    expect((await decode(scene)).redemption).toEqual(facts);
  });

  test('that failed is read without any balance', async () => {
    const scene = givenRedemption();
    scene.error = { InstructionError: [1, { Custom: 1 }] } as unknown as Scene['error'];
    scene.balances = [];
    expect(await decode(scene)).toMatchObject({
      redemption: { ...facts, failureReason: 'instruction 1: Custom 1' },
      letters: [],
    });
  });

  test('that failed without the signature of its user is none: the key of the service alone can make one', async () => {
    const scene = givenRedemption();
    const unsigned = (payment().accounts ?? []).map(({ address }) => ({
      address,
      role: AccountRole.WRITABLE,
    }));
    scene.instructions[1] = { ...payment(), accounts: unsigned };
    scene.error = { InstructionError: [1, 'MissingRequiredSignature'] } as unknown as Scene['error'];
    scene.balances = [];
    expect(await decode(scene)).toMatchObject({
      redemption: undefined,
      letters: [{ reason: 'signature_missing', detail: { id, missing: ['user'] } }],
    });
  });

  test('is read beside instructions that move no token', async () => {
    const scene = givenRedemption();
    scene.instructions.push({ programAddress: keys.otherProgram, data: new Uint8Array([1]) });
    expect((await decode(scene)).redemption).toEqual(facts);
  });

  test.each<[string, (scene: Scene) => void, string[], object]>([
    [
      'escrow received less than the transfer says',
      (s) => s.balances?.splice(1, 1, { account: keys.escrowGold, before: 5n, after: 4n + amount }),
      ['redemption_mismatch'],
      { wrong: ['balance'], received: '380624' },
    ],
    [
      'escrow received nothing',
      (s) => s.balances?.splice(1, 1),
      ['redemption_mismatch'],
      { wrong: ['balance'], received: '0' },
    ],
    [
      'the memo says another amount',
      (s) => s.instructions.splice(0, 1, memoOf(`karat|1|redeem|${id}|5`)),
      ['redemption_mismatch'],
      { wrong: ['memo'] },
    ],
    [
      'there is no transfer',
      (s) => {
        s.instructions.pop();
        s.balances = [];
      },
      ['redemption_mismatch'],
      { wrong: ['transfer'], came_into_escrow: '0' },
    ],
    [
      'there are two transfers',
      (s) => s.instructions.push(payment(1n, keys.treasuryGold)),
      ['redemption_mismatch'],
      { wrong: ['transfer'], token_calls: 2, came_into_escrow: '380625' },
    ],
    [
      'a program made the transfer',
      (s) => {
        s.instructions[1] = {
          programAddress: keys.otherProgram,
          accounts: [...(payment().accounts ?? []), { address: tokenProgram, role: AccountRole.READONLY }],
          data: new Uint8Array([1]),
        };
        s.invoked = new Map([
          [1, [transfer([keys.userGold, keys.goldMint, keys.escrowGold, keys.user], amount)]],
        ]);
      },
      ['redemption_mismatch'],
      { wrong: ['transfer'], token_calls: 1 },
    ],
    [
      'the call of the token program is one that nobody knows',
      (s) => s.instructions.splice(1, 1, { ...payment(), data: new Uint8Array(10).fill(232) }),
      ['redemption_mismatch'],
      { wrong: ['transfer'] },
    ],
    [
      'the service did not sign the memo',
      (s) => s.instructions.splice(0, 1, memoOf(`karat|1|redeem|${id}|${amount}`, keys.stranger)),
      ['escrow_unmatched'],
      { amount: '380625' },
    ],
    [
      'there are two memos of the service',
      (s) => s.instructions.push(memoOf(`karat|1|redeem|${id}|${amount}`)),
      ['several_memos', 'escrow_unmatched'],
      { memos: 2 },
    ],
    [
      'the memo has another form',
      (s) => s.instructions.splice(0, 1, memoOf(`karat|2|redeem|${id}|${amount}`)),
      ['memo_malformed', 'escrow_unmatched'],
      {},
    ],
    [
      'the memo is that of a buy',
      (s) => s.instructions.splice(0, 1, memoOf(`karat|1|buy|trd_${id.slice(4)}|${amount}`)),
      ['trade_missing', 'escrow_unmatched'],
      {},
    ],
  ])('is none where %s', async (_, bend, reasons, detail) => {
    const scene = givenRedemption();
    bend(scene);
    const { redemption, letters } = await decode(scene);
    expect(redemption).toBeUndefined();
    expect(letters.map(({ reason }) => reason)).toEqual(reasons);
    expect(letters[0]?.detail).toMatchObject(detail);
  });
});

test('gold that leaves escrow, and a failed transfer into it, are no dead letters', async () => {
  const leaves = { ...givenRedemption(), instructions: [payment()] };
  leaves.balances = [{ account: keys.escrowGold, before: 10n, after: 3n }];
  expect(await decode(leaves)).toMatchObject({ redemption: undefined, letters: [] });
  const failed = { ...givenRedemption(), instructions: [payment()] };
  failed.error = { InstructionError: [0, { Custom: 1 }] } as unknown as Scene['error'];
  expect(await decode(failed)).toMatchObject({ redemption: undefined, letters: [] });
});

test('gold that comes into escrow beside a trade leaves the trade as it is', async () => {
  const scene = givenTrade();
  scene.instructions.push(payment(7n));
  scene.balances = [{ account: keys.escrowGold, before: 0n, after: 7n }];
  const { trade, letters } = await decode(scene);
  expect(trade).toMatchObject({ status: 'confirmed' });
  expect(letters).toMatchObject([{ reason: 'escrow_unmatched', detail: { amount: '7' } }]);
});

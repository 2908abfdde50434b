import {
  getRedeemInstructionDataEncoder,
  getRedemptionOpenedEncoder,
  KARAT_ERROR__INSUFFICIENT_FUNDS,
  REDEEM_DISCRIMINATOR,
  TradeSide,
} from '@karat/program-client';
import { AccountRole, type Instruction } from '@solana/kit';
import { getTransferCheckedInstructionDataEncoder } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { noFailure } from '../../../src/db/failure.js';
import { type RedemptionId, redemptionBytes, uuidBytes } from '../../../src/domain/ids.js';
import {
  decode,
  eventCall,
  givenTrade,
  karat,
  keys,
  memoOf,
  partnerId,
  type Scene,
  tokenProgram,
  transfer,
} from './scene.js';

const id = 'red_0192f000-0000-7000-8000-000000000001' as RedemptionId;
const other = 'red_0192f000-0000-7000-8000-000000000002' as RedemptionId;
const amount = 380_625n;
const reclaimableAt = new Date('2026-04-01T12:00:00.000Z');
const opened = getRedemptionOpenedEncoder().encode({
  reclaimableAt: BigInt(reclaimableAt.getTime() / 1_000),
});

function redeem(changes: { service?: AccountRole; user?: AccountRole; data?: Uint8Array } = {}): Instruction {
  const { service = AccountRole.WRITABLE_SIGNER, user = AccountRole.READONLY_SIGNER } = changes;
  const args = { id: redemptionBytes(id), partnerId: uuidBytes(partnerId), amount };
  return {
    programAddress: karat,
    accounts: [
      { address: keys.service, role: AccountRole.WRITABLE_SIGNER },
      { address: keys.config, role: AccountRole.WRITABLE },
      { address: keys.service, role: service },
      { address: keys.user, role: user },
      { address: keys.userGold, role: AccountRole.WRITABLE },
      { address: keys.escrowGold, role: AccountRole.WRITABLE },
      { address: keys.goldMint, role: AccountRole.READONLY },
      { address: keys.integrator, role: AccountRole.WRITABLE },
      { address: tokenProgram, role: AccountRole.READONLY },
      { address: keys.otherProgram, role: AccountRole.READONLY },
      { address: karat, role: AccountRole.READONLY },
    ],
    data: changes.data ?? Uint8Array.from(getRedeemInstructionDataEncoder().encode(args)),
  };
}

/** A redemption as the service builds it and the chain executes it. */
function givenRedemption(moved = amount, event: Partial<Scene['event']> = {}): Scene {
  const trade = givenTrade();
  const own = {
    ...{ ...trade.event, kind: REDEEM_DISCRIMINATOR, id: redemptionBytes(id), side: TradeSide.None },
    ...{ amountIn: amount, amountOut: amount, actor: keys.user, counterparty: keys.treasuryAuthority },
    ...event,
  };
  const gold = transfer([keys.userGold, keys.goldMint, keys.escrowGold, keys.user], moved);
  return {
    ...trade,
    instructions: [memoOf(`karat|1|redeem|${id}|${amount}`), redeem()],
    invoked: new Map([[1, [gold, eventCall(own, 2, opened)]]]),
    balances: [
      { account: keys.userGold, before: 1_000_000n, after: 1_000_000n - moved },
      { account: keys.escrowGold, before: 5n, after: 5n + moved },
    ],
  };
}

const facts = {
  id,
  partnerId,
  amount,
  userWallet: keys.user,
  escrowAccount: keys.escrowGold,
  reclaimableAt,
  ...noFailure,
};
const refused = {
  InstructionError: [1, { Custom: KARAT_ERROR__INSUFFICIENT_FUNDS }],
} as unknown as Scene['error'];

/** One that the chain refused. */
function givenFailure(call = redeem()): Scene {
  const scene = givenRedemption();
  return {
    ...scene,
    instructions: [memoOf(`karat|1|redeem|${id}|${amount}`), call],
    ...{ invoked: new Map(), balances: [], error: refused },
  };
}

describe('decode: a redemption', () => {
  test("decode: a redemption is read from the program's event", async () => {
    const { redemption, trade, deadLetters, events } = await decode(givenRedemption());
    expect({ redemption, trade, deadLetters }).toEqual({
      redemption: facts,
      trade: undefined,
      deadLetters: [],
    });
    expect(events).toMatchObject([
      { partnerId: '00000000-0000-0000-0000-000000000000', kind: REDEEM_DISCRIMINATOR },
    ]);
  });

  test('decode: a redemption is read beside other instructions, its memo or not', async () => {
    const scene = givenRedemption();
    scene.instructions[0] = { programAddress: keys.otherProgram, data: new Uint8Array([1]) };
    expect(await decode(scene)).toMatchObject({ redemption: facts, deadLetters: [] });
  });

  test.each([
    ['user', redeem({ user: AccountRole.READONLY }), keys.user],
    ['service', redeem({ service: AccountRole.READONLY }), keys.service],
  ])('decode: a redemption without the signature of its %s leaves no event', async (_, call, missing) => {
    const scene = givenRedemption();
    scene.instructions[1] = {
      ...call,
      accounts: call.accounts?.with(0, { address: keys.stranger, role: AccountRole.WRITABLE_SIGNER }) ?? [],
    };
    scene.instructions[0] = memoOf(`karat|1|redeem|${id}|${amount}`, keys.stranger);
    expect(await decode({ ...scene, feePayer: keys.stranger })).toMatchObject({
      redemption: undefined,
      events: [],
      deadLetters: [
        { reason: 'signature_missing', detail: { kind: REDEEM_DISCRIMINATOR, missing: [missing] } },
      ],
    });
  });

  test('decode: a failed redemption is read from its call', async () => {
    expect(await decode(givenFailure())).toMatchObject({
      redemption: {
        ...facts,
        reclaimableAt: null,
        reason: 'insufficient_gold',
        programErrorName: 'InsufficientFunds',
        failureReason: expect.stringContaining(`The wallet ${keys.user} `),
      },
      deadLetters: [],
    });
  });

  test('decode: a failed redemption without the signature of its user is a dead letter', async () => {
    expect(await decode(givenFailure(redeem({ user: AccountRole.READONLY })))).toMatchObject({
      redemption: undefined,
      deadLetters: [{ reason: 'signature_missing', detail: { id, missing: ['user'] } }],
    });
  });

  test('decode: a failed redemption without the signature of a service signer leaves nothing', async () => {
    expect(await decode({ ...givenFailure(), trusted: [keys.stranger] })).toMatchObject({
      redemption: undefined,
      deadLetters: [],
    });
  });

  test.each<[string, () => Scene, string[], object]>([
    [
      'less is transferred than the event reports',
      () => givenRedemption(amount - 1n),
      ['transfer_mismatch'],
      {},
    ],
    [
      'the event is of another redemption',
      () => givenRedemption(amount, { id: redemptionBytes(other) }),
      ['event_mismatch'],
      { wrong: ['id'] },
    ],
    [
      'the event is of another user',
      () => givenRedemption(amount, { actor: keys.stranger }),
      ['event_mismatch'],
      { wrong: ['user'] },
    ],
    [
      'the event is of another partner',
      () => givenRedemption(amount, { partnerId: new Uint8Array(16).fill(1) }),
      ['event_mismatch'],
      { wrong: ['partner'] },
    ],
    [
      'the event has other amounts',
      () => givenRedemption(amount, { amountIn: 1n, amountOut: 2n }),
      ['event_mismatch'],
      { wrong: ['amount_in', 'amount_out'] },
    ],
    [
      'the event is missing',
      () => {
        const scene = givenRedemption();
        scene.invoked.get(1)?.pop();
        return scene;
      },
      ['event_missing', 'trade_missing'],
      {},
    ],
    [
      'its data has another length',
      () => {
        const scene = givenRedemption();
        scene.instructions[1] = redeem({ data: Uint8Array.of(REDEEM_DISCRIMINATOR, 1) });
        return scene;
      },
      ['undecodable'],
      { kind: REDEEM_DISCRIMINATOR },
    ],
    [
      'there are two',
      () => {
        const scene = givenRedemption();
        scene.instructions.push(redeem());
        scene.invoked.set(2, scene.invoked.get(1) ?? []);
        return scene;
      },
      ['redemption_mismatch'],
      { redemptions: 2 },
    ],
  ])('decode: a redemption is a dead letter where %s', async (_, make, reasons, detail) => {
    const { redemption, deadLetters } = await decode(make());
    expect(redemption).toBeUndefined();
    expect(deadLetters.map(({ reason }) => reason)).toEqual(reasons);
    expect(deadLetters[0]?.detail).toMatchObject(detail);
  });
});

/** GOLD into escrow without a redemption. */
const deposit = (paid = amount): Instruction => ({
  programAddress: tokenProgram,
  accounts: [keys.userGold, keys.goldMint, keys.escrowGold, keys.user].map((address, index) => ({
    address,
    role: index === 3 ? AccountRole.READONLY_SIGNER : AccountRole.WRITABLE,
  })),
  data: getTransferCheckedInstructionDataEncoder().encode({ amount: paid, decimals: 6 }),
});

test('decode: gold that leaves escrow, and a failed transfer into it, are no dead letters', async () => {
  const scene = { ...givenTrade(), instructions: [deposit()], invoked: new Map() };
  const leaves = { ...scene, balances: [{ account: keys.escrowGold, before: 10n, after: 3n }] };
  expect(await decode(leaves)).toMatchObject({ redemption: undefined, deadLetters: [] });
  const failed = { ...scene, error: { InstructionError: [0, { Custom: 1 }] } as unknown as Scene['error'] };
  expect(await decode(failed)).toMatchObject({ redemption: undefined, deadLetters: [] });
});

test.each([
  ['a trade', givenTrade, undefined],
  ['a redemption', givenRedemption, facts],
])(
  'decode: gold that comes into escrow beside %s is escrow_unmatched and changes nothing else',
  async (_, make, redemption) => {
    const scene = make();
    scene.instructions.push(deposit(7n));
    const before = redemption ? amount : 0n;
    scene.balances = [{ account: keys.escrowGold, before: 0n, after: before + 7n }];
    const decoded = await decode(scene);
    expect(decoded.redemption).toEqual(redemption);
    expect(decoded.deadLetters).toMatchObject([{ reason: 'escrow_unmatched', detail: { amount: '7' } }]);
  },
);

import { readFileSync } from 'node:fs';
import {
  BUY_DISCRIMINATOR,
  CLOSE_RECEIPT_DISCRIMINATOR,
  EVENT_DISCRIMINATOR,
  getKeyReplacedEncoder,
  HotKeyRole,
  KARAT_ERROR__INSUFFICIENT_FUNDS,
  KARAT_ERROR__SLIPPAGE_EXCEEDED,
  PAUSE_DISCRIMINATOR,
  REPLACE_KEY_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
} from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import { AccountRole, type Address, getProgramDerivedAddress } from '@solana/kit';
import { describe, expect, test } from 'vitest';

import { noKey } from '../../../src/chain/program/wallet.js';
import { noFailure } from '../../../src/db/failure.js';
import { signerPlaces } from '../../../src/indexer/decode/program-calls.js';
import { addressOf } from '../../chain/fixtures.js';
import {
  decode,
  eventCall,
  givenTrade,
  karat,
  keyOf,
  keys,
  memoOf,
  partnerId,
  relay,
  type Scene,
  tokenProgram,
  tradeId,
  tradeOf,
  transfer,
} from './scene.js';

/** An instruction of the program's interface description. */
interface Described {
  name: string;
  accounts: { isSigner: boolean; isOptional?: boolean }[];
  arguments: { defaultValue?: { number: number } }[];
}
const described: Described[] = JSON.parse(
  readFileSync(new URL('../../../../../program/idl.json', import.meta.url), 'utf8'),
).program.instructions;

const reasons = async (scene: Scene) => (await decode(scene)).deadLetters.map(({ reason }) => reason);
/** What another program could call with the bytes of an event. */
const forged = (scene: Scene, depth = 2) => ({
  ...eventCall({ ...scene.event, amountOut: 999_999n }, depth),
  program: keys.otherProgram,
});
/** The scene with other calls in the place of the one that carries the event. */
const withCalls = (scene: Scene, ...calls: ReturnType<typeof eventCall>[]) => {
  scene.invoked.get(0)?.splice(-1, 1, ...calls);
};
/** The scene's own event with one field changed. */
const withEvent = (scene: Scene, change: Partial<Scene['event']>) =>
  withCalls(scene, eventCall({ ...scene.event, ...change }));

describe('decode: a trade that succeeded', () => {
  test('decode: a buy is read with its figures', async () => {
    const { trade, events, deadLetters } = await decode(givenTrade('buy'));
    expect(deadLetters).toEqual([]);
    expect(events).toEqual([{ partnerId, seq: 7n, kind: BUY_DISCRIMINATOR }]);
    expect(trade).toEqual({
      id: tradeId,
      side: 'buy',
      status: 'confirmed',
      usdcAmount: 100_000_000n,
      goldAmount: 24_267n,
      pricePerTroyOz: '4100.12',
      feeBps: 50,
      feeUsdc: 500_000n,
      eventSeq: 7n,
      ...noFailure,
      userWallet: keys.user,
      madeAccount: true,
      integrator: keys.integrator,
      partnerId,
    });
  });

  test('decode: a sell is read with its sides swapped', async () => {
    const { trade, deadLetters } = await decode(givenTrade('sell'));
    expect(deadLetters).toEqual([]);
    expect(trade).toMatchObject({
      side: 'sell',
      usdcAmount: 99_000_000n,
      goldAmount: 24_267n,
      feeUsdc: 497_000n,
    });
  });

  test('decode: a trade that another program invoked is read from the inner instructions', async () => {
    const scene = givenTrade();
    relay(scene);
    const beside = (amount: bigint) =>
      transfer([keys.userUsdc, keys.usdcMint, keys.treasuryUsdc, keys.user], amount, 2);
    scene.invoked.get(0)?.unshift(beside(77n));
    scene.invoked.get(0)?.push(beside(78n), forged(scene));
    const { trade, deadLetters } = await decode(scene);
    expect(deadLetters).toEqual([]);
    expect(trade).toMatchObject({ id: tradeId, goldAmount: 24_267n });
  });

  test('decode: instructions of other programs around a trade do not matter', async () => {
    const scene = givenTrade();
    const other = {
      programAddress: keys.otherProgram,
      accounts: [{ address: keys.stranger, role: AccountRole.WRITABLE }],
      data: new Uint8Array([9, 9, 9]),
    };
    scene.instructions.push(other);
    scene.invoked.set(2, [forged(scene)]);
    const { trade, deadLetters } = await decode(scene);
    expect(deadLetters).toEqual([]);
    expect(trade?.id).toBe(tradeId);
  });

  test('decode: a service signer that the program accepted is believed after it was retired', async () => {
    const scene = givenTrade();
    scene.trusted = [];
    expect((await decode(scene)).trade?.id).toBe(tradeId);
  });
});

describe('decode: a call without the signatures that the program requires', () => {
  test.each(
    [keys.service, keys.partnerWallet, keys.user].flatMap((key) => [
      { key, relayed: false },
      { key, relayed: true },
    ]),
  )(
    'decode: a trade without the signature of $key leaves no event (relayed: $relayed)',
    async ({ key, relayed }) => {
      const scene = givenTrade();
      const buy = scene.instructions[0];
      const accounts = (buy?.accounts ?? []).map((meta) =>
        meta.address === key ? { address: key, role: AccountRole.READONLY } : meta,
      );
      scene.feePayer = keys.stranger;
      scene.instructions = [
        { programAddress: karat, ...buy, accounts },
        memoOf(`karat|1|buy|${tradeId}|100000000`, keys.stranger),
      ];
      if (relayed) relay(scene);
      expect(await decode(scene)).toMatchObject({
        trade: undefined,
        events: [],
        deadLetters: [{ reason: 'signature_missing', detail: { kind: BUY_DISCRIMINATOR, missing: [key] } }],
      });
    },
  );

  test('decode: an address of a program stands for a signer only in a call of that program', async () => {
    const [own] = await getProgramDerivedAddress({ programAddress: keys.otherProgram, seeds: ['own'] });
    const pause = (depth: number): Scene => {
      const scene = givenTrade();
      const event = { ...scene.event, kind: PAUSE_DISCRIMINATOR, partnerId: new Uint8Array(16) };
      const accounts = [keys.config, own].map((address) => ({ address, role: AccountRole.READONLY }));
      const data = new Uint8Array([PAUSE_DISCRIMINATOR, 1]);
      const call = { program: karat, accounts: [keys.config, own], data, depth };
      const relay = {
        programAddress: keys.otherProgram,
        accounts: [...accounts, { address: karat, role: 0 }],
        data,
      };
      scene.instructions = [depth > 1 ? relay : { programAddress: karat, accounts, data }];
      scene.invoked = new Map([[0, [...(depth > 1 ? [call] : []), eventCall(event, depth + 1)]]]);
      return scene;
    };
    expect(await decode(pause(2))).toMatchObject({ operations: [{ kind: 'pause' }], deadLetters: [] });
    expect(await decode(pause(1))).toMatchObject({
      operations: [],
      deadLetters: [{ reason: 'signature_missing', detail: { missing: [own] } }],
    });
  });

  test('decode: the required signers of every instruction are those of the IDL', () => {
    const required = described.flatMap(({ name, accounts, arguments: [discriminator] }) => {
      const kind = discriminator?.defaultValue?.number ?? -1;
      // An optional one signs where it is given.
      const signers = accounts.flatMap(({ isSigner, isOptional }, place) =>
        isSigner && !isOptional ? [place] : [],
      );
      // The event is a call of the program by itself, and no call of its own here.
      return kind === EVENT_DISCRIMINATOR ? [] : [{ name, kind, signers }];
    });
    expect(required.length).toBeGreaterThan(20);
    expect(required.map((each) => ({ ...each, signers: signerPlaces[each.kind] ?? [] }))).toEqual(required);
  });
});

describe('decode: the event of a call', () => {
  const elsewhere: [string, (scene: Scene) => void][] = [
    ['that is nowhere', (s) => withCalls(s)],
    [
      'in a call of another program',
      (s) => {
        withCalls(s, { ...eventCall(s.event), program: keys.otherProgram });
        s.instructions.push({ programAddress: keys.otherProgram, accounts: [], data: new Uint8Array() });
      },
    ],
    ['in a call deeper than its own', (s) => withCalls(s, eventCall(s.event, 3))],
    [
      'beside the call, in one of the message',
      (s) => {
        withCalls(s);
        const { program, data } = eventCall(s.event);
        const accounts = [{ address: keys.config, role: AccountRole.READONLY }];
        s.instructions.push({ programAddress: program, accounts, data });
      },
    ],
    [
      'below an instruction of another program',
      (s) => {
        withCalls(s);
        s.instructions.push({ programAddress: keys.otherProgram, accounts: [], data: new Uint8Array() });
        s.invoked.set(2, [eventCall(s.event)]);
      },
    ],
  ];
  test.each(elsewhere)('decode: an event %s is not the event of the call', async (_name, bend) => {
    const scene = givenTrade();
    bend(scene);
    const { trade, events, deadLetters } = await decode(scene);
    expect(trade).toBeUndefined();
    expect(events).toEqual([]);
    expect(deadLetters.map(({ reason }) => reason)).toEqual(['event_missing']);
  });

  test('decode: a trade whose inner instructions are missing is a dead letter', async () => {
    const scene = givenTrade();
    scene.invoked.clear();
    expect(await reasons(scene)).toEqual(['event_missing']);
  });

  test('decode: two events of one call, or a piece of one, are refused', async () => {
    const twice = givenTrade();
    withCalls(twice, eventCall(twice.event), eventCall(twice.event));
    expect(await reasons(twice)).toEqual(['event_mismatch']);
    const piece = givenTrade();
    const whole = eventCall(piece.event);
    withCalls(piece, { ...whole, data: whole.data.slice(0, -1) });
    expect(await reasons(piece)).toEqual(['event_mismatch']);
  });
});

describe('decode: an event against arguments, accounts and transfers', () => {
  const changes: [string, Partial<Scene['event']>, string][] = [
    ['another version', { version: 2 }, 'event_mismatch'],
    ['another kind', { kind: SELL_DISCRIMINATOR }, 'event_mismatch'],
    ['another side', { side: 2 }, 'event_mismatch'],
    ['another input', { amountIn: 100_000_001n }, 'event_mismatch'],
    ['no output', { amountOut: 0n }, 'event_mismatch'],
    ['a fee rate above the limit', { feeBps: 1_001 }, 'event_mismatch'],
    ['another user', { actor: keys.stranger }, 'event_mismatch'],
    ['another partner wallet', { counterparty: keys.stranger }, 'event_mismatch'],
    ['another partner', { partnerId: new Uint8Array(16).fill(3) }, 'event_mismatch'],
    ['another trade', { id: new Uint8Array(16).fill(4) }, 'event_mismatch'],
    ['no price', { price: 0n }, 'event_mismatch'],
    ['an exponent that makes no price', { exponent: 1 }, 'event_mismatch'],
    ['another output than was moved', { amountOut: 24_268n }, 'transfer_mismatch'],
    ['another fee than was moved', { fee: 500_001n }, 'transfer_mismatch'],
  ];
  test.each(changes)('decode: an event with %s is refused', async (_name, change, reason) => {
    const scene = givenTrade();
    withEvent(scene, change);
    const { trade, deadLetters } = await decode(scene);
    expect(trade).toBeUndefined();
    expect(deadLetters.map((deadLetter) => deadLetter.reason)).toEqual([reason]);
  });

  const moves: [string, (scene: Scene) => void][] = [
    ['a transfer is missing', (s) => s.invoked.get(0)?.splice(2, 1)],
    [
      'a transfer is made twice',
      (s) =>
        s.invoked
          .get(0)
          ?.push(transfer([keys.treasuryGold, keys.goldMint, keys.userGold, keys.user], 24_267n)),
    ],
    [
      'a transfer goes elsewhere',
      (s) =>
        s.invoked
          .get(0)
          ?.splice(2, 1, transfer([keys.treasuryGold, keys.goldMint, keys.userUsdc, keys.user], 24_267n)),
    ],
    [
      'a transfer is of another mint',
      (s) =>
        s.invoked
          .get(0)
          ?.splice(2, 1, transfer([keys.treasuryGold, keys.usdcMint, keys.userGold, keys.user], 24_267n)),
    ],
    [
      'a transfer belongs to a deeper call',
      (s) =>
        s.invoked
          .get(0)
          ?.splice(2, 1, transfer([keys.treasuryGold, keys.goldMint, keys.userGold, keys.user], 24_267n, 3)),
    ],
    [
      'the token program does something unknown',
      (s) =>
        s.invoked
          .get(0)
          ?.push({ program: tokenProgram, accounts: [keys.userGold], data: new Uint8Array([250]), depth: 2 }),
    ],
    [
      'the token program does something else',
      (s) =>
        s.invoked
          .get(0)
          ?.push({ program: tokenProgram, accounts: [keys.userGold], data: new Uint8Array([9]), depth: 2 }),
    ],
    ['nothing is moved', (s) => s.invoked.get(0)?.splice(0, 3)],
  ];
  test.each(moves)('decode: a trade is a transfer_mismatch where %s', async (_name, bend) => {
    const scene = givenTrade();
    bend(scene);
    const { trade, deadLetters } = await decode(scene);
    expect(trade).toBeUndefined();
    expect(deadLetters.map((deadLetter) => deadLetter.reason)).toEqual(['transfer_mismatch']);
  });
});

describe('decode: the memo of the service', () => {
  const text = `karat|1|buy|${tradeId}|100000000`;
  const cases: [string, (scene: Scene) => void, string[]][] = [
    ['no memo', (s) => s.instructions.pop(), ['memo_missing']],
    [
      'a memo of a stranger',
      (s) => s.instructions.splice(1, 1, memoOf(text, keys.stranger)),
      ['memo_missing'],
    ],
    ['a memo of the user', (s) => s.instructions.splice(1, 1, memoOf(text, keys.user)), ['memo_missing']],
    [
      'a memo without signers',
      (s) => s.instructions.splice(1, 1, { ...memoOf(text), accounts: [] }),
      ['memo_missing'],
    ],
    [
      'a memo of another program',
      (s) => s.instructions.splice(1, 1, { ...memoOf(text), programAddress: keys.otherProgram }),
      ['memo_missing'],
    ],
    ['two memos of the service', (s) => s.instructions.push(memoOf(text)), ['several_memos']],
    [
      'a memo of another amount',
      (s) => s.instructions.splice(1, 1, memoOf(`karat|1|buy|${tradeId}|100000001`)),
      ['memo_mismatch'],
    ],
    [
      'a memo of another id',
      (s) => s.instructions.splice(1, 1, memoOf(`karat|1|buy|${tradeId.slice(0, -1)}2|100000000`)),
      ['memo_mismatch'],
    ],
    [
      'a memo of another side',
      (s) => s.instructions.splice(1, 1, memoOf(`karat|1|sell|${tradeId}|100000000`)),
      ['memo_mismatch'],
    ],
    [
      'a memo of a redemption',
      (s) => s.instructions.splice(1, 1, memoOf(`karat|1|redeem|red_${tradeId.slice(4)}|100000000`)),
      ['memo_mismatch'],
    ],
    [
      'a memo of another version',
      (s) => s.instructions.splice(1, 1, memoOf(`karat|2|buy|${tradeId}|100000000`)),
      ['memo_malformed'],
    ],
  ];
  test.each(cases)('decode: a trade with %s is a dead letter', async (_name, bend, expected) => {
    const scene = givenTrade();
    bend(scene);
    const { trade, events, deadLetters } = await decode(scene);
    expect(trade).toBeUndefined();
    expect(deadLetters.map(({ reason }) => reason)).toEqual(expected);
    expect(events).toEqual([{ partnerId, seq: 7n, kind: BUY_DISCRIMINATOR }]);
  });

  test('decode: the memo of a stranger beside the one of the service changes nothing', async () => {
    const scene = givenTrade();
    const other = `karat|1|buy|trd_0192f000-0000-7000-8000-000000000002|100000000`;
    scene.instructions.unshift(memoOf(other, keys.stranger));
    scene.invoked = new Map([[1, scene.invoked.get(0) ?? []]]);
    const { trade, deadLetters } = await decode(scene);
    expect(deadLetters).toEqual([]);
    expect(trade?.id).toBe(tradeId);
  });

  test('decode: a memo that names the service and lacks its signature is not its memo', async () => {
    const scene = givenTrade();
    scene.error = { InstructionError: [0, { Custom: KARAT_ERROR__SLIPPAGE_EXCEEDED }] } as Scene['error'];
    // The trusted key is an account of the memo and of nothing that signs.
    const rotated = keyOf(77);
    scene.trusted = [rotated];
    scene.instructions[1] = memoOf(text, rotated, AccountRole.READONLY);
    expect(await decode(scene)).toMatchObject({ trade: undefined, deadLetters: [] });
  });

  test('decode: a memo that a program invoked is not one of the service', async () => {
    const scene = givenTrade();
    const memo = scene.instructions.pop();
    if (!memo?.data) throw new Error('no memo');
    scene.instructions.push({
      programAddress: keys.otherProgram,
      accounts: [{ address: memoProgram, role: AccountRole.READONLY }],
      data: new Uint8Array(),
    });
    scene.invoked.set(1, [{ program: memoProgram, accounts: [keys.service], data: memo.data, depth: 2 }]);
    expect(await reasons(scene)).toEqual(['memo_missing']);
  });
});

describe('decode: a trade that failed', () => {
  const failing = (error: unknown): Scene => ({
    ...givenTrade(),
    invoked: new Map(),
    error: error as Scene['error'],
  });

  test('decode: a failed trade has the amount of the memo, no other figure, and the reason', async () => {
    const { trade, events, deadLetters } = await decode(
      failing({ InstructionError: [0, { Custom: KARAT_ERROR__SLIPPAGE_EXCEEDED }] }),
    );
    expect(deadLetters).toEqual([]);
    expect(events).toEqual([]);
    expect(trade).toEqual({
      id: tradeId,
      side: 'buy',
      status: 'failed',
      usdcAmount: 100_000_000n,
      goldAmount: 0n,
      pricePerTroyOz: '0',
      feeBps: 0,
      feeUsdc: 0n,
      eventSeq: null,
      failureReason:
        'SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.',
      reason: 'slippage_exceeded',
      programErrorName: 'SlippageExceeded',
      userWallet: keys.user,
      integrator: keys.integrator,
      partnerId: undefined,
    });
  });

  const causes: [string | null, unknown][] = [
    [
      `Custom${KARAT_ERROR__SLIPPAGE_EXCEEDED}`,
      { InstructionError: [1, { Custom: KARAT_ERROR__SLIPPAGE_EXCEEDED }] },
    ],
    ['Custom1', { InstructionError: [0n, { Custom: 1n }] }],
    ['ComputationalBudgetExceeded', { InstructionError: [0, 'ComputationalBudgetExceeded'] }],
    ['InsufficientFundsForRent', { InsufficientFundsForRent: { account_index: 3n } }],
    ['InvalidProgramForExecution', 'InvalidProgramForExecution'],
  ];
  test.each(causes)(
    'decode: a failed trade is a program_error named %s where no reason is known',
    async (name, error) => {
      const { trade } = await decode(failing(error));
      expect(trade).toMatchObject({ reason: 'program_error', programErrorName: name });
      expect(trade?.failureReason).toContain(name);
    },
  );

  test('decode: a transaction that only paid its fee is a failed trade', async () => {
    const { trade, deadLetters } = await decode(failing('ProgramAccountNotFound'));
    expect(trade).toMatchObject({ status: 'failed', usdcAmount: 100_000_000n });
    expect(deadLetters).toEqual([]);
  });

  test('decode: a failed sell has its gold', async () => {
    const scene = {
      ...givenTrade('sell'),
      error: { InstructionError: [0, { Custom: KARAT_ERROR__INSUFFICIENT_FUNDS }] } as Scene['error'],
    };
    const { trade } = await decode(scene);
    expect(trade).toMatchObject({ status: 'failed', goldAmount: 24_267n, usdcAmount: 0n });
  });

  test('decode: a failed transaction has no events, whatever is below its calls', async () => {
    const scene = givenTrade();
    scene.error = { InstructionError: [1, 'InvalidInstructionData'] } as Scene['error'];
    expect((await decode(scene)).events).toEqual([]);
  });

  test('decode: a failed trade without a memo of a service signer leaves nothing', async () => {
    const scene = failing({ InstructionError: [0, { Custom: 6000 }] });
    scene.trusted = [keys.stranger];
    expect(await decode(scene)).toMatchObject({ trade: undefined, deadLetters: [] });
  });

  test('decode: a failed transaction with a memo and no trade is a dead letter', async () => {
    const scene = failing({ InstructionError: [0, { Custom: KARAT_ERROR__SLIPPAGE_EXCEEDED }] });
    scene.instructions.shift();
    expect(await reasons(scene)).toEqual(['trade_missing']);
  });

  test('decode: a failed trade with a memo of another amount is a dead letter', async () => {
    const scene = failing({ InstructionError: [0, { Custom: KARAT_ERROR__SLIPPAGE_EXCEEDED }] });
    scene.instructions[0] = tradeOf('buy', 5n);
    expect(await reasons(scene)).toEqual(['memo_mismatch']);
  });
});

describe('decode: a transaction that is no single trade', () => {
  test('decode: two trades in one transaction leave both events and a dead letter', async () => {
    const scene = givenTrade();
    scene.instructions.push(tradeOf('buy', 100_000_000n));
    const transfers = scene.invoked.get(0)?.slice(0, -1) ?? [];
    scene.invoked.set(2, [...transfers, eventCall({ ...scene.event, seq: 8n })]);
    const { trade, events, deadLetters } = await decode(scene);
    expect(trade).toBeUndefined();
    expect(events.map(({ seq }) => seq)).toEqual([7n, 8n]);
    expect(deadLetters.map(({ reason }) => reason)).toEqual(['several_trades']);
  });

  test('decode: a memo of the service without a trade is a dead letter', async () => {
    const scene = givenTrade();
    scene.instructions.shift();
    scene.invoked.clear();
    expect(await reasons(scene)).toEqual(['trade_missing']);
  });

  test('decode: an instruction that this version does not know leaves its event and a dead letter', async () => {
    const scene = givenTrade();
    scene.instructions = [{ ...tradeOf('buy', 1n), data: new Uint8Array([200, 1, 2]) }];
    withEvent(scene, { kind: 200, seq: 9n });
    const { events, deadLetters } = await decode(scene);
    expect(events).toEqual([{ partnerId, seq: 9n, kind: 200 }]);
    expect(deadLetters.map(({ reason }) => reason)).toEqual(['unknown_instruction']);
  });

  test('decode: the closing of a receipt leaves nothing', async () => {
    const scene = givenTrade();
    scene.instructions = [{ ...tradeOf('buy', 1n), data: Uint8Array.of(CLOSE_RECEIPT_DISCRIMINATOR) }];
    scene.invoked.clear();
    expect(await decode(scene)).toMatchObject({ trade: undefined, events: [], deadLetters: [] });
  });

  test('decode: a trade with arguments of another length is refused', async () => {
    const scene = givenTrade();
    const buy = tradeOf('buy', 100_000_000n);
    scene.instructions[0] = { ...buy, data: new Uint8Array([...(buy.data ?? []), 0]) };
    expect(await reasons(scene)).toEqual(['undecodable']);
  });

  test.each<[string, Address, Address, string[]]>([
    ['that comes', noKey, addressOf(50), [addressOf(50)]],
    ['that goes', addressOf(50), noKey, [`-${addressOf(50)}`]],
    ['in place of another', addressOf(50), addressOf(51), [`-${addressOf(50)}`, addressOf(51)]],
  ])('decode: a service signer %s is registered', async (_, before, after, serviceSigners) => {
    const scene = givenTrade();
    const admin = { address: keys.stranger, role: AccountRole.READONLY_SIGNER };
    const accounts = tradeOf('buy', 1n).accounts?.with(1, admin) ?? [];
    const kind = REPLACE_KEY_DISCRIMINATOR;
    scene.instructions = [{ ...tradeOf('buy', 1n), accounts, data: new Uint8Array([kind]) }];
    const event = { ...scene.event, kind, partnerId: new Uint8Array(16) };
    const body = getKeyReplacedEncoder().encode({ role: HotKeyRole.ServiceSigner, before, after });
    scene.invoked.set(0, [eventCall(event, 2, body)]);
    expect(await decode(scene)).toMatchObject({
      events: [{ kind, serviceSigners }],
      trade: undefined,
      deadLetters: [],
    });
  });

  test('decode: a pause of what is paused succeeds without an event, and is an operation all the same', async () => {
    const scene = givenTrade();
    const guardian = { address: keys.stranger, role: AccountRole.READONLY_SIGNER };
    const accounts = tradeOf('buy', 1n).accounts?.with(1, guardian) ?? [];
    const data = new Uint8Array([PAUSE_DISCRIMINATOR, 1]);
    scene.instructions = [{ ...tradeOf('buy', 1n), accounts, data }];
    scene.invoked.clear();
    expect(await decode(scene)).toMatchObject({
      events: [],
      operations: [{ kind: 'pause', partnerId: undefined }],
      deadLetters: [],
    });
  });

  test('decode: a transaction that only mentions the program leaves nothing', async () => {
    const scene = givenTrade();
    scene.instructions = [
      {
        programAddress: keys.otherProgram,
        accounts: [karat, keys.config].map((address) => ({ address, role: AccountRole.READONLY })),
        data: new Uint8Array(),
      },
    ];
    scene.invoked.set(0, [forged(scene)]);
    expect(await decode(scene)).toMatchObject({ trade: undefined, events: [], deadLetters: [] });
  });
});

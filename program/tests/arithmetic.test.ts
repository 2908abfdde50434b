import { getBuyInstructionDataEncoder, getSellInstructionDataEncoder } from '@karat/program-client';
import { quoteBuy, quoteSell } from '@karat/service/domain';
import type { ReadonlyUint8Array } from '@solana/kit';
import fc from 'fast-check';
import { ComputeBudget } from 'litesvm';
import { describe, expect, test } from 'vitest';
import { eventBytes, NOW, type Outcome, Scenario } from './fixture.js';
import { I64_MAX, U64_MAX } from './numbers.js';

// The program on the real VM against the service's arithmetic, integer for integer.

/** A price and a fee at which a batch trades. */
interface Terms {
  price: bigint;
  exponent: number;
  feeBps: number;
}

interface Expected {
  side: 1 | 2;
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
}

const CASES = 100_000;
/** kit takes at most 64 instructions in a transaction. */
const PAIRS_PER_BATCH = 32;
/** Amounts of a batch stay below this, so that no balance leaves 64 bits meanwhile. */
const BATCH_LIMIT = 2n ** 53n;
const BALANCE = 2n ** 62n;
const scaleOf = (exponent: number): bigint => 10n ** BigInt(-exponent);

const feeBps = fc.integer({ min: 0, max: 9_999 });
const exponent = fc.integer({ min: -12, max: 0 });

/** Prices inside the widest band there is: 10^-8 to U64_MAX x 10^-8 USD. */
const terms: fc.Arbitrary<Terms> = exponent.chain((digits) => {
  const scale = scaleOf(digits);
  const lowest = (scale + 99_999_999n) / 100_000_000n;
  const highest = (U64_MAX * scale) / 100_000_000n;
  const price = fc.bigInt({ min: lowest > 0n ? lowest : 1n, max: highest < I64_MAX ? highest : I64_MAX });
  const usual = fc.bigInt({ min: 1_000n * scale, max: 10_000n * scale });
  return fc.record({ price: fc.oneof(price, usual), exponent: fc.constant(digits), feeBps });
});

const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 10_000n }),
  fc.bigInt({ min: 1n, max: 10n ** 12n }),
  fc.bigInt({ min: 1n, max: BATCH_LIMIT }),
);

/** A payment around the value of a whole number of base units of gold, where rounding shows; or just any. */
function paymentNear(gold: bigint, jitter: bigint, { price, exponent }: Terms): bigint {
  const value = (gold * price) / scaleOf(exponent) + jitter;
  return value > 0n && value < BATCH_LIMIT ? value : gold;
}

/** A chain whose limits are as wide as the program allows, and a VM that takes hundreds of trades in a transaction. */
async function wideScenario(): Promise<Scenario> {
  const scenario = await Scenario.create();
  const budget = new ComputeBudget();
  budget.computeUnitLimit = 10_000_000n;
  budget.maxInstructionTraceLength = 10_000n;
  scenario.svm.withComputeBudget(budget).withLogBytesLimit(undefined);
  scenario.setConfig({ minPriceE8: 1n, maxPriceE8: U64_MAX, maxTradeUsdc: U64_MAX, maxFeeBps: 9_999 });
  return scenario;
}

function setBalances(
  scenario: Scenario,
  amounts: Record<'userUsdc' | 'userGold' | 'treasuryUsdc' | 'treasuryGold', bigint>,
): void {
  for (const [name, amount] of Object.entries({ ...amounts, feeUsdc: 0n })) {
    const address = scenario.at[name as keyof typeof amounts];
    scenario.patch(address, (data) => new DataView(data.buffer).setBigUint64(64, amount, true));
  }
}

/** Sets the price without doubt about it, and the partner's fee. */
function setTerms(scenario: Scenario, { price, exponent, feeBps }: Terms): void {
  scenario.setPrice({ price, exponent, confidence: 0n });
  scenario.patch(scenario.at.integrator, (data) => new DataView(data.buffer).setUint16(32, feeBps, true));
}

const buyData = getBuyInstructionDataEncoder();
const sellData = getSellInstructionDataEncoder();
const limits = { maxFeeBps: 10_000, expireAt: NOW };

/** The data of a trade that accepts nothing less than what is expected of it. */
function dataOf(trade: Expected): ReadonlyUint8Array {
  return trade.side === 1
    ? buyData.encode({ usdcIn: trade.amountIn, minGoldOut: trade.amountOut, ...limits })
    : sellData.encode({ goldIn: trade.amountIn, minUsdcOut: trade.amountOut, ...limits });
}

/**
 * Sends many trades in one transaction. Compiling hundreds of account lists is most of the work of a batch, so that each number of trades
 * is compiled once, with data that is easy to find, and only the data is written anew.
 */
function tradeSender(scenario: Scenario): (trades: Expected[]) => Outcome {
  const accounts = { ...scenario.buy(), data: undefined };
  const templates = new Map<number, { compiled: ReturnType<Scenario['compile']>; offsets: number[] }>();
  const templateOf = (count: number) => {
    const known = templates.get(count);
    if (known) return known;
    const datas = Array.from({ length: count }, (_, index) =>
      new Uint8Array(buyData.fixedSize).fill(0xc0 + index),
    );
    const compiled = scenario.compile(datas.map((data) => ({ ...accounts, data })));
    const bytes = Buffer.from(compiled.messageBytes);
    const template = { compiled, offsets: datas.map((data) => bytes.indexOf(data)) };
    templates.set(count, template);
    return template;
  };
  return (trades) => {
    const { compiled, offsets } = templateOf(trades.length);
    const messageBytes = new Uint8Array(compiled.messageBytes);
    for (const [index, trade] of trades.entries()) messageBytes.set(dataOf(trade), offsets[index]);
    return scenario.sendCompiled(Object.assign({ ...compiled }, { messageBytes }));
  };
}

/** A buy and the sale of what it gave, as the service computes them; undefined when one of them would give nothing. */
function pairOf(usdcIn: bigint, at: Terms): [Expected, Expected] | undefined {
  const bought = quoteBuy({ usdcIn, ...at });
  if (bought.goldOut <= 0n || bought.goldOut >= BATCH_LIMIT) return undefined;
  const sold = quoteSell({ goldIn: bought.goldOut, ...at });
  if (sold.usdcOut <= 0n) return undefined;
  return [
    { side: 1, amountIn: usdcIn, amountOut: bought.goldOut, fee: bought.fee },
    { side: 2, amountIn: bought.goldOut, amountOut: sold.usdcOut, fee: sold.fee },
  ];
}

/** The part of an event that is compared; the client's decoder, which other tests use, takes too long for so many. */
function resultOf(event: Buffer): Expected {
  return {
    side: event.readUInt8(26) === 1 ? 1 : 2,
    amountIn: event.readBigUInt64LE(27),
    amountOut: event.readBigUInt64LE(35),
    fee: event.readBigUInt64LE(43),
  };
}

/** Whether two lists of trades are the same; vitest's own comparison takes too long for so many. */
function areEqual(left: Expected[], right: Expected[]): boolean {
  const key = ({ side, amountIn, amountOut, fee }: Expected) => `${side} ${amountIn} ${amountOut} ${fee}`;
  return left.map(key).join() === right.map(key).join();
}

/** That rounding was against the caller, and by less than one base unit. */
function checkRounding(
  { side, amountIn, amountOut, fee }: Expected,
  { price, exponent, feeBps }: Terms,
): void {
  const scale = scaleOf(exponent);
  const gross = side === 1 ? amountIn : amountOut + fee;
  const excess = fee * 10_000n - gross * BigInt(feeBps);
  if (excess < 0n || excess >= 10_000n) throw new Error(`fee ${fee} of ${gross} is not rounded up`);
  const rest = side === 1 ? (amountIn - fee) * scale - amountOut * price : amountIn * price - gross * scale;
  if (rest < 0n || rest >= (side === 1 ? price : scale))
    throw new Error(`output ${amountOut} is not rounded down`);
}

const anyAmount = fc.oneof(
  fc.bigInt({ min: 0n, max: U64_MAX }),
  fc.bigInt({ min: U64_MAX - 20_000n, max: U64_MAX }),
  fc.bigInt({ min: 0n, max: 20_000n }),
  fc.constantFrom(2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n),
);

/** Any positive price with any allowed exponent, inside the band or not. */
const anyTerms: fc.Arbitrary<Terms> = fc.record({
  price: fc.oneof(
    fc.bigInt({ min: 1n, max: I64_MAX }),
    fc.bigInt({ min: I64_MAX - 1_000n, max: I64_MAX }),
    fc.bigInt({ min: 1n, max: 1_000n }),
  ),
  exponent: fc.oneof(exponent, fc.constantFrom(0, -12)),
  feeBps: fc.oneof(feeBps, fc.constantFrom(0, 1, 9_999)),
});

/** What must come of a trade with unlimited funds: an error's name, or the trade itself. */
function expectedOf(side: 1 | 2, amountIn: bigint, at: Terms): { outcome: string; trade?: Expected } {
  const e8 = at.price * 100_000_000n;
  const scale = scaleOf(at.exponent);
  if (e8 < scale || e8 > U64_MAX * scale) return { outcome: 'OracleOutOfBand' };
  if (amountIn === 0n) return { outcome: 'ZeroAmount' };
  const quote = side === 1 ? quoteBuy({ usdcIn: amountIn, ...at }) : quoteSell({ goldIn: amountIn, ...at });
  const largest = 'gross' in quote ? quote.gross : quote.goldOut;
  const amountOut = 'usdcOut' in quote ? quote.usdcOut : quote.goldOut;
  if (largest > U64_MAX) return { outcome: 'ArithmeticOverflow' };
  if (amountOut === 0n) return { outcome: 'ZeroAmount' };
  return { outcome: 'lands', trade: { side, amountIn, amountOut, fee: quote.fee } };
}

/** Balances that a trade uses up to the last base unit. */
function exactBalances({ side, amountIn, amountOut, fee }: Expected) {
  return side === 1
    ? { userUsdc: amountIn, userGold: 0n, treasuryUsdc: 0n, treasuryGold: amountOut }
    : { userUsdc: 0n, userGold: amountIn, treasuryUsdc: amountOut + fee, treasuryGold: 0n };
}

describe('the arithmetic of the program', () => {
  test(`equals the service's in ${CASES.toLocaleString('en')} trades, rounds against the caller, and gives no profit`, async () => {
    const scenario = await wideScenario();
    const sendTrades = tradeSender(scenario);
    let compared = 0;
    const payment = fc.tuple(amount, fc.bigInt({ min: -2n, max: 2n }), fc.boolean());
    const batch = fc.tuple(
      terms,
      fc.array(payment, { minLength: PAIRS_PER_BATCH, maxLength: PAIRS_PER_BATCH }),
    );
    const compare = ([at, payments]: [Terms, [bigint, bigint, boolean][]]) => {
      const pairs = payments
        .map(([value, jitter, near]) => pairOf(near ? paymentNear(value, jitter, at) : value, at))
        .filter((pair) => pair !== undefined);
      if (pairs.length === 0) return;
      setTerms(scenario, at);
      setBalances(scenario, {
        userUsdc: BALANCE,
        userGold: 0n,
        treasuryUsdc: BALANCE,
        treasuryGold: BALANCE,
      });
      const trades = pairs.flat();
      const { error, logs } = sendTrades(trades);
      if (error) throw new Error(`${error}\n${logs.slice(-5).join('\n')}`);
      const results = eventBytes(logs).map(resultOf);
      if (!areEqual(results, trades)) expect(results).toEqual(trades);
      for (const trade of trades) checkRounding(trade, at);
      for (const [bought, sold] of pairs) {
        if (sold.amountOut > bought.amountIn) throw new Error(`${bought.amountIn} became ${sold.amountOut}`);
      }
      compared += trades.length;
    };
    while (compared < CASES) fc.assert(fc.property(batch, compare), { numRuns: 100, endOnFailure: true });
    console.log(`arithmetic: ${compared.toLocaleString('en')} trades equal to the service's`);
  }, 240_000);

  test("equals the service's at the extremes: the same integers, or an error, never a wrap", async () => {
    const scenario = await wideScenario();
    const sendTrades = tradeSender(scenario);
    const seen = new Map<string, number>();
    const compare = (at: Terms, side: 1 | 2, amountIn: bigint) => {
      const { outcome, trade } = expectedOf(side, amountIn, at);
      setTerms(scenario, at);
      setBalances(
        scenario,
        trade
          ? exactBalances(trade)
          : { userUsdc: U64_MAX, userGold: 0n, treasuryUsdc: 0n, treasuryGold: 0n },
      );
      const sent = sendTrades([trade ?? { side, amountIn, amountOut: 0n, fee: 0n }]);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      expect(sent.error ?? 'lands').toBe(outcome);
      if (trade) {
        expect(eventBytes(sent.logs).map(resultOf)).toEqual([trade]);
        checkRounding(trade, at);
      }
    };
    const any = fc.tuple(anyTerms, fc.constantFrom<1 | 2>(1, 2), anyAmount);
    const valid = fc.tuple(terms, fc.constantFrom<1 | 2>(1, 2), anyAmount);
    fc.assert(
      fc.property(fc.oneof(any, valid), (sample) => compare(...sample)),
      { numRuns: 2_000, endOnFailure: true },
    );
    console.log(
      `arithmetic at the extremes: ${[...seen].map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`,
    );
    expect([...seen.keys()].sort()).toEqual(['ArithmeticOverflow', 'OracleOutOfBand', 'ZeroAmount', 'lands']);
  }, 120_000);

  test('gives no profit to a sale followed by a buy', async () => {
    const scenario = await wideScenario();
    const sendTrades = tradeSender(scenario);
    const property = (at: Terms, goldIn: bigint) => {
      const sold = quoteSell({ goldIn, ...at });
      if (sold.usdcOut <= 0n || sold.gross >= BALANCE) return;
      const bought = quoteBuy({ usdcIn: sold.usdcOut, ...at });
      if (bought.goldOut <= 0n) return;
      setTerms(scenario, at);
      setBalances(scenario, { userUsdc: 0n, userGold: goldIn, treasuryUsdc: BALANCE, treasuryGold: BALANCE });
      const { error } = sendTrades([
        { side: 2, amountIn: goldIn, amountOut: sold.usdcOut, fee: sold.fee },
        { side: 1, amountIn: sold.usdcOut, amountOut: bought.goldOut, fee: bought.fee },
      ]);
      if (error) throw new Error(error);
      const { userGold, userUsdc } = scenario.at;
      if (scenario.balance(userGold) > goldIn || scenario.balance(userUsdc) !== 0n)
        throw new Error('a profit');
    };
    fc.assert(fc.property(terms, amount, property), { numRuns: 1_000, endOnFailure: true });
  }, 120_000);
});

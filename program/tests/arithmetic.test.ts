import {
  getBuyInstructionDataEncoder,
  getPartnerPurchaseInstructionDataEncoder,
  getPartnerSaleInstructionDataEncoder,
  getSellInstructionDataEncoder,
} from '@karat/program-client';
import { goldForUsdc, quoteBuy, quotePurchase, quoteSell, usdcForGold } from '@karat/service/domain';
import type { ReadonlyUint8Array } from '@solana/kit';
import fc from 'fast-check';
import { ComputeBudget } from 'litesvm';
import { describe, expect, test } from 'vitest';
import { type FreshOrder, NOW, type Outcome, Scenario } from './fixture.js';
import { I64_MAX, U64_MAX } from './numbers.js';

// The program on the real VM against the service's arithmetic, integer for integer.

/** A price and a fee at which a batch trades. */
interface Terms {
  price: bigint;
  exponent: number;
  feeBps: number;
}

type Kind = 'buy' | 'sell' | 'partnerPurchase' | 'partnerSale';

interface Expected {
  kind: Kind;
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
}

/** Once a night as many as an audit would try. */
const CASES = process.env.KARAT_THOROUGH ? 100_000 : 4_000;
const SAMPLES = process.env.KARAT_THOROUGH ? 2_000 : 200;
/** In turns, because a busy machine may take minutes for all of them. */
const TURNS = 4;
/** kit takes at most 64 instructions in a transaction, and every payment makes two pairs: one of a user, one of a vault. */
const PAYMENTS_PER_BATCH = 16;
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
  scenario.setSettings({ minPriceE8: 1n, maxPriceE8: U64_MAX, maxTradeUsdc: U64_MAX, maxFeeBps: 9_999 });
  return scenario;
}

/** Sets the balances of treasury and traders: user and vault alike. */
function setBalances(
  scenario: Scenario,
  { usdc, gold, ...treasury }: Record<'usdc' | 'gold' | 'treasuryUsdc' | 'treasuryGold', bigint>,
): void {
  const traders = { userUsdc: usdc, userGold: gold, vaultUsdc: usdc, vaultGold: gold };
  for (const [name, amount] of Object.entries({ ...treasury, ...traders, feeUsdc: 0n })) {
    const address = scenario.at[name as keyof typeof traders];
    scenario.patch(address, (data) => new DataView(data.buffer).setBigUint64(64, amount, true));
  }
}

/** Sets the price without doubt about it, and the partner's fee. */
function setTerms(scenario: Scenario, { price, exponent, feeBps }: Terms): void {
  scenario.setPrice({ price, exponent, confidence: 0n });
  scenario.patch(scenario.at.integrator, (data) => new DataView(data.buffer).setUint16(32, feeBps, true));
}

const encoders = {
  buy: getBuyInstructionDataEncoder(),
  sell: getSellInstructionDataEncoder(),
  partnerPurchase: getPartnerPurchaseInstructionDataEncoder(),
  partnerSale: getPartnerSaleInstructionDataEncoder(),
};
const dataSize = encoders.buy.fixedSize;
const limits = { maxFeeBps: 10_000, expireAt: NOW };
/** The order of a vault's trade; that of a user has none. */
const orderOf = (kind: Kind, order: FreshOrder | undefined) =>
  kind === 'partnerPurchase' || kind === 'partnerSale' ? order : {};
const buys = (kind: Kind): boolean => kind === 'buy' || kind === 'partnerPurchase';

/** The data of a trade that accepts nothing but what is expected of it. */
function dataOf({ kind, amountIn, amountOut }: Expected, id: Uint8Array): ReadonlyUint8Array {
  const gold = { minGoldOut: amountOut, maxGoldOut: amountOut };
  const usdc = { minUsdcOut: amountOut, maxUsdcOut: amountOut };
  const paid = { maxUsdcIn: amountIn, minUsdcIn: amountIn };
  switch (kind) {
    case 'buy':
      return encoders.buy.encode({ usdcIn: amountIn, ...gold, ...limits, id });
    case 'partnerPurchase':
      return encoders.partnerPurchase.encode({ goldOut: amountOut, ...paid, ...limits, id });
    default:
      return encoders[kind].encode({ goldIn: amountIn, ...usdc, ...limits, id });
  }
}

/**
 * Sends many trades in one transaction. Compiling hundreds of account lists is most of the work of a batch, so that each sequence of
 * kinds is compiled once, with data that is easy to find, and only the data is written anew.
 */
function tradeSender(scenario: Scenario): (trades: Expected[]) => Outcome {
  const templates = new Map<
    string,
    { compiled: ReturnType<Scenario['compile']>; offsets: number[]; ids: Uint8Array[] }
  >();
  const templateOf = (trades: Expected[]) => {
    const key = trades.map(({ kind }) => kind).join();
    const known = templates.get(key);
    if (known) return known;
    const datas = trades.map((_, index) => new Uint8Array(dataSize).fill(0xc0 + index));
    scenario.rewindOrders();
    const orders = trades.map(() => scenario.nextOrder());
    const instructions = trades.map(({ kind }, index) => {
      const built = scenario[kind](orderOf(kind, orders[index]));
      return { ...built, data: datas[index] ?? new Uint8Array() };
    });
    const compiled = scenario.compile(instructions);
    const bytes = Buffer.from(compiled.messageBytes);
    const offsets = datas.map((data) => bytes.indexOf(data));
    const template = { compiled, offsets, ids: orders.map(({ id }) => id) };
    templates.set(key, template);
    return template;
  };
  return (trades) => {
    const { compiled, offsets, ids } = templateOf(trades);
    scenario.rewindOrders();
    for (const _ of trades) scenario.nextOrder();
    const messageBytes = new Uint8Array(compiled.messageBytes);
    for (const [index, trade] of trades.entries()) {
      messageBytes.set(dataOf(trade, ids[index] ?? new Uint8Array(16)), offsets[index]);
    }
    return scenario.sendCompiled(Object.assign({ ...compiled }, { messageBytes }));
  };
}

type Pair = [bought: Expected, sold: Expected];

/**
 * A buy and the sale of what it gave, then a purchase of the same gold and its sale, as the service computes them; nothing when one of them
 * would give nothing.
 */
function pairsOf(usdcIn: bigint, at: Terms): Pair[] {
  const bought = quoteBuy({ usdcIn, ...at });
  const gold = bought.goldOut;
  if (gold <= 0n || gold >= BATCH_LIMIT) return [];
  const sold = quoteSell({ goldIn: gold, ...at });
  if (sold.usdcOut <= 0n) return [];
  const purchased = quotePurchase({ goldOut: gold, ...at });
  const sale = { amountIn: gold, amountOut: sold.usdcOut, fee: sold.fee };
  return [
    [
      { kind: 'buy', amountIn: usdcIn, amountOut: gold, fee: bought.fee },
      { kind: 'sell', ...sale },
    ],
    [
      { kind: 'partnerPurchase', amountIn: purchased.usdcIn, amountOut: gold, fee: purchased.fee },
      { kind: 'partnerSale', ...sale },
    ],
  ];
}

const kinds: Record<number, Kind> = { 20: 'buy', 21: 'sell', 22: 'partnerPurchase', 23: 'partnerSale' };

/** The part of an event that is compared; the client's decoder, which other tests use, takes too long for so many. */
function resultOf(event: Buffer): Expected {
  return {
    kind: kinds[event.readUInt8(1)] ?? 'buy',
    amountIn: event.readBigUInt64LE(43),
    amountOut: event.readBigUInt64LE(51),
    fee: event.readBigUInt64LE(59),
  };
}

/** Whether two lists of trades are the same; vitest's own comparison takes too long for so many. */
function areEqual(left: Expected[], right: Expected[]): boolean {
  const key = ({ kind, amountIn, amountOut, fee }: Expected) => `${kind} ${amountIn} ${amountOut} ${fee}`;
  return left.map(key).join() === right.map(key).join();
}

/** That rounding was against the caller, and by less than one base unit. */
function checkRounding(
  { kind, amountIn, amountOut, fee }: Expected,
  { price, exponent, feeBps }: Terms,
): void {
  const scale = scaleOf(exponent);
  const [net, gross] = buys(kind) ? [amountIn - fee, amountIn] : [amountOut, amountOut + fee];
  const purchase = kind === 'partnerPurchase';
  // The fee of a purchase is a share of what is paid with it: fee / (net + fee) = feeBps / 10000.
  const [base, unit] = purchase ? [net, 10_000n - BigInt(feeBps)] : [gross, 10_000n];
  const excess = fee * unit - base * BigInt(feeBps);
  if (excess < 0n || excess >= unit) throw new Error(`fee ${fee} of ${base} is not rounded up`);
  const rest = buys(kind) ? net * scale - amountOut * price : amountIn * price - gross * scale;
  const limit = kind === 'buy' ? price : scale;
  if (rest < 0n || rest >= limit)
    throw new Error(`${amountIn} for ${amountOut} is not rounded against the caller`);
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

/** The trade of `amount`, of the gold for a purchase and of what is paid otherwise, and its largest number. */
function quoteOf(kind: Kind, amount: bigint, at: Terms): { trade: Expected; largest: bigint } {
  if (kind === 'buy') {
    const { goldOut, fee } = quoteBuy({ usdcIn: amount, ...at });
    return { trade: { kind, amountIn: amount, amountOut: goldOut, fee }, largest: goldOut };
  }
  if (kind === 'partnerPurchase') {
    const { usdcIn, fee } = quotePurchase({ goldOut: amount, ...at });
    return { trade: { kind, amountIn: usdcIn, amountOut: amount, fee }, largest: usdcIn };
  }
  const { gross, usdcOut, fee } = quoteSell({ goldIn: amount, ...at });
  return { trade: { kind, amountIn: amount, amountOut: usdcOut, fee }, largest: gross };
}

/** What must come of a trade with unlimited funds: an error's name, or the trade itself. */
function expectedOf(kind: Kind, amount: bigint, at: Terms): { outcome: string; trade?: Expected } {
  const e8 = at.price * 100_000_000n;
  const scale = scaleOf(at.exponent);
  if (e8 < scale || e8 > U64_MAX * scale) return { outcome: 'OracleOutOfBand' };
  if (amount === 0n) return { outcome: 'ZeroAmount' };
  const { trade, largest } = quoteOf(kind, amount, at);
  if (largest > U64_MAX) return { outcome: 'ArithmeticOverflow' };
  if (trade.amountOut === 0n) return { outcome: 'ZeroAmount' };
  return { outcome: 'lands', trade };
}

/** A trade of `amount` that is refused whatever it accepts. */
function refusedTrade(kind: Kind, amount: bigint): Expected {
  const purchase = { amountIn: U64_MAX, amountOut: amount };
  return { kind, fee: 0n, ...(kind === 'partnerPurchase' ? purchase : { amountIn: amount, amountOut: 0n }) };
}

/** Balances that a trade uses up to the last base unit. */
function exactBalances({ kind, amountIn, amountOut, fee }: Expected) {
  return buys(kind)
    ? { usdc: amountIn, gold: 0n, treasuryUsdc: 0n, treasuryGold: amountOut }
    : { usdc: 0n, gold: amountIn, treasuryUsdc: amountOut + fee, treasuryGold: 0n };
}

describe('the arithmetic of the program', () => {
  const turns = Array.from({ length: TURNS }, (_, turn) => turn + 1);
  const perTurn = CASES / TURNS;
  test.each(turns)(
    `the program equals the service in ${perTurn.toLocaleString('en')} trades, rounds against callers, gives no profit: turn %d of ${TURNS}`,
    async () => {
      const scenario = await wideScenario();
      const sendTrades = tradeSender(scenario);
      let compared = 0;
      const payment = fc.tuple(amount, fc.bigInt({ min: -2n, max: 2n }), fc.boolean());
      const batch = fc.tuple(
        terms,
        fc.array(payment, { minLength: PAYMENTS_PER_BATCH, maxLength: PAYMENTS_PER_BATCH }),
      );
      const compare = ([at, payments]: [Terms, [bigint, bigint, boolean][]]) => {
        const pairs = payments.flatMap(([value, jitter, near]) =>
          pairsOf(near ? paymentNear(value, jitter, at) : value, at),
        );
        if (pairs.length === 0) return;
        setTerms(scenario, at);
        setBalances(scenario, {
          usdc: BALANCE,
          gold: 0n,
          treasuryUsdc: BALANCE,
          treasuryGold: BALANCE,
        });
        const trades = pairs.flat();
        const { error, logs, eventBytes } = sendTrades(trades);
        if (error) throw new Error(`${error}\n${logs.slice(-5).join('\n')}`);
        const results = eventBytes.map(resultOf);
        if (!areEqual(results, trades)) expect(results).toEqual(trades);
        for (const trade of trades) checkRounding(trade, at);
        for (const [bought, sold] of pairs) {
          if (sold.amountOut > bought.amountIn)
            throw new Error(`${bought.amountIn} became ${sold.amountOut}`);
        }
        compared += trades.length;
      };
      // Few batches at a time, so that no turn compares twice as many as it has to.
      while (compared < perTurn) fc.assert(fc.property(batch, compare), { numRuns: 5, endOnFailure: true });
      console.log(`arithmetic: ${compared.toLocaleString('en')} trades equal to the service's`);
    },
    240_000,
  );

  test("the arithmetic of the program equals the service's at the extremes: the same integers, or an error, never a wrap", async () => {
    const scenario = await wideScenario();
    const sendTrades = tradeSender(scenario);
    const seen = new Map<string, number>();
    const compare = (at: Terms, kind: Kind, amount: bigint) => {
      const { outcome, trade } = expectedOf(kind, amount, at);
      setTerms(scenario, at);
      setBalances(
        scenario,
        trade ? exactBalances(trade) : { usdc: U64_MAX, gold: 0n, treasuryUsdc: 0n, treasuryGold: 0n },
      );
      const sent = sendTrades([trade ?? refusedTrade(kind, amount)]);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      expect(sent.error ?? 'lands').toBe(outcome);
      if (trade) {
        expect(sent.eventBytes.map(resultOf)).toEqual([trade]);
        checkRounding(trade, at);
      }
    };
    const anyKind = fc.constantFrom<Kind>('buy', 'sell', 'partnerPurchase', 'partnerSale');
    const any = fc.tuple(anyTerms, anyKind, anyAmount);
    const valid = fc.tuple(terms, anyKind, anyAmount);
    fc.assert(
      fc.property(fc.oneof(any, valid), (sample) => compare(...sample)),
      { numRuns: SAMPLES, endOnFailure: true },
    );
    console.log(
      `arithmetic at the extremes: ${[...seen].map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`,
    );
    expect([...seen.keys()].sort()).toEqual(['ArithmeticOverflow', 'OracleOutOfBand', 'ZeroAmount', 'lands']);
  }, 120_000);

  test('gives what an amount was computed for, and less for one base unit less', async () => {
    const scenario = await wideScenario();
    const sendTrades = tradeSender(scenario);
    let exact = 0;
    const property = (at: Terms, kind: 'buy' | 'sell', wanted: bigint) => {
      const least =
        kind === 'buy' ? usdcForGold({ goldOut: wanted, ...at }) : goldForUsdc({ usdcOut: wanted, ...at });
      if (least === undefined || least >= BATCH_LIMIT) return;
      if (quoteOf(kind, least, at).largest >= BALANCE) return;
      setTerms(scenario, at);
      const balances = { usdc: BALANCE, gold: BALANCE, treasuryUsdc: BALANCE, treasuryGold: BALANCE };
      /** What the program gives; nothing for an amount that it refuses as too small. */
      const outcomeOf = (amountIn: bigint): bigint => {
        if (amountIn === 0n) return 0n;
        setBalances(scenario, balances);
        const { trade } = quoteOf(kind, amountIn, at);
        const { error, eventBytes } = sendTrades([
          trade.amountOut > 0n ? trade : refusedTrade(kind, amountIn),
        ]);
        if (error === 'ZeroAmount') return 0n;
        const [event] = eventBytes;
        if (error || !event) throw new Error(error ?? 'no event');
        return resultOf(event).amountOut;
      };
      const [outcome, below] = [outcomeOf(least), outcomeOf(least - 1n)];
      if (outcome < wanted) throw new Error(`${least} gives ${outcome}, less than ${wanted}`);
      if (below >= wanted) throw new Error(`${least - 1n} gives ${below} already, not less than ${wanted}`);
      if (outcome === wanted) exact += 1;
    };
    const kind = fc.constantFrom<'buy' | 'sell'>('buy', 'sell');
    fc.assert(fc.property(terms, kind, amount, property), { numRuns: SAMPLES, endOnFailure: true });
    expect(exact).toBeGreaterThan(SAMPLES / 20);
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
      setBalances(scenario, { usdc: 0n, gold: goldIn, treasuryUsdc: BALANCE, treasuryGold: BALANCE });
      const { error } = sendTrades([
        { kind: 'sell', amountIn: goldIn, amountOut: sold.usdcOut, fee: sold.fee },
        { kind: 'buy', amountIn: sold.usdcOut, amountOut: bought.goldOut, fee: bought.fee },
      ]);
      if (error) throw new Error(error);
      const { userGold, userUsdc } = scenario.at;
      if (scenario.balance(userGold) > goldIn || scenario.balance(userUsdc) !== 0n)
        throw new Error('a profit');
    };
    fc.assert(fc.property(terms, amount, property), { numRuns: SAMPLES, endOnFailure: true });
  }, 120_000);
});

import {
  BUY_DISCRIMINATOR,
  getBuyInstructionDataDecoder,
  getSellInstructionDataDecoder,
  SELL_DISCRIMINATOR,
} from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import type { Address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { TradeId } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { expiresAtMsOf } from '../../domain/lifetime.js';
import type { KaratMemo } from '../../domain/memo.js';
import type { TradeSide } from '../build/build-trade.js';
import {
  type InspectedQuote,
  type MessageShape,
  requireAllSignatures,
  requireMemo,
  requireServiceAsFeePayer,
  requireServiceSignature,
  shapeChange,
} from './signed-message.js';
import {
  type InstructionView,
  OtherPartner,
  TransactionDifference,
  type TransactionView,
  viewTransaction,
} from './transaction-view.js';

/** What a transaction has to be. */
export interface ExpectedTrade {
  side: TradeSide;
  tradeId: TradeId;
  programAddress: Address;
  /** Integrator account of the partner who sends it. */
  integrator: Address;
  /** Keys that sign for the service: its own and, while keys are rotated, the other one of the configuration. */
  serviceSigners: readonly Address[];
}

/** Position of accounts in `buy` and `sell`. */
const integratorPosition = 1;
const partnerPosition = 3;
const userPosition = 4;

/**
 * Passes only a transaction whose message the service itself signed for this very trade, side and partner, but for
 * guards, and that partner and user have signed as it is. The proof that nothing else was changed is the service's own
 * signature: it never signs anything but what it builds, or what passes here. Throws a `TransactionDifference`: an
 * `OtherPartner` for a trade that the service signed for another partner.
 */
export function inspectTrade(bytes: Uint8Array, expected: ExpectedTrade): InspectedQuote {
  const view = viewTransaction(bytes);
  requireServiceAsFeePayer(view, expected.serviceSigners);
  const memo = requireMemo(view, expected.tradeId);
  if (memo.kind !== expected.side) {
    throw new TransactionDifference(`It is a ${memo.kind}, not a ${expected.side}.`, 'other_quote');
  }
  const trade = requireCall(view, expected);
  const foreign = foreignTo(expected.integrator, trade);
  const inspected = requireServiceSignature(
    view,
    expected.serviceSigners,
    (own) => foreign ?? changeOf(own, trade, memo, expected),
  );
  if (foreign !== undefined) throw new OtherPartner(foreign);
  const user = trade.accounts[userPosition];
  requireAllSignatures(
    view,
    inspected,
    new Map([
      [user, 'the user wallet'],
      [trade.accounts[partnerPosition], 'the partner wallet'],
    ]),
  );
  if (user === undefined) throw new Error('The service signed a trade without a user');
  return { ...inspected, user, ...termsOf(trade, expected.side) };
}

/** Returns what a trade that the service signed moves of each token at most, and until when. */
function termsOf({ data }: InstructionView, side: TradeSide): Pick<InspectedQuote, 'moves' | 'stated'> {
  const statedBy = (expireAt: bigint) => ({ expiresAtMs: expiresAtMsOf(toInteger(expireAt) * 1_000) });
  if (side === 'buy') {
    const { usdcIn, maxGoldOut, expireAt } = getBuyInstructionDataDecoder().decode(data);
    return { moves: { usdc: usdcIn, gold: maxGoldOut }, stated: statedBy(expireAt) };
  }
  const { goldIn, maxUsdcOut, expireAt } = getSellInstructionDataDecoder().decode(data);
  return { moves: { usdc: maxUsdcOut, gold: goldIn }, stated: statedBy(expireAt) };
}

function requireCall(view: TransactionView, { programAddress, side }: ExpectedTrade): InstructionView {
  const trade = view.instructions.find(({ program }) => program === programAddress);
  if (trade) return trade;
  throw new TransactionDifference(`The ${side} instruction is missing.`);
}

/** Returns words for a trade that names another integrator account than the caller's own; undefined for its own. */
function foreignTo(own: Address, { accounts }: InstructionView): string | undefined {
  if (accounts[integratorPosition] === own) return undefined;
  return `It is a trade of another partner: your integrator account is ${own}.`;
}

const shapeOf = (programAddress: Address): MessageShape => [
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit limit'],
  [COMPUTE_BUDGET_PROGRAM_ADDRESS, 'the compute unit price'],
  [memoProgram, 'the memo'],
  [ASSOCIATED_TOKEN_PROGRAM_ADDRESS, 'the token account'],
  [programAddress, 'the trade'],
];

/** Returns the first difference from a quote, for a message that the service did not sign. */
function changeOf(
  instructions: InstructionView[],
  trade: InstructionView,
  memo: KaratMemo,
  { side, programAddress }: ExpectedTrade,
): string | undefined {
  const change = shapeChange(instructions, shapeOf(programAddress));
  if (change !== undefined) return change;
  // `buy` and `sell` begin alike: discriminator u8, amount in u64.
  const data = Buffer.from(trade.data);
  const discriminator = side === 'buy' ? BUY_DISCRIMINATOR : SELL_DISCRIMINATOR;
  if (data[0] !== discriminator || data.length < 9) return `The trade instruction is not a ${side}.`;
  const amount = data.readBigUInt64LE(1);
  if (amount === memo.amount) return undefined;
  return `The amount was changed: the ${side} instruction has ${amount} base units, the memo ${memo.amount}.`;
}

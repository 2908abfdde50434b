import {
  BUY_DISCRIMINATOR,
  getBuyInstructionDataDecoder,
  getSellInstructionDataDecoder,
  type KaratEvent,
  SELL_DISCRIMINATOR,
  TradeSide,
} from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { type Uuid, uuidFromBytes } from '../../domain/ids.js';
import type { TokenFlows } from './token-transfers.js';
import type { ChainInstruction } from './transaction.js';
import type { TreasuryAccounts } from './view.js';

/** The accounts between which a trade moves tokens: those of the trader, a user or a vault, and those of the treasury. */
export interface TradeAccounts extends Omit<TreasuryAccounts, 'escrowGold'> {
  side: 'buy' | 'sell';
  userUsdc: Address;
  userGold: Address;
}

/** A call of `buy` or `sell`: its arguments and the accounts that matter, from the instruction's bytes. */
export interface TradeCall extends TradeAccounts {
  /** The side as events write it. */
  sideCode: TradeSide;
  /** USDC of a buy, GOLD of a sell, base units. */
  amountIn: bigint;
  minAmountOut: bigint;
  maxAmountOut: bigint;
  maxFeeBps: number;
  /** As its quote and its event name it. */
  id: Uuid;
  integrator: Address;
  serviceSigner: Address;
  partnerWallet: Address;
  user: Address;
}

// Making a decoder takes longer than decoding.
const buyDecoder = getBuyInstructionDataDecoder();
const sellDecoder = getSellInstructionDataDecoder();
const accountCount = 17;
const vaultAccountCount = 18;

/** Returns the accounts of a vault's trade; undefined when some are missing. The vault is the integrator itself. */
export function readVaultAccounts(
  { accounts }: ChainInstruction,
  side: 'buy' | 'sell',
): (TradeAccounts & { vault: Address }) | undefined {
  const [, vault, , userUsdc, userGold, , treasuryUsdc, treasuryGold] = accounts;
  const [feeUsdc, usdcMint, goldMint] = accounts.slice(8);
  if (accounts.length < vaultAccountCount || !vault || !userUsdc || !userGold || !treasuryUsdc)
    return undefined;
  if (!treasuryGold || !feeUsdc || !usdcMint || !goldMint) return undefined;
  return { side, vault, userUsdc, userGold, treasuryUsdc, treasuryGold, feeUsdc, usdcMint, goldMint };
}

/** Returns the trade of an instruction of the program, or undefined when it is none or not in the program's form. */
export function readTradeCall({ data, accounts }: ChainInstruction): TradeCall | undefined {
  const [kind] = data;
  const isBuy = kind === BUY_DISCRIMINATOR && data.length === buyDecoder.fixedSize;
  if (!isBuy && !(kind === SELL_DISCRIMINATOR && data.length === sellDecoder.fixedSize)) return undefined;
  if (accounts.length < accountCount) return undefined;
  const [, integrator, serviceSigner, partnerWallet, user, userUsdc, userGold, , ...others] = accounts;
  const [treasuryUsdc, treasuryGold, feeUsdc, usdcMint, goldMint] = others;
  if (!integrator || !serviceSigner || !partnerWallet || !user || !userUsdc || !userGold) return undefined;
  if (!treasuryUsdc || !treasuryGold || !feeUsdc || !usdcMint || !goldMint) return undefined;
  const { amountIn, minAmountOut, maxAmountOut, maxFeeBps, id } = isBuy ? buyOf(data) : sellOf(data);
  return {
    side: isBuy ? 'buy' : 'sell',
    sideCode: isBuy ? TradeSide.Buy : TradeSide.Sell,
    amountIn,
    minAmountOut,
    maxAmountOut,
    maxFeeBps,
    id: uuidFromBytes(id),
    integrator,
    serviceSigner,
    partnerWallet,
    user,
    userUsdc,
    userGold,
    treasuryUsdc,
    treasuryGold,
    feeUsdc,
    usdcMint,
    goldMint,
  };
}

function buyOf(data: ReadonlyUint8Array) {
  const { usdcIn, minGoldOut, maxGoldOut, maxFeeBps, id } = buyDecoder.decode(data);
  return { amountIn: usdcIn, minAmountOut: minGoldOut, maxAmountOut: maxGoldOut, maxFeeBps, id };
}

function sellOf(data: ReadonlyUint8Array) {
  const { goldIn, minUsdcOut, maxUsdcOut, maxFeeBps, id } = sellDecoder.decode(data);
  return { amountIn: goldIn, minAmountOut: minUsdcOut, maxAmountOut: maxUsdcOut, maxFeeBps, id };
}

/** Returns the mint of every token account of a trade. */
export function mintsOf(trade: TradeAccounts): Map<Address, Address> {
  const { usdcMint, goldMint } = trade;
  return new Map([
    [trade.userUsdc, usdcMint],
    [trade.treasuryUsdc, usdcMint],
    [trade.feeUsdc, usdcMint],
    [trade.userGold, goldMint],
    [trade.treasuryGold, goldMint],
  ]);
}

/** Returns what a trade must have moved if its event is true. */
export function expectedFlows(
  trade: TradeAccounts,
  event: Pick<KaratEvent, 'amountIn' | 'amountOut' | 'fee'>,
): TokenFlows {
  const { amountIn, amountOut, fee } = event;
  const flows: [Address, bigint][] =
    trade.side === 'buy'
      ? [
          [trade.userUsdc, -amountIn],
          [trade.treasuryUsdc, amountIn - fee],
          [trade.feeUsdc, fee],
          [trade.treasuryGold, -amountOut],
          [trade.userGold, amountOut],
        ]
      : [
          [trade.userGold, -amountIn],
          [trade.treasuryGold, amountIn],
          [trade.treasuryUsdc, -amountOut - fee],
          [trade.feeUsdc, fee],
          [trade.userUsdc, amountOut],
        ];
  return new Map(flows.filter(([, change]) => change !== 0n));
}

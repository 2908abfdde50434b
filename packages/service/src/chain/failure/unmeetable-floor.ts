import {
  BUY_DISCRIMINATOR,
  getBuyInstructionDataDecoder,
  getSellInstructionDataDecoder,
  SELL_DISCRIMINATOR,
} from '@karat/program-client';
import type { ReadonlyUint8Array } from '@solana/kit';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';

/**
 * Returns what is wrong with a buy or sell whose floor is above its ceiling, and what to do next: the price does not have to
 * move for it to fail. Returns undefined for any other instruction.
 */
export function describeUnmeetable(data: ReadonlyUint8Array | undefined): string | undefined {
  if (data?.[0] === BUY_DISCRIMINATOR) {
    const { minGoldOut, maxGoldOut } = getBuyInstructionDataDecoder().decode(data);
    return describe('gold', minGoldOut, maxGoldOut);
  }
  if (data?.[0] === SELL_DISCRIMINATOR) {
    const { minUsdcOut, maxUsdcOut } = getSellInstructionDataDecoder().decode(data);
    return describe('usdc', minUsdcOut, maxUsdcOut);
  }
  return undefined;
}

function describe(token: 'gold' | 'usdc', floor: bigint, ceiling: bigint): string | undefined {
  if (floor <= ceiling) return undefined;
  const shown = (units: bigint) => formatDecimal(units, tokenDecimals);
  return `No price meets its min_${token}_out of ${shown(floor)}, because the most that it gives is its max_${token}_out of ${shown(ceiling)}: request a new quote with a lower min_${token}_out.`;
}

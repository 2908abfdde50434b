import {
  BUY_DISCRIMINATOR,
  getBuyInstructionDataDecoder,
  getPartnerSaleInstructionDataDecoder,
  getRedeemInstructionDataDecoder,
  getSellInstructionDataDecoder,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';

/** What an instruction of the program takes from a wallet, or from a partner's vault. */
export interface Payment {
  token: 'USDC' | 'GOLD';
  wallet: Address;
  /** The token account that pays. */
  account: Address;
  /** Base units; undefined where the instruction does not name it. */
  amount: bigint | undefined;
}

export interface ProgramCallView {
  accounts: readonly (Address | undefined)[];
  data: ReadonlyUint8Array;
}

const amountIn = {
  buy: (data: ReadonlyUint8Array) => getBuyInstructionDataDecoder().decode(data).usdcIn,
  sell: (data: ReadonlyUint8Array) => getSellInstructionDataDecoder().decode(data).goldIn,
  redeem: (data: ReadonlyUint8Array) => getRedeemInstructionDataDecoder().decode(data).amount,
  sale: (data: ReadonlyUint8Array) => getPartnerSaleInstructionDataDecoder().decode(data).goldIn,
};

/** Returns who pays what in an instruction of the program; undefined for one by which no user and no vault pays. */
export function paymentOf({ accounts, data }: ProgramCallView): Payment | undefined {
  const payment = (
    token: Payment['token'],
    [wallet, account]: [number, number],
    read?: (data: ReadonlyUint8Array) => bigint,
  ): Payment | undefined => {
    const [payer, source] = [accounts[wallet], accounts[account]];
    return payer && source && { token, wallet: payer, account: source, amount: read?.(data) };
  };
  switch (data[0]) {
    case BUY_DISCRIMINATOR:
      return payment('USDC', [4, 5], amountIn.buy);
    case SELL_DISCRIMINATOR:
      return payment('GOLD', [4, 6], amountIn.sell);
    case REDEEM_DISCRIMINATOR:
      return payment('GOLD', [3, 4], amountIn.redeem);
    case PARTNER_PURCHASE_DISCRIMINATOR:
      return payment('USDC', [1, 3]);
    case PARTNER_SALE_DISCRIMINATOR:
      return payment('GOLD', [1, 4], amountIn.sale);
    default:
      return undefined;
  }
}

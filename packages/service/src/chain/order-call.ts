import {
  getPartnerPurchaseInstructionDataDecoder,
  getPartnerSaleInstructionDataDecoder,
  getPartnerWithdrawInstructionDataDecoder,
  getUpdateExecutivesInstructionDataDecoder,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address, ReadonlyUint8Array } from '@solana/kit';

/** What a call of the program asks for that carries out an order. Amounts are base units. */
export type OrderCall = { integrator: Address; signer: Address } & (
  | { kind: 'purchase'; goldAmount: bigint; usdcLimit: bigint; maxFeeBps: number; expireAtSeconds: bigint }
  | { kind: 'sale'; goldAmount: bigint; usdcLimit: bigint; maxFeeBps: number; expireAtSeconds: bigint }
  | { kind: 'withdrawal'; mint: Address; destination: Address; amount: bigint }
  | { kind: 'executive_update'; added: Address[]; removed: Address[] }
);

/** An instruction of the program, as a message carries it. */
export interface ProgramInstruction {
  accounts: readonly (Address | undefined)[];
  data: ReadonlyUint8Array;
}

/**
 * Reads an instruction of the program as one that carries out an order. Undefined for the program's other instructions
 * and for what the program itself would refuse for its length or its accounts.
 */
export function readOrderCall({ accounts, data }: ProgramInstruction): OrderCall | undefined {
  switch (data[0]) {
    case PARTNER_PURCHASE_DISCRIMINATOR:
      return readPurchase(accounts, data);
    case PARTNER_SALE_DISCRIMINATOR:
      return readSale(accounts, data);
    case PARTNER_WITHDRAW_DISCRIMINATOR:
      return readWithdrawal(accounts, data);
    case UPDATE_EXECUTIVES_DISCRIMINATOR:
      return readExecutiveUpdate(accounts, data);
    default:
      return undefined;
  }
}

type Accounts = ProgramInstruction['accounts'];

/** Accounts of a vault's trade, see docs/program.md. */
const vaultTradeAccounts = 15;
const withdrawalAccounts = 9;
const executiveUpdateAccounts = 4;

function readPurchase(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getPartnerPurchaseInstructionDataDecoder();
  const [, integrator, signer] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < vaultTradeAccounts) return undefined;
  if (!integrator || !signer) return undefined;
  const { goldOut, maxUsdcIn, maxFeeBps, expireAt } = decoder.decode(data);
  const terms = { goldAmount: goldOut, usdcLimit: maxUsdcIn, maxFeeBps, expireAtSeconds: expireAt };
  return { kind: 'purchase', integrator, signer, ...terms };
}

function readSale(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getPartnerSaleInstructionDataDecoder();
  const [, integrator, signer] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < vaultTradeAccounts) return undefined;
  if (!integrator || !signer) return undefined;
  const { goldIn, minUsdcOut, maxFeeBps, expireAt } = decoder.decode(data);
  const terms = { goldAmount: goldIn, usdcLimit: minUsdcOut, maxFeeBps, expireAtSeconds: expireAt };
  return { kind: 'sale', integrator, signer, ...terms };
}

function readWithdrawal(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getPartnerWithdrawInstructionDataDecoder();
  const [, integrator, signer, , , destination, mint] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < withdrawalAccounts) return undefined;
  if (!integrator || !signer || !destination || !mint) return undefined;
  const { amount } = decoder.decode(data);
  return { kind: 'withdrawal', integrator, signer, mint, destination, amount };
}

function readExecutiveUpdate(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getUpdateExecutivesInstructionDataDecoder();
  const [, integrator, signer] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < executiveUpdateAccounts) return undefined;
  if (!integrator || !signer) return undefined;
  const { add, addCount, remove, removeCount } = decoder.decode(data);
  const lists = { added: add.slice(0, addCount), removed: remove.slice(0, removeCount) };
  return { kind: 'executive_update', integrator, signer, ...lists };
}

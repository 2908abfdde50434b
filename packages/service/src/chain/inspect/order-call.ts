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
import { type Uuid, uuidFromBytes } from '../../domain/ids.js';
import { type Gold, goldUnits, type Usdc, usdcUnits } from '../../domain/money.js';

/** The parameters of a call of the program that executes an order. Amounts are base units. */
export type OrderCall = { integrator: Address; signer: Address } & (
  | ({ kind: 'purchase' } & VaultTrade)
  | ({ kind: 'sale' } & VaultTrade)
  | ({ kind: 'withdrawal'; mint: Address; destination: Address; amount: bigint } & Once)
  /** The program takes no id of it. */
  | { kind: 'executive_update'; orderId?: undefined; added: Address[]; removed: Address[] }
);

/** What the program executes once, and until when. */
interface Once {
  orderId: Uuid;
  expireAtSeconds: bigint;
}

interface VaultTrade extends Once {
  goldAmount: Gold;
  /** The most USDC of a purchase, the least of a sale. */
  usdcLimit: Usdc;
  /** The least USDC of a purchase, the most of a sale, for the treasury. */
  treasuryLimit: Usdc;
  maxFeeBps: number;
}

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
const purchaseAccounts = 19;
const saleAccounts = 18;
const withdrawalAccounts = 11;
const executiveUpdateAccounts = 4;

function readPurchase(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getPartnerPurchaseInstructionDataDecoder();
  const [, integrator, signer] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < purchaseAccounts) return undefined;
  if (!integrator || !signer) return undefined;
  const { goldOut, maxUsdcIn, minUsdcIn, maxFeeBps, ...once } = decoder.decode(data);
  const terms = termsOf({ gold: goldOut, limit: maxUsdcIn, treasuryLimit: minUsdcIn });
  return { kind: 'purchase', integrator, signer, ...terms, maxFeeBps, ...onceOf(once) };
}

function readSale(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getPartnerSaleInstructionDataDecoder();
  const [, integrator, signer] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < saleAccounts) return undefined;
  if (!integrator || !signer) return undefined;
  const { goldIn, minUsdcOut, maxUsdcOut, maxFeeBps, ...once } = decoder.decode(data);
  const terms = termsOf({ gold: goldIn, limit: minUsdcOut, treasuryLimit: maxUsdcOut });
  return { kind: 'sale', integrator, signer, ...terms, maxFeeBps, ...onceOf(once) };
}

function readWithdrawal(accounts: Accounts, data: ReadonlyUint8Array): OrderCall | undefined {
  const decoder = getPartnerWithdrawInstructionDataDecoder();
  const [, integrator, signer, , destination, mint] = accounts;
  if (data.length !== decoder.fixedSize || accounts.length < withdrawalAccounts) return undefined;
  if (!integrator || !signer || !destination || !mint) return undefined;
  const { amount, ...once } = decoder.decode(data);
  return { kind: 'withdrawal', integrator, signer, mint, destination, amount, ...onceOf(once) };
}

function termsOf({ gold, limit, treasuryLimit }: Record<'gold' | 'limit' | 'treasuryLimit', bigint>) {
  return {
    goldAmount: goldUnits(gold),
    usdcLimit: usdcUnits(limit),
    treasuryLimit: usdcUnits(treasuryLimit),
  };
}

function onceOf({ id, expireAt }: { id: ReadonlyUint8Array; expireAt: bigint }): Once {
  return { orderId: uuidFromBytes(id), expireAtSeconds: expireAt };
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

import {
  type Config,
  findConfigPda,
  findReceiptPda,
  getPartnerPurchaseInstruction,
  getPartnerSaleInstruction,
  getPartnerWithdrawInstruction,
  getUpdateExecutivesInstruction,
} from '@karat/program-client';
import { maxTransactionBytes, signatureBytes, writeTransaction } from '@karat/wire';
import { type Address, type Blockhash, createNoopSigner, type Instruction } from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { type Uuid, uuidBytes } from '../../domain/ids.js';
import type { Gold, Usdc } from '../../domain/money.js';
import type { VaultToken } from '../../domain/order.js';
import type { Chain } from '../chain.js';
import { executivePlaces } from '../program/executives.js';
import type { IntegratorEntry } from '../program/integrator.js';
import { createTokenAccount, goldOf, tokenAccountOf, usdcOf } from '../program/token-accounts.js';
import { compileLegacyMessage } from './compile-message.js';

/**
 * Compute units that an order may use. Measured on localnet, all of the transaction: 5,500 for a change of executives,
 * 18,000 for a trade, 13,000 for a withdrawal and 24,000 for one that makes its token account. The rest is room for
 * token accounts whose address takes long to find. Unused units cost nothing but priority fee.
 */
export const orderComputeUnitLimit = 100_000;

/** What a vault's trade is held to beyond its amounts. */
interface TradeLimits {
  /** The least USDC of a purchase, the most of a sale: beyond it the price has moved against the treasury. */
  treasuryLimit: Usdc;
  /** The program refuses a higher fee. */
  maxFeeBps: number;
  /** Unix seconds; the program refuses a later execution. */
  expireAtSeconds: bigint;
}

/** The parameters of an order's call of the program. Amounts are base units. */
export type OrderTerms =
  | ({ kind: 'purchase'; goldAmount: Gold; usdcLimit: Usdc } & TradeLimits)
  | ({ kind: 'sale'; goldAmount: Gold; usdcLimit: Usdc } & TradeLimits)
  | { kind: 'withdrawal'; token: VaultToken; amount: bigint; expireAtSeconds: bigint }
  | { kind: 'executive_update'; added: readonly Address[]; removed: readonly Address[] };

export interface OrderTransaction {
  orderId: Uuid;
  terms: OrderTerms;
  /** The wallet of the role that the order needs: fee payer and only signer. */
  signer: Address;
  integrator: IntegratorEntry;
  config: Config;
  blockhash: Blockhash;
}

/**
 * Builds the wire transaction of an order, with an empty place for the one signature; with @solana/kit, because they
 * are not needed by the thousand.
 */
export async function buildOrder(
  { programAddress, computeUnitPrice }: Pick<Chain, 'programAddress' | 'computeUnitPrice'>,
  order: OrderTransaction,
): Promise<Uint8Array> {
  const instructions = [
    getSetComputeUnitLimitInstruction({ units: orderComputeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: computeUnitPrice }),
    ...(await callsOf(order, programAddress)),
  ];
  const message = compileLegacyMessage(order.signer, order.blockhash, instructions);
  const transaction = writeTransaction(message, new Uint8Array(signatureBytes));
  if (transaction.length > maxTransactionBytes) {
    throw new Error(`An order has ${transaction.length} bytes, more than the network accepts`);
  }
  return transaction;
}

async function callsOf(order: OrderTransaction, programAddress: Address): Promise<Instruction[]> {
  const { terms } = order;
  const [configAddress] = await findConfigPda({ programAddress });
  switch (terms.kind) {
    case 'purchase':
    case 'sale':
      return [await vaultTrade(order, terms, configAddress, programAddress)];
    case 'withdrawal':
      return withdrawal(order, terms, configAddress, programAddress);
    case 'executive_update':
      return [executiveUpdate(order, terms, configAddress, programAddress)];
  }
}

type Of<Kind extends OrderTerms['kind']> = Extract<OrderTerms, { kind: Kind }>;

/** The accounts and the id by which an order is executed once; its signer pays the rent of the receipt. */
async function receiptOf({ orderId, signer, integrator }: OrderTransaction, programAddress: Address) {
  const id = uuidBytes(orderId);
  const [receipt] = await findReceiptPda({ integrator: integrator.address, id }, { programAddress });
  return { id, receipt, payer: createNoopSigner(signer) };
}

async function vaultTrade(
  order: OrderTransaction,
  terms: Of<'purchase'> | Of<'sale'>,
  configAddress: Address,
  programAddress: Address,
): Promise<Instruction> {
  const { signer, integrator, config } = order;
  const { vaultUsdc, vaultGold } = integrator.data;
  const { treasuryAuthority, treasuryUsdc, treasuryGold, feeUsdc, usdcMint, goldMint } = config;
  const { priceAccount, usdcPriceAccount } = config.settings;
  const shared = {
    config: configAddress,
    integrator: integrator.address,
    executive: createNoopSigner(signer),
    ...{ vaultUsdc, vaultGold, treasuryAuthority, treasuryUsdc, treasuryGold, feeUsdc },
    ...{ usdcMint, goldMint, priceAccount },
    ...(await receiptOf(order, programAddress)),
    maxFeeBps: terms.maxFeeBps,
    expireAt: terms.expireAtSeconds,
  };
  const { goldAmount, usdcLimit, treasuryLimit } = terms;
  return terms.kind === 'purchase'
    ? getPartnerPurchaseInstruction(
        { ...shared, usdcPriceAccount, goldOut: goldAmount, maxUsdcIn: usdcLimit, minUsdcIn: treasuryLimit },
        { programAddress },
      )
    : getPartnerSaleInstruction(
        { ...shared, goldIn: goldAmount, minUsdcOut: usdcLimit, maxUsdcOut: treasuryLimit },
        { programAddress },
      );
}

/** Builds a withdrawal. If the authority has never held the token, it pays for its own token account. */
async function withdrawal(
  order: OrderTransaction,
  { token, amount, expireAtSeconds }: Of<'withdrawal'>,
  configAddress: Address,
  programAddress: Address,
): Promise<Instruction[]> {
  const { signer, integrator, config } = order;
  const { vaultUsdc, vaultGold } = integrator.data;
  const gold = token === 'gold';
  const kind = gold ? goldOf(config) : usdcOf(config);
  const destination = tokenAccountOf(signer, kind);
  const authority = createNoopSigner(signer);
  return [
    createTokenAccount(authority, signer, kind),
    getPartnerWithdrawInstruction(
      {
        config: configAddress,
        integrator: integrator.address,
        withdrawalAuthority: authority,
        vaultToken: gold ? vaultGold : vaultUsdc,
        destination,
        mint: kind.mint,
        tokenProgram: kind.program,
        amount,
        ...(await receiptOf(order, programAddress)),
        expireAt: expireAtSeconds,
      },
      { programAddress },
    ),
  ];
}

function executiveUpdate(
  { signer, integrator }: OrderTransaction,
  { added, removed }: Of<'executive_update'>,
  configAddress: Address,
  programAddress: Address,
): Instruction {
  return getUpdateExecutivesInstruction(
    {
      config: configAddress,
      integrator: integrator.address,
      updateAuthority: createNoopSigner(signer),
      removeCount: removed.length,
      remove: executivePlaces(removed),
      addCount: added.length,
      add: executivePlaces(added),
    },
    { programAddress },
  );
}

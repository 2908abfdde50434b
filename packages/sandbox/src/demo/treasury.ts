import { address } from '@solana/kit';
import { oppositeSideSeconds } from '../own-chain.js';
import type { Scene } from './cast.js';
import { balancesOf } from './chain.js';
import { passTime } from './clock.js';
import { refusal } from './key.js';
import {
  changeOf,
  isChange,
  type OrderTransaction,
  printChange,
  printSigning,
  signAndSubmitOrder,
  type TokenChange,
} from './order.js';
import { mintRoleKey, type Role } from './role.js';
import type { Figure } from './teller.js';
import { readUntil } from './transaction.js';

/** The partner's reserve, and everybody who may do something with it. */
export interface Treasury extends Scene {
  /** Buys and sells for the vault. */
  executive: Role;
  /** Wallet that appoints the executives. */
  updateAuthority: Role;
  withdrawalAuthority: Role;
}

/** The tradebook API's view of the caller's partner. */
export interface OwnPartner {
  centralVaultAddress: string;
  executiveAuthorities: string[];
  balances: { gold: number; usdc: number };
}

export const readPartner = ({ updateAuthority }: Treasury) =>
  updateAuthority.api.get<OwnPartner>('/api/distribution/partner/me');

/** Mints a key for each role, and shows what none of them may do alone. */
export async function openTreasury(scene: Scene): Promise<Treasury> {
  const { sandbox, teller, partner } = scene;
  const treasury = await teller.step('Mint a key for each role at the partner', async (figure) => {
    const mint = async (file: string | undefined, name: string) => {
      if (file === undefined) throw new Error(`The sandbox names no key of the ${name}`);
      const role = await mintRoleKey(scene, await sandbox.key(file), `demo: ${name}`);
      figure(name, `${role.wallet.address} ${role.scope.join(', ')}`);
      const scope = `PARTNER_${name.toUpperCase()}_AUTHORITY`;
      if (!role.scope.includes(scope)) throw new Error(`The key of ${role.wallet.address} lacks ${scope}`);
      return role;
    };
    return {
      ...scene,
      executive: await mint(partner.executive_keypairs[0], 'executive'),
      updateAuthority: await mint(partner.update_authority_keypair, 'update'),
      withdrawalAuthority: await mint(partner.withdrawal_authority_keypair, 'withdrawal'),
    };
  });
  await teller.step('Withdrawal authority: try to buy, which is not its role', async (figure) => {
    const { api } = treasury.withdrawalAuthority;
    const buy = () => api.post('/api/trading/purchases/partner', { goldAmount: 2, maxUsdcAmount: 10_000 });
    figure('response', await refusal('insufficient_scope', buy));
  });
  return treasury;
}

/** Shows the vault as the API and a node report it. Throws if they differ. */
export async function lookAround(treasury: Treasury): Promise<void> {
  await treasury.teller.step('Look at the vault and at the price', async (figure) => {
    const { centralVaultAddress: vault, executiveAuthorities, balances } = await readPartner(treasury);
    const quoted = await treasury.executive.api.get<{ price: string }>('/api/trading/gold/price');
    figure('vault', vault);
    figure('holds', `${balances.usdc} USDC, ${balances.gold} GOLD`);
    figure('executives', executiveAuthorities.join(', '));
    figure('price', `${quoted.price} USD per troy ounce`);
    if (vault !== treasury.partner.central_vault_address) throw new Error('sandbox.json names another vault');
    if (!isChange(await vaultBalances(treasury), balances))
      throw new Error('The chain has different balances');
  });
}

interface PurchaseOrSale {
  purchaseId?: string;
  sellId?: string;
  quoteUsdcAmount: number;
  quotedGoldPrice: number;
  status: string;
  transaction: OrderTransaction;
}

interface TradeRecord {
  status: string;
  executedGoldAmount: number;
  executedUsdcAmount: number;
  executedGoldPrice: number;
  feeUsdcAmount: number;
  signature: string;
}

/** How far above the estimate a purchase may cost, and below it a sale may bring: 1 %. */
const tolerance = 0.01;

/** Orders gold for the vault; the transaction is still to be signed. */
export async function orderPurchase(treasury: Treasury, who: Role, name: string, goldAmount: number) {
  return treasury.teller.step(`${name}: order ${goldAmount} GOLD for the vault`, async (figure) => {
    const estimate = await who.api.post<{ estimatedUsdcAmount: number }>('/api/trading/estimate/buy', {
      goldAmount,
    });
    const maxUsdcAmount = Math.ceil(estimate.estimatedUsdcAmount * (1 + tolerance));
    const order = await who.api.post<PurchaseOrSale>('/api/trading/purchases/partner', {
      goldAmount,
      maxUsdcAmount,
    });
    figure('purchase', String(order.purchaseId));
    figure('price', `${order.quotedGoldPrice} USD per troy ounce`);
    figure('vault pays', `${order.quoteUsdcAmount} USDC with the fee, at most ${maxUsdcAmount}`);
    printOrder(order, figure);
    return { id: String(order.purchaseId), transaction: order.transaction };
  });
}

function printOrder(order: { status: string; transaction: OrderTransaction }, figure: Figure): void {
  printSigning(order.transaction, figure);
  figure('status', order.status);
}

/** Makes a whole purchase, from the order to the record. Throws if the record, the chain and the vault differ. */
export async function purchase(
  treasury: Treasury,
  who: Role,
  name: string,
  goldAmount: number,
): Promise<void> {
  const order = await orderPurchase(treasury, who, name, goldAmount);
  const change = await signOrder(treasury, who, name, order);
  await treasury.teller.step('Read the purchase that the indexer moved', async (figure) => {
    const record = await readConfirmed<TradeRecord>(who, `/api/trading/purchases/${order.id}`);
    printTrade(record, true, figure);
    const moved = { gold: record.executedGoldAmount, usdc: -record.executedUsdcAmount };
    if (!isChange(change, moved)) throw new Error('The record shows a different purchase');
  });
}

/** A whole sale, likewise. */
export async function sell(treasury: Treasury, goldAmount: number): Promise<void> {
  const { executive, teller } = treasury;
  await teller.step('Executive: try to sell at once, which is too early', async (figure) => {
    const sale = { goldAmount, minimumUsdcAmount: 1 };
    const ask = () => executive.api.post('/api/trading/sales/partner', sale);
    figure('response', await refusal('service_unavailable', ask, 'The vault'));
  });
  await changeSides(treasury);
  const order = await teller.step(`Executive: order the sale of ${goldAmount} GOLD`, async (figure) => {
    const estimate = await executive.api.post<{ estimatedUsdcAmount: number }>('/api/trading/estimate/sell', {
      goldAmount,
    });
    const minimumUsdcAmount = Math.floor(estimate.estimatedUsdcAmount * (1 - tolerance));
    const placed = await executive.api.post<PurchaseOrSale>('/api/trading/sales/partner', {
      goldAmount,
      minimumUsdcAmount,
    });
    figure('sale', String(placed.sellId));
    figure('price', `${placed.quotedGoldPrice} USD per troy ounce`);
    figure('vault gets', `${placed.quoteUsdcAmount} USDC after the fee, at least ${minimumUsdcAmount}`);
    printOrder(placed, figure);
    return { id: String(placed.sellId), transaction: placed.transaction };
  });
  const change = await signOrder(treasury, executive, 'Executive', order);
  await teller.step('Read the sale that the indexer moved', async (figure) => {
    const record = await readConfirmed<TradeRecord>(executive, `/api/trading/sales/${order.id}`);
    printTrade(record, false, figure);
    const moved = { gold: -record.executedGoldAmount, usdc: record.executedUsdcAmount };
    if (!isChange(change, moved)) throw new Error('The record shows a different sale');
  });
}

/** A whole withdrawal of USDC, to the withdrawal authority's own token account. */
export async function withdraw(treasury: Treasury, amount: number): Promise<void> {
  const { withdrawalAuthority: who, teller, rpc, mints } = treasury;
  const before = await balancesOf(rpc, who.wallet.address, mints);
  const order = await teller.step(`Withdrawal authority: order ${amount} USDC`, async (figure) => {
    const placed = await who.api.post<{
      withdrawalId: string;
      status: string;
      transaction: OrderTransaction;
    }>('/api/trading/withdrawals', { amount, tokenType: 'usdc' });
    figure('withdrawal', placed.withdrawalId);
    printOrder(placed, figure);
    return { id: placed.withdrawalId, transaction: placed.transaction };
  });
  const change = await signOrder(treasury, who, 'Withdrawal authority', order);
  await teller.step('Read the withdrawal that the indexer moved', async (figure) => {
    const path = `/api/trading/withdrawals/${order.id}`;
    const record = await readConfirmed<{ status: string; executedAmount: number; destination: string }>(
      who,
      path,
    );
    figure('status', record.status);
    figure('destination', record.destination);
    const after = await balancesOf(rpc, who.wallet.address, mints);
    const got = { gold: after.gold - before.gold, usdc: after.usdc - before.usdc };
    figure('authority', printChange(got));
    if (!isChange(change, { gold: 0, usdc: -record.executedAmount })) {
      throw new Error('The record shows a different withdrawal');
    }
    if (!isChange(got, { gold: 0, usdc: amount })) throw new Error('The authority received another amount');
  });
}

/** Waits as long as the program has a vault wait before it trades in the other direction. */
export function changeSides(treasury: Treasury): Promise<void> {
  return passTime(treasury, oppositeSideSeconds, 'a vault does not trade both ways within minutes');
}

/** Signs and submits an order; returns what it did to the vault. Throws if a node reports other balances. */
async function signOrder(
  treasury: Treasury,
  who: Role,
  name: string,
  order: { id: string; transaction: OrderTransaction },
): Promise<TokenChange> {
  const before = await vaultBalances(treasury);
  return treasury.teller.step(`${name}: sign, submit, confirm`, async (figure) => {
    const submitted = await signAndSubmitOrder(who.api, order.transaction, who.wallet, figure);
    const change = changeOf(submitted, treasury.partner.central_vault_address);
    figure('vault', printChange(change));
    if (submitted.transactionId !== order.id) throw new Error('The response names a different order');
    const after = await vaultBalances(treasury);
    if (after.gold - before.gold !== change.gold || after.usdc - before.usdc !== change.usdc) {
      throw new Error('The balances of the vault changed differently');
    }
    return change;
  });
}

function vaultBalances({ rpc, partner, mints }: Treasury) {
  return balancesOf(rpc, address(partner.central_vault_address), mints);
}

function printTrade(record: TradeRecord, bought: boolean, figure: Figure): void {
  const [usdc, gold] = [`${record.executedUsdcAmount} USDC`, `${record.executedGoldAmount} GOLD`];
  figure('status', record.status);
  figure('vault paid', bought ? `${usdc}, of which fee ${record.feeUsdcAmount}` : gold);
  figure('vault got', bought ? gold : `${usdc} after a fee of ${record.feeUsdcAmount}`);
  figure('price', `${record.executedGoldPrice} USD per troy ounce`);
}

/** Reads the record of an order once the indexer has moved it on. Throws when it ended otherwise than confirmed. */
async function readConfirmed<T extends { status: string }>(who: Role, path: string): Promise<T> {
  const record = await readUntil(
    () => who.api.get<T>(path),
    ({ status }) => status !== 'pending_signature',
  );
  if (record.status !== 'confirmed') throw new Error(`The order is ${record.status}`);
  return record;
}

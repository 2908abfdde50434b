import type { Context } from '../../context.js';
import { findWalletHolder, findWalletsOf } from '../../db/partners/partner-wallets.js';
import type { Partner } from '../../db/partners/partners.js';
import { asUuid, newUuid, type Uuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { amountNumber, parseDecimal } from '../../domain/money.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import {
  addPartnerWallet,
  readPartnerWallet,
  requireAllowedWallet,
  walletIsRegistered,
} from './add-partner-wallet.js';
import {
  changePartner,
  type PartnerChanges,
  type PartnerStatusStep,
  readTerms,
  requireOtherStatus,
  setPartnerStatus,
} from './change-partner.js';
import { createPartner, type NewPartner, readFee } from './create-partner.js';
import { getPartnerForChange, toAuditedPartner } from './get-partner.js';

/**
 * Plans to create a partner; with a wallet, which may mint keys at once, that takes two people. Throws
 * `invalid_request` for an invalid fee, `invalid_wallet`, `wallet_not_allowed`, `wallet_already_registered`.
 * @param partnerId the id of a partner that was planned before.
 */
export async function planNewPartner(
  ctx: Context,
  input: NewPartner,
  partnerId: Uuid = newUuid(),
): Promise<DatabasePlan<'partner'>> {
  const { name, feePercentage } = input;
  readFee(feePercentage);
  const walletAddress =
    input.walletAddress === undefined ? undefined : readPartnerWallet(ctx, input.walletAddress);
  if (walletAddress !== undefined) await requireAllowedWallet(ctx, walletAddress, null);
  return planChange(ctx, {
    action: 'partner.create',
    describe: async (tx) => {
      const holder = walletAddress === undefined ? undefined : await findWalletHolder(tx, walletAddress);
      if (holder) throw walletIsRegistered(holder);
      const wallet = walletAddress === undefined ? {} : { wallet_address: walletAddress };
      return {
        objectId: partnerId,
        request: { name, fee_percentage: feePercentage, ...wallet },
        before: null,
        state: null,
        takesTwo: walletAddress !== undefined,
      };
    },
    apply: async (change) => ({ partner: await createPartner(ctx, change, { ...input, id: partnerId }) }),
  });
}

/**
 * Plans a change of a partner's name or terms; another fee, a larger budget and smaller trades take two people. Throws what
 * `changePartner` throws.
 */
export function planPartnerChange(ctx: Context, input: PartnerChanges): Promise<DatabasePlan<'partner'>> {
  const { partnerId: _partnerId, name, ...terms } = input;
  const wanted = readTerms(terms);
  return planChange(ctx, {
    action: 'partner.change',
    describe: async (tx) => {
      const partner = await getPartnerForChange(tx, input.partnerId);
      const after = { ...partner, ...wanted };
      const [old, changed] = [toShown(partner), toShown(after)];
      const takesTwo =
        changed.fee_percentage !== old.fee_percentage ||
        after.feeBudgetLamports > partner.feeBudgetLamports ||
        after.minTradeUsdc < partner.minTradeUsdc;
      const request = {
        ...(name === undefined ? {} : { name }),
        ...changesOf(old, changed),
      };
      return { objectId: partner.id, request, before: old, state: stateOf(partner), takesTwo };
    },
    apply: async (change) => ({ partner: await changePartner(change, input) }),
  });
}

/** Plans to resume a suspended partner, which takes two people. Throws what `setPartnerStatus` throws. */
export function planPartnerResumption(
  ctx: Context,
  { partnerId, reason }: Omit<PartnerStatusStep, 'status'>,
): Promise<DatabasePlan<'partner'>> {
  const status = 'active';
  return planChange(ctx, {
    action: 'partner.resume',
    describe: async (tx) => {
      const partner = await getPartnerForChange(tx, partnerId);
      requireOtherStatus(partner, status);
      return {
        objectId: partner.id,
        request: { status, reason: reason ?? null },
        before: toShown(partner),
        state: [stateOf(partner), partner.updatedAt.toISOString()],
        takesTwo: true,
      };
    },
    apply: async (change) => ({
      partner: await setPartnerStatus(ctx, change, { partnerId, status, reason }),
    }),
  });
}

/**
 * Plans to register a wallet of a partner, which takes two people. Throws `wallet_not_allowed`, and what `addPartnerWallet`
 * throws.
 */
export async function planPartnerWallet(
  ctx: Context,
  input: { partnerId: string; walletAddress: string },
): Promise<DatabasePlan<'wallet'>> {
  const walletAddress = readPartnerWallet(ctx, input.walletAddress);
  await requireAllowedWallet(ctx, walletAddress, asUuid(input.partnerId) ?? null);
  return planChange(ctx, {
    action: 'partner.add_wallet',
    objectType: 'wallet',
    describe: async (tx) => {
      const partner = await getPartnerForChange(tx, input.partnerId);
      const holder = await findWalletHolder(tx, walletAddress);
      if (holder) throw walletIsRegistered(holder);
      const wallets = await findWalletsOf(tx, [partner.id]);
      const before = { ...toShown(partner), wallets: wallets.map((each) => each.walletAddress) };
      const request = { partner_id: partner.id, wallet_address: walletAddress };
      return { objectId: walletAddress, request, before, state: stateOf(partner), takesTwo: true };
    },
    apply: async (change) => ({ wallet: await addPartnerWallet(change, { ...input, walletAddress }) }),
  });
}

/** Returns a partner as an approver sees it, in the fields of the API. */
function toShown({ name, status, feePercentage, feeBudgetLamports, minTradeUsdc }: Partner) {
  return {
    name,
    status,
    fee_percentage: amountNumber(parseDecimal(feePercentage, 6) ?? 0n),
    fee_budget_lamports_per_hour: toInteger(feeBudgetLamports),
    min_trade_usdc: amountNumber(minTradeUsdc),
  };
}

/** Returns the terms that are others than before. */
function changesOf(before: ReturnType<typeof toShown>, after: ReturnType<typeof toShown>) {
  const names = ['fee_percentage', 'fee_budget_lamports_per_hour', 'min_trade_usdc'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (after[name] === before[name] ? [] : [[name, after[name]]])),
  );
}

/** What an approver of a change relies on. */
function stateOf(partner: Partner) {
  return { partner_id: partner.id, ...toAuditedPartner(partner) };
}

import { buildRedemption } from '../../chain/build/build-redemption.js';
import type { PriceReading } from '../../chain/program/price.js';
import type { Context } from '../../context.js';
import { findOffer, type Offer } from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import { countOpenQuotes, insertRedemption, type RedemptionQuote } from '../../db/redemptions/redemptions.js';
import { findTrader } from '../../db/trades/traders.js';
import { isStorable } from '../../domain/encoding.js';
import { newId, type Uuid } from '../../domain/ids.js';
import { lifetimeBlocks } from '../../domain/lifetime.js';
import { formatDecimal } from '../../domain/money.js';
import { actorOf, type Principal } from '../../domain/principal.js';
import { cityKey, maxOpenQuotes, quoteRedemption as quoteAmounts } from '../../domain/redemption.js';
import { AppError, unavailable } from '../../errors.js';
import { type PartnerRequest, recordMemberChange } from '../members/record-member-change.js';
import { requireUnpaused } from '../program/require-unpaused.js';
import { barOf, type Caller, getNamedTrader } from '../trades/find-named-trader.js';
import { forQuote } from '../trades/for-quote.js';

/** A request for a quote as it came: texts, not empty. */
export interface QuoteRedemptionInput {
  serviceUserId: string;
  denominationId: string;
  /** In any case. */
  city: string;
}

export interface QuotedRedemption extends RedemptionQuote {
  price: PriceReading;
  /** Wire format, signed by the service. */
  transaction: Uint8Array;
  expiresAtMs: number;
}

/**
 * Quotes a redemption and signs its transaction. Neither a wallet nor the integrator of the
 * partner is needed. Throws, in this order: `user_not_found`, `partner_mismatch`, `kyc_level_insufficient`,
 * `user_suspended`, `wallet_not_allowed`, `invalid_denomination`, `invalid_city`, `rate_limited` (the transactions of
 * the partner have cost the service too much within the hour), `pricing_unavailable`, `service_unavailable` (redemptions are paused, among others), `limit_exceeded`,
 * `rate_limited` (too many quotes of the partner are open).
 */
export async function quoteRedemption(
  ctx: Context,
  caller: Caller,
  input: QuoteRedemptionInput,
): Promise<QuotedRedemption> {
  const user = await getNamedTrader(ctx, caller, input.serviceUserId);
  const { denomination, feePercentage } = await getOffer(ctx, caller, input);
  ctx.feeBudgets.requireLeft(caller.partnerId);
  const price = ctx.chain.price.current();
  const config = forQuote(() => ctx.chain.program.config());
  requireUnpaused(config, 'redeem');
  // The chain would take it, but the indexer believes no memo of a stranger.
  const unfit = ctx.chain.signerFault();
  if (unfit !== undefined) throw unavailable(unfit);
  const { blockhash, lastValidBlockHeight, expiresAtMs } = forQuote(() => ctx.chain.blockhash.current());
  const amounts = quoteAmounts({ weightG: denomination.weightG, feePercentage, ...price });
  await requireFewOpen(ctx, caller.partnerId, lastValidBlockHeight - lifetimeBlocks);
  const id = newId('red');
  const moved = { usdc: 0n, gold: amounts.tokensRequired };
  await ctx.reservations.reserve(user, { id, expiresAtMs, amounts: moved });
  const making = buildRedemption(ctx.chain, {
    redemptionId: id,
    partnerId: caller.partnerId,
    amount: amounts.tokensRequired,
    user: user.walletAddress,
    goldMint: config.goldMint,
    escrowGold: config.escrowGold,
    blockhash,
  });
  const { transaction, txHash } = await ctx.reservations.made(id, making);
  return {
    id,
    partnerId: caller.partnerId,
    userId: user.id,
    denominationId: denomination.id,
    denomination: denomination.label,
    weightG: denomination.weightG,
    city: denomination.city,
    spotPriceUsd: formatDecimal(price.price, -price.exponent),
    ...amounts,
    userWallet: user.walletAddress,
    escrowAccount: config.escrowGold,
    quoteTxSignature: txHash,
    lastValidBlockHeight,
    price,
    transaction,
    expiresAtMs,
  };
}

/** Writes a quote down as `quoted`. Throws what bars the user by now. */
export async function storeRedemptionQuote(
  ctx: Context,
  tx: Tx,
  request: PartnerRequest,
  { price: _price, transaction: _transaction, expiresAtMs: _expiresAtMs, ...row }: QuotedRedemption,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  await insertRedemption(tx, row, { at, actor: actorOf(request.principal), note: null });
  // The insert has waited for an erasure under way, and a later one waits for this transaction.
  const now = await findTrader(tx, row.userId);
  const bar = now && barOf(ctx, now);
  if (bar) throw bar;
  await recordMemberChange(tx, request, { operation: 'quoteRedemption', redemption_id: row.id }, at);
}

async function requireFewOpen(ctx: Context, partnerId: Uuid, height: bigint): Promise<void> {
  const open = await countOpenQuotes(ctx.db, partnerId, height, maxOpenQuotes);
  if (open < maxOpenQuotes) return;
  const message = `You have ${maxOpenQuotes} quoted redemptions that can still be submitted, which is the most; try again when some have expired.`;
  throw new AppError('rate_limited', message, { retryAfterSeconds: 30 });
}

async function getOffer(ctx: Context, principal: Principal, input: QuoteRedemptionInput): Promise<Offer> {
  const { denominationId, city } = input;
  const offer = isStorable(denominationId)
    ? await findOffer(ctx.db, { denominationId, partnerId: principal.partnerId })
    : undefined;
  if (!offer?.denomination.active) {
    const message = 'There is no denomination with that id, or it is no longer offered.';
    throw new AppError('invalid_denomination', message, { field: 'denomination_id' });
  }
  if (offer.denomination.cityKey !== cityKey(city)) {
    const message = `This denomination is picked up in ${offer.denomination.city}.`;
    throw new AppError('invalid_city', message, { field: 'city' });
  }
  return offer;
}

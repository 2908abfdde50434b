import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { limitView } from '../../actions/program/settings.js';
import { readTreasury, type Treasury } from '../../actions/treasury/read-treasury.js';
import type { Context } from '../../context.js';
import { toInteger } from '../../domain/integer.js';
import { amountNumber } from '../../domain/money.js';
import { BackingView, toBackingView } from '../../views/backing-view.js';
import { Nullable } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { Limit, read } from './shapes.js';
import { statusField as field } from './status-fields.js';

const DailyLimitView = (token: 'USDC' | 'GOLD') =>
  Type.Object({
    limit: Limit(field[`outflowLimit${token}`]),
    used: Type.Number(field[`outflowUsed${token}`]),
  });

const schema = {
  operationId: 'getTreasury',
  summary: 'Get the balances of the treasury',
  description:
    'Returns the current balances on chain, the part of escrow that belongs to open redemptions, and in `backing` whether attestation and bars cover the tokens. `difference` is the result of the last comparison of the chain with the records, as of a finalized slot. It must be 0; the `reconciliation_difference` dead letters explain where any difference comes from.',
  response: {
    200: Type.Object({
      treasury: Type.Object({
        gold: Type.Number(field.treasuryGold),
        usdc: Type.Number(field.treasuryUsdc),
      }),
      fee: Type.Object({ usdc: Type.Number(field.feeUsdc) }),
      escrow: Type.Object({
        gold: Type.Number(field.escrowGold),
        needed: Type.Number(field.escrowNeeded),
        surplus: Type.Number(field.escrowSurplus),
      }),
      backing: BackingView,
      limits: Type.Object({
        daily_outflow_usdc: DailyLimitView('USDC'),
        daily_outflow_gold: DailyLimitView('GOLD'),
        daily_mint: Type.Object({ limit: Limit(field.mintLimit), used: Type.Number(field.minted) }),
      }),
      difference: Nullable(
        Type.Object({ gold: Type.Number(field.goldDifference), usdc: Type.Number(field.usdcDifference) }),
        field.difference,
      ),
      differences: Nullable(Type.Integer(), field.differences),
      compared_at: Nullable(Type.String(), field.comparedAt),
      compared_slot: Nullable(Type.Integer(), field.comparedSlot),
    }),
  },
};

/** Route of the balances of the treasury accounts, and of how they compare with the records. */
export function treasuryRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Operation');
    app.get('/treasury', { config: read, schema }, async () => toTreasuryView(await readTreasury(ctx)));
  };
}

const toLimitView = ({ limit, used }: Treasury['outflow']['usdc']) => ({
  limit: limitView(limit),
  used: amountNumber(used),
});

function toTreasuryView({ balances, escrowOpen, backing, outflow, minted, last }: Treasury) {
  return {
    treasury: { gold: amountNumber(balances.treasury_gold), usdc: amountNumber(balances.treasury_usdc) },
    fee: { usdc: amountNumber(balances.fee_usdc) },
    escrow: {
      gold: amountNumber(balances.escrow_gold),
      needed: amountNumber(escrowOpen),
      surplus: amountNumber(balances.escrow_gold - escrowOpen),
    },
    backing: toBackingView(backing),
    limits: {
      daily_outflow_usdc: toLimitView(outflow.usdc),
      daily_outflow_gold: toLimitView(outflow.gold),
      daily_mint: toLimitView(minted),
    },
    difference: last
      ? { gold: amountNumber(last.goldDifference), usdc: amountNumber(last.usdcDifference) }
      : null,
    differences: last?.differences ?? null,
    compared_at: last?.at.toISOString() ?? null,
    compared_slot: last ? toInteger(last.slot) : null,
  };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getUserHoldings } from '../../actions/users/get-user-holdings.js';
import type { Context } from '../../context.js';
import { amountNumber, decimalNumber, formatDecimal, lamportDecimals } from '../../domain/money.js';
import { about, field, gold, usdc } from '../../views/fields.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const tokenAccount = (token: string, example: string) =>
  Nullable(
    Type.String(),
    about(
      `Address of the user's token account for ${token}; null if there is none that the wallet owns.`,
      example,
    ),
  );

const BalancesView = titled('Balances', {
  wallet_address: Type.String(field.userWallet),
  gold: Type.Number(gold('What the wallet holds.', 1.25)),
  usdc: Type.Number(usdc('What the wallet holds.', 250.5)),
  sol: Type.Number(about('What the wallet holds, SOL.', 0.05)),
  token_accounts: titled('TokenAccounts', {
    gold: tokenAccount('GOLD', '3emsAVdmGKERbHjmGfQ6oZ1e35dkf5iYcS6U4CPKFVaa'),
    usdc: tokenAccount('USDC', '7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi'),
    owned_by_others: Type.Array(
      choice(['gold', 'usdc']),
      about(
        'Tokens whose account of this wallet belongs to another wallet now: trades in them fail until its owner gives it back or closes it.',
        [],
      ),
    ),
  }),
});

const balancesRoute = route(reading, {
  operationId: 'getUserBalances',
  summary: "Get a user's balances",
  description: 'Returns what the wallet of a user holds on chain now, as far as transactions are confirmed.',
  errors: codes('user_not_found', 'partner_mismatch'),
  params: Type.Object({ service_user_id: Type.String(field.serviceUserId) }),
  response: { 200: BalancesView },
});

/** Route of what users hold. */
export function balanceRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Users');
    app.get('/v1/users/:service_user_id/balances', balancesRoute, async ({ principal, params }) => {
      const { walletAddress, holdings } = await getUserHoldings(ctx, principal, params.service_user_id);
      return {
        wallet_address: walletAddress,
        gold: amountNumber(holdings.gold),
        usdc: amountNumber(holdings.usdc),
        sol: decimalNumber(formatDecimal(holdings.lamports, lamportDecimals)),
        token_accounts: {
          gold: holdings.goldAccount ?? null,
          usdc: holdings.usdcAccount ?? null,
          owned_by_others: holdings.ownedByOthers,
        },
      };
    });
  };
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getOwnPartner, type OwnPartner } from '../../actions/partners/get-own-partner.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { choice } from '../../views/schemas.js';
import { field, gold, usdc } from '../../views/tradebook-fields.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { DataEnvelope, success } from './envelope.js';
import { reading } from './settings.js';

const meRoute = route(reading, {
  operationId: 'getOwnPartner',
  summary: 'Get your partner',
  description:
    'Returns the partner that the key acts for, the wallets that may act for it, and what its central vault holds on chain now. A key of the admin does not act for any partner.',
  errors: codes('partner_not_found'),
  response: {
    200: DataEnvelope({
      partnerId: Type.String(field.partnerId),
      name: Type.String(field.partnerName),
      status: choice(['active', 'suspended'], field.partnerStatus),
      centralVaultAddress: Type.String(field.centralVault),
      executiveAuthorities: Type.Array(Type.String(field.executive)),
      updateAuthorityAddress: Type.String(field.updateAuthority),
      withdrawalAuthorityAddress: Type.String(field.withdrawalAuthority),
      balances: Type.Object({
        gold: Type.Number(gold('Balance of the vault.', 250.5)),
        usdc: Type.Number(usdc('Balance of the vault.', 1_000_000)),
      }),
    }),
  },
});

export function ownPartnerRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Partner');
    app.get('/api/distribution/partner/me', meRoute, async ({ tradebookCaller }) =>
      success(toPartnerView(await getOwnPartner(ctx, tradebookCaller))),
    );
  };
}

function toPartnerView({ partner, status, onChain, vaultAddress, executives, balances }: OwnPartner) {
  return {
    partnerId: partner.id,
    name: partner.name,
    status,
    centralVaultAddress: vaultAddress,
    executiveAuthorities: executives,
    updateAuthorityAddress: onChain.updateAuthority,
    withdrawalAuthorityAddress: onChain.withdrawalAuthority,
    balances: { gold: amountNumber(balances.gold), usdc: amountNumber(balances.usdc) },
  };
}

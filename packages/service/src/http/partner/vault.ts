import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getOwnPartner, type OwnPartner } from '../../actions/partners/get-own-partner.js';
import type { Context } from '../../context.js';
import { findOrders } from '../../db/orders/orders.js';
import { asUuid } from '../../domain/ids.js';
import { orderKinds, orderStatuses } from '../../domain/order.js';
import { AppError } from '../../errors.js';
import { about, gold, usdc } from '../../views/fields.js';
import { orderRecordField as field } from '../../views/order-record-fields.js';
import { OrderRecordView, toOrderRecordView } from '../../views/order-record-view.js';
import { choice, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { pageOf, pageQuery, readPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { createdFilters, readCreated } from '../server/times.js';
import { reading } from './settings.js';

const address = (description: string) => about(description, '8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj');

const VaultView = titled('Vault', {
  address: Type.String(address('Owner of what the vault holds.')),
  gold_account: Type.String(address('Its token account for GOLD.')),
  usdc_account: Type.String(address('Its token account for USDC.')),
  gold: Type.Number(gold('What it holds now, as far as transactions are confirmed.', 250.5)),
  usdc: Type.Number(usdc('What it holds now, as far as transactions are confirmed.', 1_000_000)),
  status: choice(
    ['active', 'suspended'],
    about('`suspended` if trades are stopped, by the service or on chain.', 'active'),
  ),
  executive_authorities: Type.Array(Type.String(address('A wallet that may buy and sell for the vault.'))),
  update_authority: Type.String(address('The wallet that may change the executive authorities.')),
  withdrawal_authority: Type.String(address('The wallet that may withdraw from the vault, to itself.')),
});

const vaultRoute = route(reading, {
  operationId: 'getVault',
  summary: 'Get your vault',
  description:
    'Returns the addresses of your vault, the wallets that may act for it, and what it holds on chain now.',
  errors: codes('onchain_config_missing'),
  response: { 200: VaultView },
});

const ordersRoute = route(reading, {
  operationId: 'listOrders',
  summary: 'List the orders of your vault',
  description:
    'Purchases, sales, withdrawals and changes of the executive authorities, newest first, including those that reached the chain without the service.',
  querystring: pageQuery({
    kind: choice(orderKinds, { ...field.orderKind, description: 'Only those of this kind.' }),
    status: choice(orderStatuses, { ...field.orderStatus, description: 'Only those with this status.' }),
    ...createdFilters,
  }),
  response: { 200: pageOf('orders', OrderRecordView) },
});

/** Routes of the vault of the caller's partner, and of the orders that moved it. */
export function vaultRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Vault');
    app.get('/v1/vault', vaultRoute, async ({ principal: { partnerId } }) => {
      if (!ctx.chain.program.integrator(partnerId)) {
        throw new AppError('onchain_config_missing', 'The partner is not set up on chain yet.');
      }
      return toVaultView(await getOwnPartner(ctx, { partnerId }));
    });

    app.get('/v1/orders', ordersRoute, async ({ principal: { partnerId }, query }) => {
      const { kind, status } = query;
      const created = readCreated(query);
      const { rows, nextCursor } = await readPage(query, asUuid, (page) =>
        findOrders(ctx.db, { partnerId, kind, status }, { ...page, created }),
      );
      return { orders: rows.map(toOrderRecordView), next_cursor: nextCursor };
    });
  };
}

const vaultView = viewOf(VaultView);

function toVaultView({ status, onChain, vaultAddress, executives, balances }: OwnPartner) {
  return vaultView({
    ...balances,
    address: vaultAddress,
    status,
    goldAccount: onChain.vaultGold,
    usdcAccount: onChain.vaultUsdc,
    executiveAuthorities: executives,
    updateAuthority: onChain.updateAuthority,
    withdrawalAuthority: onChain.withdrawalAuthority,
  });
}

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { registeredSigners } from '../../actions/trades/signed-transaction.js';
import type { Context } from '../../context.js';
import { findGenesis } from '../../db/indexing/chain-genesis.js';
import { tokenDecimals } from '../../domain/money.js';
import { explorerUrlTemplate, networkOf } from '../../domain/network.js';
import { unavailable } from '../../errors.js';
import { about } from '../../views/fields.js';
import { choice, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';

const NetworkView = titled('SolanaNetwork', {
  network: choice(
    ['mainnet-beta', 'devnet', 'testnet', 'localnet'],
    about('The Solana network, by its genesis hash; `localnet` is any that is not public.', 'mainnet-beta'),
  ),
  genesis_hash: Type.String(
    about('Hash of the first block of the network.', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'),
  ),
  program_id: Type.String(
    about("Address of Karat's on-chain program.", '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'),
  ),
  usdc_mint: Type.String(about('Mint of USDC.', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')),
  gold_mint: Type.String(about('Mint of GOLD.', 'GoLDppdjB1vDTPSGxyMJFqdnj134yH6Prg9eqsGDiw6A')),
  service_signers: Type.Array(
    Type.String(),
    about('Addresses of which one is the fee payer of each quote: one, or two while keys are replaced.', [
      '9QgXqrgdbVU8KcpfskqJpAXKzbaYQJecgMAruSWoXDkM',
    ]),
  ),
  decimals: titled('TokenDecimals', {
    usdc: Type.Integer(about('Decimals of USDC.', tokenDecimals)),
    gold: Type.Integer(about('Decimals of GOLD.', tokenDecimals)),
  }),
  explorer_url_template: Type.String(
    about(
      'Page of an explorer about a transaction: replace `{signature}` by its `tx_hash`.',
      'https://explorer.solana.com/tx/{signature}',
    ),
  ),
});

const networkRoute = route(
  { auth: 'none' },
  {
    operationId: 'getNetwork',
    summary: 'Get the network',
    description:
      'Returns the Solana network that transactions are for, with the addresses on it. Needs no key: what it names is for pinning, before anything is signed.',
    response: { 200: NetworkView },
  },
);

export function networkRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Discovery');
    // Written once, and then for good.
    let recorded: string | undefined;
    app.get('/v1/network', networkRoute, async () => {
      const config = ctx.chain.program.lastConfig();
      recorded ??= await findGenesis(ctx.db);
      const genesisHash = recorded;
      if (!config || genesisHash === undefined)
        throw unavailable('The Solana node has not responded yet; try again shortly.');
      const network = networkOf(genesisHash);
      return {
        network,
        genesis_hash: genesisHash,
        program_id: ctx.chain.programAddress,
        usdc_mint: config.usdcMint,
        gold_mint: config.goldMint,
        service_signers: registeredSigners(config),
        decimals: { usdc: tokenDecimals, gold: tokenDecimals },
        explorer_url_template: explorerUrlTemplate(network, ctx.config.rpcUrls[0] ?? ''),
      };
    });
  };
}

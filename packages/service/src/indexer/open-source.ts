import { connectNotifications } from '../chain/node/notifications.js';
import type { Context } from '../context.js';
import type { VerifySignatures } from './decode/signature-pool.js';
import { RpcSource } from './rpc-source.js';
import type { Source } from './source.js';
import { YellowstoneSource } from './yellowstone/yellowstone-source.js';

/** Opens the source that the configuration names; `verify` verifies the signatures of a history. Nothing is sent before the first call. */
export function openSource(ctx: Context, verify?: VerifySignatures): Source {
  const { wsUrls, grpcUrl, grpcToken } = ctx.config;
  const nodes = new RpcSource(ctx.chain, connectNotifications(wsUrls), verify);
  return grpcUrl === undefined ? nodes : new YellowstoneSource(nodes, { url: grpcUrl, token: grpcToken });
}

import { connectNotifications } from '../chain/node/notifications.js';
import type { Context } from '../context.js';
import { RpcSource } from './rpc-source.js';
import type { Source } from './source.js';
import { YellowstoneSource } from './yellowstone/yellowstone-source.js';

/** Opens the source that the configuration names. Nothing is sent before the first call. */
export function openSource(ctx: Context): Source {
  const { wsUrls, grpcUrl, grpcToken } = ctx.config;
  const nodes = new RpcSource(ctx.chain, connectNotifications(wsUrls));
  return grpcUrl === undefined ? nodes : new YellowstoneSource(nodes, { url: grpcUrl, token: grpcToken });
}

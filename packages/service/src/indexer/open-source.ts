import { connectNotifications } from '../chain/node/notifications.js';
import type { Context } from '../context.js';
import type { VerifySignatures } from './decode/signature-pool.js';
import { RpcSource } from './rpc-source.js';
import type { Source } from './source.js';

/** Opens the configured nodes; `verify` verifies the signatures of a history. Nothing is sent before the first call. */
export function openSource(ctx: Context, verify?: VerifySignatures): Source {
  return new RpcSource(ctx.chain, connectNotifications(ctx.config.wsUrls), verify);
}

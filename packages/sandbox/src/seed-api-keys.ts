import { AppError, type Context, hasActiveKey, mintApiKey, mintChallenge } from '@karat/service';
import { signBytes } from '@solana/kit';
import type { ApiKeys } from './state-folder.js';
import type { SeededPartner, World } from './world.js';

/**
 * Returns a key of each partner: the known one while it is active, and otherwise a new one, which the partner's wallet signs for.
 * A partner that can have none, because it is suspended or its wallet revoked, is left out.
 */
export async function seedApiKeys(ctx: Context, world: World, known: ApiKeys): Promise<ApiKeys> {
  const keys: ApiKeys = {};
  for (const partner of world.partners) {
    const { slug } = partner.plan;
    const key = known[slug];
    const usable = key !== undefined && (await hasActiveKey(ctx.db, key));
    const found = usable ? key : await mint(ctx, partner);
    if (found !== undefined) keys[slug] = found;
  }
  return keys;
}

async function mint(ctx: Context, { partnerId, wallet }: SeededPartner): Promise<string | undefined> {
  try {
    const { id, message } = await mintChallenge(ctx, { walletAddress: wallet.address, partnerId });
    const signature = await signBytes(wallet.signer.keyPair.privateKey, Buffer.from(message));
    const signed = {
      challengeId: id,
      signature: Buffer.from(signature).toString('base64'),
      keyName: 'sandbox',
    };
    const from = { address: '127.0.0.1', requestId: 'sandbox' };
    return (await mintApiKey(ctx, from, signed)).apiKey;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

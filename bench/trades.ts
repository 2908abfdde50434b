/** Makes trades as partners do: quoted by the service, signed by partner and user, sent to the node. */
import { cosign } from '../packages/service/test/chain/signed-trade.js';
import { report } from './figures.js';
import { pause } from './machine.js';
import { type KaratProcess, quoteRequest, type World } from './world.js';

export interface SentTrade {
  id: string;
  signature: string;
}

/** Quotes a buy of one dollar for a user, signs it and sends it past all checks of the node. */
export async function sendTrade(world: World, { url }: KaratProcess, place: number): Promise<SentTrade> {
  const partner = world.partners[place % world.partners.length];
  const user = partner?.users[Math.floor(place / world.partners.length) % partner.users.length];
  const apiKey = partner?.apiKeys[place % partner.apiKeys.length];
  if (!partner || !user || !apiKey) throw new Error('there is no such partner');
  const request = quoteRequest(apiKey, user.id);
  const response = await fetch(`${url}${request.path}`, request);
  const quote = (await response.json()) as { trade_id: string; partially_signed_transaction: string };
  if (response.status !== 200) throw new Error(`no quote: ${JSON.stringify(quote)}`);
  const transaction = Buffer.from(quote.partially_signed_transaction, 'base64');
  const signed = cosign(transaction, [partner.wallet, user.wallet]);
  return { id: quote.trade_id, signature: await world.chain.sendStraight(signed) };
}

/** Trades that chains carry already. */
const landed = new WeakMap<World, number>();

/** Has the chain carry at least so many trades, and finalize them. */
export async function landTrades(world: World, wanted: number): Promise<void> {
  const count = wanted - (landed.get(world) ?? 0);
  if (count <= 0) return;
  const service = await world.start('serve');
  const begun = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await sendTrade(world, service, next);
    }
  };
  try {
    await Promise.all(Array.from({ length: 16 }, lane));
  } finally {
    await service.stop();
  }
  report(`${count} trades landed in ${Math.round((performance.now() - begun) / 1_000)} s`);
  // 32 slots of 400 ms.
  await pause(15_000);
  landed.set(world, wanted);
}

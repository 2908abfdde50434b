/** Quotes that both parties have signed. */
import { cosign } from '../packages/service/test/chain/signed-trade.js';
import { type QuoteRequest, quoteRequest, type World } from './world.js';

/** Gets a quote for the user at a place, has the partner and the user sign it, and returns the request that submits it. */
export async function quoteToSubmit(
  { partners }: Pick<World, 'partners'>,
  url: string,
  place: number,
): Promise<QuoteRequest> {
  const partner = partners[place % partners.length];
  const user = partner?.users[Math.floor(place / partners.length) % partner.users.length];
  const apiKey = partner?.apiKeys[0];
  if (!partner || !user || !apiKey) throw new Error('there is no such partner');
  const request = quoteRequest(apiKey, user.id);
  const response = await fetch(`${url}${request.path}`, request);
  const quote = (await response.json()) as Record<string, string>;
  const bytes = Buffer.from(quote.partially_signed_transaction ?? '', 'base64');
  const signed_tx = Buffer.from(cosign(bytes, [partner.wallet, user.wallet])).toString('base64');
  return { ...request, path: `/v1/buy/${quote.trade_id}/submit`, body: JSON.stringify({ signed_tx }) };
}

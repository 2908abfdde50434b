import { createSigner } from '@karat/signer';
import { TemplateTradeBuilder, type TradeTerms } from '../../src/chain/build/build-trade.js';
import type { ExpectedTrade } from '../../src/chain/inspect/inspect-trade.js';
import { newId } from '../../src/domain/ids.js';
import { newWallet } from '../harness.js';
import { addressOf, givenConfig, givenIntegrator, programAddress } from './fixtures.js';

/** The terms of a buy with all who sign it, and what an inspection expects of its transaction. */
export function givenBuy() {
  const [service, partner, user] = [newWallet(), newWallet(), newWallet()];
  const signer = createSigner(Uint8Array.from(service.secretKey));
  const builder = new TemplateTradeBuilder({ programAddress, signer, computeUnitPrice: 1_000n });
  const tradeId = newId('trd');
  const terms = {
    side: 'buy',
    tradeId,
    amountIn: 100_000_000n,
    minAmountOut: 24_000n,
    maxAmountOut: 30_000n,
    maxFeeBps: 50,
    expireAtSeconds: 1_750_000_060n,
    user: user.address,
    userPaysRent: false,
    integrator: { address: addressOf(30), data: givenIntegrator({ partnerWallet: partner.address }) },
    config: givenConfig(),
    blockhash: addressOf(99) as string as TradeTerms['blockhash'],
  } satisfies TradeTerms;
  const expected: ExpectedTrade = {
    side: 'buy',
    tradeId,
    programAddress,
    integrator: terms.integrator.address,
    serviceSigners: [service.address],
  };
  return { service, partner, user, builder, tradeId, terms, expected };
}

import { expectStatus, newWallet } from '../../harness.js';
import { givenKey, type Karat, startKarat, type Treasury } from '../../karat.js';
import { base64, ordered, paths, signedBy, transactionOf } from '../../ordering.js';
import { describeAnyRequest } from './any-request.js';
import type { Known } from './arbitrary-request.js';
import { tradebook } from './surfaces.js';

describeAnyRequest(tradebook, {
  requests: [50, 1_000],
  atOnce: () => 25,
  async start() {
    const config = { authRateLimitPerMinute: 1_000_000, submitWaitSeconds: 2 };
    const t = await startKarat({ config, logLevel: 'error' });
    const treasury = await t.given.treasury();
    const { executive, update, withdrawal } = treasury;
    return {
      app: t.service.app,
      known: await knownValues(t, treasury),
      secretFor(operationId) {
        if (operationId === 'createWithdrawal') return withdrawal.apiKey;
        return /ApiKey|changeExecutives/.test(operationId) ? update.apiKey : executive.apiKey;
      },
      stop: t.stop,
    };
  },
  hardToPlease: /^(createTradebookApiKey|revokeTradebookApiKey)$/,
});

/** What there is: orders, keys and partners, of the caller and of another partner. */
async function knownValues(t: Karat, partner: Treasury): Promise<Known> {
  const { service, chain } = t;
  const other = await t.given.treasury(await service.givenPartner());
  const { partnerId: otherId } = other;
  const bought = await ordered(partner.executive, paths.purchases, {
    goldAmount: 1,
    maxUsdcAmount: 5_000,
  });
  const sold = await ordered(partner.executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 });
  const taken = await ordered(partner.withdrawal, paths.withdrawals, { amount: 1, tokenType: 'usdc' });
  const foreign = await ordered(other.executive, paths.purchases, {
    goldAmount: 1,
    maxUsdcAmount: 5_000,
  });
  // It has landed: submitted again it has a response for good.
  expectStatus(await t.tradebook.submit(taken.signed), 200);
  // Several executives, so that chance finds some that may be removed.
  const added = [newWallet().address, newWallet().address, newWallet().address];
  const { update, partnerId } = partner;
  const change = expectStatus(await update.put(paths.executives(partnerId), { add: added }), 200);
  expectStatus(await t.tradebook.submit(signedBy(transactionOf(change), update.wallet)), 200);
  const { wallet } = partner.executive;
  const spare = await givenKey(service, {
    partnerId: partner.partnerId,
    wallet,
    scope: 'PARTNER_EXECUTIVE_AUTHORITY',
  });
  const desired = { keyType: 'PARTNER', partnerId: partner.partnerId };
  const { address: walletAddress } = partner.update.wallet;
  const requested = await t.tradebook.open.post('/api/auth/challenge', { ...desired, walletAddress });
  const challenge = expectStatus(requested, 200).body.data;
  const { purchaseId } = bought.response.body.data;
  return {
    walletAddress: [partner.update.wallet.address, wallet.address, chain.admin.address, newWallet().address],
    keyType: ['PARTNER', 'PARTNER', 'ADMIN'],
    // Often enough for changes of executives, which need a good body too.
    partnerId: [...Array.from({ length: 8 }, () => partner.partnerId), otherId],
    challengeId: [challenge.challengeId],
    signature: [other.update.wallet.sign(challenge.message)],
    keyId: [spare.keyId, other.update.keyId],
    purchaseId: [purchaseId, foreign.response.body.data.purchaseId],
    sellId: [sold.response.body.data.sellId, purchaseId],
    withdrawalId: [taken.response.body.data.withdrawalId, purchaseId],
    goldAmount: [1, 0.5, 0.000001, 1e6, 2.25],
    maxUsdcAmount: [1_000_000, 10],
    minimumUsdcAmount: [0, 1],
    amount: [1, 0.000001, 2_000_000],
    tokenType: ['usdc', 'GOLD', 'Usdc', 'sol'],
    add: Array.from({ length: 20 }, () => newWallet().address),
    remove: [wallet.address, ...added],
    signedTransaction: [base64(taken.signed), base64(bought.signed.subarray(0, 200))],
    signedTransactions: [base64(taken.signed), base64(sold.signed.subarray(0, 200))],
    limit: ['1', '100', '101', '0'],
    cursor: ['MTc3MjM2NjQwMDAwMC5ndV8w'],
    expirationDays: [1, 365],
  };
}

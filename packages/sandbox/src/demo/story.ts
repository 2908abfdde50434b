import { address, createSolanaRpc } from '@solana/kit';
import { burn } from './burn.js';
import type { Cast, Scene } from './cast.js';
import { registerCustomer } from './customer.js';
import { comeAndGo, revokeRoleKeys } from './executives.js';
import { mintKey, revokeKey } from './key.js';
import { reclaim } from './reclaim.js';
import { cancel, chooseBar, handOver, redeem } from './redemption.js';
import { countAgain, verifyReserves } from './reserves.js';
import type { RunningSandbox } from './running-sandbox.js';
import { formatMs, type Teller } from './teller.js';
import { trade } from './trade.js';
import { lookAround, openTreasury, purchase, sell, withdraw } from './treasury.js';
import { compareWebhooks, receiveWebhooks } from './webhooks.js';

/**
 * Plays a partner's whole day, over HTTP and JSON-RPC alone. Throws at the first step that fails, and when records,
 * quotes and balances do not agree.
 */
export async function playStory(sandbox: RunningSandbox, teller: Teller): Promise<void> {
  const start = performance.now();
  const scene = await setScene(sandbox, teller);
  const { info } = sandbox;
  teller.line(`${scene.partner.name} sells gold to a new customer at ${info.partner_api_url}`);

  teller.chapter('The partner gets an API key and registers a customer');
  const { karat, keyId } = await mintKey(scene);
  const webhooks = await receiveWebhooks(scene, karat);
  try {
    await serveCustomer({ ...scene, karat, customer: await registerCustomer(scene, karat) });
    teller.chapter("The partner's server is done");
    await compareWebhooks(teller, karat, webhooks);
  } finally {
    await webhooks.close();
  }
  await revokeKey(teller, karat, keyId);

  teller.chapter("The partner's treasurer trades for the vault");
  const treasury = await openTreasury(scene);
  await lookAround(treasury);
  await purchase(treasury, treasury.executive, 'Executive', 2);
  await sell(treasury, 0.5);
  await withdraw(treasury, 1_000);

  teller.chapter('A new executive comes and goes');
  const newcomer = await comeAndGo(treasury);
  await revokeRoleKeys(treasury, newcomer);

  teller.chapter('A stranger verifies the reserves');
  await verifyReserves(scene);
  teller.line();
  teller.line(`Every step succeeded, in ${formatMs(performance.now() - start)}.`);
}

/** A customer buys, sells and redeems. */
async function serveCustomer(cast: Cast): Promise<void> {
  const { teller } = cast;
  teller.chapter('The customer buys gold');
  await trade(cast, { side: 'buy', usdc_amount: 1_000 });

  teller.chapter('The customer sells gold, within a tolerance');
  const sold = await trade(cast, { side: 'sell', gold_amount: 0.05, slippage_bps: 100 });

  teller.chapter('The customer sells gold, for no less than a sum');
  const floor = Math.floor(sold.usdc_amount * 0.98);
  await trade(cast, { side: 'sell', gold_amount: 0.05, min_usdc_out: floor });

  teller.chapter('The customer redeems gold for a bar and picks it up');
  const bar = await chooseBar(cast);
  const paid = await redeem(cast, bar);
  teller.line('       (a bar is prepared once its payment is final, some 13 s after it landed: waiting)');
  await handOver(cast, paid);

  teller.chapter('The customer redeems gold and thinks better of it');
  await cancel(cast, await redeem(cast, bar));

  teller.chapter('The tokens of the bar that was picked up are burned');
  await burn(cast, paid);

  teller.chapter('The customer waits for a bar that never comes, and takes the gold back');
  await reclaim(cast, await redeem(cast, bar));
  await countAgain(cast);
}

async function setScene(sandbox: RunningSandbox, teller: Teller): Promise<Scene> {
  const { info } = sandbox;
  const [partner] = info.partners;
  if (!partner) throw new Error('The sandbox has no partner');
  return {
    sandbox,
    teller,
    rpc: createSolanaRpc(info.rpc_url),
    mints: { usdcMint: address(info.chain.usdc_mint), goldMint: address(info.chain.gold_mint) },
    partner,
    partnerWallet: await sandbox.key(partner.wallet_keypair),
  };
}

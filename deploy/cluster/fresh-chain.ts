/**
 * A Solana node of one's own without the program, for `deploy/rehearse`, with a price of gold and one of USDC where Pyth
 * publishes them. Usage: fresh-chain.ts PORT
 */
import { Localnet } from '@karat/localnet';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { priceAccountData, usdcAtPar } from '../../packages/sandbox/src/own-chain.js';
import { pythPrices } from '../../packages/service/src/chain/admin/seed.js';

const [port = ''] = process.argv.slice(2);
const gold = { price: 410_012_000_000n, confidence: 80_000_000n, exponent: -8 };
const { priceAccount, feedId, usdcPriceAccount, usdcFeedId, priceOwner } = await pythPrices();
const node = await Localnet.start({ rpcPort: Number.parseInt(port, 10) });
const write = (account: Address, feedId: ReadonlyUint8Array, price: typeof gold) =>
  node.setAccount(account, {
    lamports: 10_000_000n,
    owner: priceOwner,
    data: priceAccountData({
      ...price,
      feedId: Uint8Array.from(feedId),
      postedSlot: 1n,
      publishTimeSeconds: BigInt(node.nowUnixSeconds()),
    }),
    executable: false,
  });
const publish = () => {
  write(priceAccount, feedId, gold);
  write(usdcPriceAccount, usdcFeedId, usdcAtPar);
};
publish();
setInterval(publish, 1_000);
console.log(`the chain listens on ${port}`);

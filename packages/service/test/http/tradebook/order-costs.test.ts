import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenAccountOf, usdcOf } from '../../../src/chain/program/token-accounts.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { ordered, paths, signatureOf, signedBy, transactionOf } from '../../ordering.js';

let t: Karat;
let treasury: Treasury;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
});
afterAll(() => t.stop());

/** What the guide says that an order costs, in lamports. */
const fee = 15_000n;
const rent = 2_039_280n;
const receipt = 1_224_960n;

test('an order costs what the guide states, and uses less than half of its compute units', async () => {
  const { executive, withdrawal, update, partnerId } = treasury;
  const lamports = (address: string) => t.chain.node.getAccount(address as never)?.lamports ?? 0n;
  const bought = () => ordered(executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 });
  const sold = () => ordered(executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 });
  const taken = () => ordered(withdrawal, paths.withdrawals, { amount: 1, tokenType: 'usdc' });
  const changed = async () => {
    const add = Array.from({ length: 7 }, () => newWallet().address);
    const response = expectStatus(await update.put(paths.executives(partnerId), { add }), 200);
    return { signed: signedBy(transactionOf(response), update.wallet) };
  };
  expect(t.chain.node.getAccount(tokenAccountOf(withdrawal.wallet.address, usdcOf(t.chain)))).toBe(undefined);
  const [, bump] = await findAssociatedTokenPda({
    owner: withdrawal.wallet.address,
    mint: t.chain.usdcMint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  // A withdrawal searches for this random address twice, at 1,500 for each bump that does not do.
  const unitsOfSearches = 2 * 1_500 * (255 - bump);
  const cases = [
    { order: bought, payer: executive, cost: fee + receipt },
    { order: sold, payer: executive, cost: fee + receipt },
    { order: taken, payer: withdrawal, cost: fee + receipt + rent },
    { order: taken, payer: withdrawal, cost: fee + receipt },
    { order: changed, payer: update, cost: fee },
  ];
  for (const { order, payer, cost } of cases) {
    const { signed } = await order();
    const before = lamports(payer.wallet.address);
    expectStatus(await t.tradebook.submit(signed), 200);
    expect(before - lamports(payer.wallet.address)).toBe(cost);
    const { meta } = await t.chain.landed(signatureOf(signed));
    console.log(`${order.name}: ${meta.computeUnitsConsumed} compute units`);
    const searches = order === taken ? unitsOfSearches : 0;
    expect(Number(meta.computeUnitsConsumed) - searches).toBeLessThan(50_000);
  }
});

import {
  fetchRedemption,
  findRedemptionPda,
  getReclaimRedemptionInstructionAsync,
} from '@karat/program-client';
import type { Redemption } from '@karat/sdk';
import { asUuid, parseDecimal, tokenDecimals, uuidBytes } from '@karat/service/domain';
import { goldOf, sendInstructions, tokenAccountOf } from '@karat/service/seed';
import { address } from '@solana/kit';
import type { Cast } from './cast.js';
import { nowMs, passTime } from './clock.js';
import { change, customerBalances, readUntil } from './transaction.js';

/**
 * A customer whose redemption is not settled in time takes the tokens back, with nothing but the wallet and a node: neither the
 * service nor the partner signs. Throws if the tokens do not come back, or the record does not show it.
 */
export async function reclaim(cast: Cast, { redemption_id: id, quote }: Redemption): Promise<void> {
  const { karat, teller, rpc, customer, sandbox, mints } = cast;
  const programAddress = address(sandbox.info.chain.program_id);
  const bytes = uuidBytes(asUuid(id.replace(/^red_/, '')) ?? failed(id));
  const [account] = await findRedemptionPda({ id: bytes }, { programAddress });
  const { data: redemption } = await fetchRedemption(rpc, account, { commitment: 'confirmed' });
  const before = await customerBalances(cast);
  const seeder = { rpc, payer: customer.wallet, commitment: 'confirmed' } as const;
  const take = async () =>
    sendInstructions(seeder, [
      await getReclaimRedemptionInstructionAsync(
        {
          user: customer.wallet,
          redemption: account,
          rentPayer: redemption.rentPayer,
          escrowGold: address(sandbox.info.chain.escrow_gold_account),
          goldMint: mints.goldMint,
          destination: tokenAccountOf(customer.wallet.address, goldOf(mints)),
          id: bytes,
        },
        { programAddress },
      ),
    ]);
  await teller.step('Customer: try to reclaim at once, which is too early', async (figure) => {
    const refused = await take().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!refused) throw new Error('The program let the tokens go too early');
    figure('possible from', new Date(Number(redemption.reclaimableAt) * 1_000).toISOString());
  });
  const waitMs = Number(redemption.reclaimableAt) * 1_000 - (await nowMs(cast));
  await passTime(cast, Math.ceil(waitMs / 1_000) + 5, 'no operator prepares the bar');
  await teller.step('Customer: reclaim, with wallet and node alone', async (figure) => {
    figure('transaction', await take());
    const after = await customerBalances(cast);
    figure('GOLD', change(before.gold, after.gold));
    if (after.gold - before.gold !== parseDecimal(quote.tokens_required, tokenDecimals))
      throw new Error('The customer got another amount');
  });
  await teller.step('Read the redemption that the indexer moved', async (figure) => {
    const record = await readUntil(
      () => karat.redemptions.get(id),
      ({ status }) => status === 'cancelled',
    );
    figure('status', record.status);
    figure('reason', String(record.cancellation_reason));
    if (record.status !== 'cancelled') throw new Error(`The redemption is ${record.status}`);
  });
}

function failed(id: string): never {
  throw new Error(`${id} is no id of a redemption`);
}

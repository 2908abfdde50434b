import type { Redemption } from '@karat/sdk';
import { parseDecimal, tokenDecimals } from '@karat/service/domain';
import type { Cast } from './cast.js';
import { nowMs, passTime } from './clock.js';
import { announceBurn, readCase } from './operator.js';
import { change, readUntil } from './transaction.js';

/** A little longer than the delay: the chain's clock moves by slots. */
const graceMs = 5_000;

/**
 * The operator announces that the tokens of a collected redemption will be burned; until the delay of the program is over, the
 * guardian can object. Then the keeper burns them. Throws if the supply of GOLD does not fall by those tokens at least.
 */
export async function burn(cast: Cast, { redemption_id: id, quote }: Redemption): Promise<void> {
  const { teller, sandbox } = cast;
  const before = await supplyOf(cast);
  const dueAt = await teller.step('Operator: announce the burn', async (figure) => {
    await announceBurn(sandbox.info, id);
    const { burn_due_at: due } = await readUntil(
      () => readCase(sandbox.info, id),
      (seen) => seen.burn_due_at !== null,
    );
    if (due === null) throw new Error('The burn was not announced');
    figure('tokens', `${quote.tokens_required} GOLD, in escrow`);
    figure('burned from', due);
    return Date.parse(due);
  });
  const waitMs = dueAt - (await nowMs(cast)) + graceMs;
  await passTime(cast, Math.ceil(waitMs / 1_000), 'meanwhile the guardian could have cancelled it');
  await teller.step('The keeper burns the tokens', async (figure) => {
    const { settlement } = await readUntil(
      () => readCase(sandbox.info, id),
      (seen) => seen.settlement?.status === 'confirmed',
    );
    if (settlement?.status !== 'confirmed') throw new Error('The tokens were not burned');
    const after = await supplyOf(cast);
    figure('transaction', settlement.tx_hash);
    figure('all GOLD', change(before, after));
    // Other announced burns may have been due as well.
    if (before - after < (parseDecimal(quote.tokens_required, tokenDecimals) ?? before))
      throw new Error('The supply fell by less');
  });
}

async function supplyOf({ rpc, mints }: Cast): Promise<bigint> {
  const { value } = await rpc.getTokenSupply(mints.goldMint, { commitment: 'confirmed' }).send();
  return BigInt(value.amount);
}

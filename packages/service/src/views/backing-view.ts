import { Type } from '@fastify/type-provider-typebox';
import type { Backing } from '../domain/reserves/backing.js';
import { about, gold } from './fields.js';
import { Nullable, titled } from './schemas.js';
import { viewOf } from './view.js';

const at = '2026-03-01T12:00:00.000Z';
const ounces = (description: string, example: number) => about(`${description} Troy ounces.`, example);

/** Whether the tokens are backed: by what is attested, less what was burned since, and by the bars in the vaults. */
export const BackingView = titled('Backing', {
  covered: Type.Boolean(
    about(
      'Whether all tokens are covered: neither surplus is negative, and the attestation is not too old.',
      true,
    ),
  ),
  supply: Type.Number(gold('All tokens that exist, in all accounts.', 102_450.5)),
  attested: Type.Number(ounces('Gold in the last attestation; 0 before the first.', 150_000)),
  as_of: Nullable(Type.String(), about('When the attestor counted; null before the first attestation.', at)),
  burned: Type.Number(gold('All tokens that were ever burned, which the program counts.', 1_250)),
  burned_since: Type.Number(gold('Tokens burned since the count; their gold has left.', 250)),
  backed: Type.Number(gold('Tokens that may exist: `attested` less `burned_since`.', 149_750)),
  attested_surplus: Type.Number(
    gold(
      '`backed` less `supply`: what may be minted. Negative: more tokens exist than the attestation covers.',
      47_299.5,
    ),
  ),
  attestation_stale: Type.Boolean(
    about(
      'Whether the attestation is older than the program accepts: then no tokens leave the treasury, if the settings require backing.',
      false,
    ),
  ),
  bars: Type.Integer(about('Number of bars in the vaults.', 3_300)),
  bars_gold: Type.Number(ounces('Fine gold in these bars.', 106_086.927567)),
  awaiting_burn: Type.Number(
    gold('Tokens in escrow of redemptions whose bars were handed over: they wait to be burned.', 0),
  ),
  bars_surplus: Type.Number(
    gold(
      '`bars_gold` less the tokens that are not waiting to be burned. Negative: the bars do not cover the tokens.',
      3_636.427567,
    ),
  ),
  slot: Type.Integer(about('The finalized slot of the chain at which the tokens were counted.', 1_234_567)),
  at: Type.String(about('When tokens and bars were compared.', at)),
});

const view = viewOf(BackingView);

export function toBackingView({ attestation, bars, ...backing }: Backing) {
  return view({
    ...backing,
    attested: attestation?.amount ?? 0n,
    asOf: attestation?.asOf ?? null,
    bars: bars.count,
    barsGold: bars.gold,
  });
}

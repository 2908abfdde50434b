import { about } from '../../views/fields.js';

const at = '2026-03-01T12:00:00.000Z';
const later = '2026-03-03T12:00:00.000Z';
const address = '8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD';
const txHash = '4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8';

/** What the fields of the program's settings mean, and those of a proposal to change them. */
export const settingsField = {
  guardian: about(
    'Key that pauses, and cancels what is proposed or announced. A proposal of another one changes nothing else.',
    address,
  ),
  attestor: about('Key that attests how much gold there is; null: there is none.', address),
  priceAccount: about('Account with the price of gold.', address),
  priceOwner: about('Program of the oracle, which owns both price accounts.', address),
  feedId: about("The oracle's id of the price of gold, hexadecimal.", '76'.repeat(32)),
  usdcPriceAccount: about('Account with the price of USDC.', address),
  usdcFeedId: about("The oracle's id of the price of USDC, hexadecimal.", 'ea'.repeat(32)),
  minPrice: about('Lowest price of an ounce that is accepted, US dollars.', 500),
  maxPrice: about('Highest price of an ounce that is accepted, US dollars.', 50_000),
  minUsdcPrice: about('Lowest price of USDC at which gold is sold for it, US dollars.', 0.98),
  maxTradeUsdc: about('Largest trade, USDC; `none` for no limit.', 1_000_000),
  dailyOutflowUsdc: about(
    'Most USDC that may leave the treasury in 24 hours, less what comes in; `none` for no limit.',
    2_000_000,
  ),
  dailyOutflowGold: about(
    'Most GOLD that may leave the treasury in 24 hours, less what comes in; `none` for no limit.',
    500,
  ),
  dailyMint: about('Most GOLD that may be minted in 24 hours; `none` for no limit.', 1_000),
  withdrawOwners: about('Owners of the accounts that may receive inventory of the treasury.', [address]),
  maxAgeOpen: about(
    'Seconds that a price is good for while the market is open; that of USDC at any time.',
    60,
  ),
  maxAgeClosed: about('The same while the market is closed; 0: no trades then.', 0),
  recoveryDelay: about('Seconds until a key that the admin proposes for a partner can be applied.', 172_800),
  changeDelay: about('Seconds until proposed settings, or another admin, can be applied.', 172_800),
  burnDelay: about('Seconds until an announced burn can be done.', 86_400),
  redemptionTimeout: about(
    'Seconds until a user may reclaim the tokens of an open redemption on chain.',
    7_776_000,
  ),
  oppositeSideSeconds: about("Seconds until a partner's vault may trade in the other direction.", 300),
  maxAttestationAge: about('Seconds that an attestation of the gold is good for.', 2_678_400),
  maxConfidenceBps: about('Widest confidence interval of a price, in basis points of it.', 100),
  minFeeBps: about('Lowest fee of any partner, in basis points.', 10),
  maxFeeBps: about('Highest fee of any partner, in basis points.', 1_000),
  requireBacking: about('Whether GOLD leaves the treasury only while the whole supply is attested.', true),
  freezeEnabled: about('Whether the compliance key may freeze accounts of holders.', false),
  change: { description: 'The settings to change. What is left out stays as it is.' },
  pending: { description: 'Settings that are proposed, complete; null while none are.' },
  proposedAt: about('When they were proposed.', at),
  readyAt: about('When they can be applied, by anyone.', later),
  expiresAt: about('When they can no longer be applied: 14 days after that.', '2026-03-17T12:00:00.000Z'),
  cancellableBy: about('Whose keys can cancel them: a guardian cannot keep its own replacement away.', [
    'guardian',
    'admin',
  ]),
  txHash: about('Transaction of the change; null if nothing had to change.', txHash),
};

import type { Option } from './command.js';
import { optional, optionOf } from './options.js';

type Declared = Parameters<ReturnType<typeof optionOf>>;

/** Settings of the program: `chain init` gives them, by default as stated here, and `chain propose` changes them. */
const settings: Declared[] = [
  ['min-price', 'USD', 'lowest price of an ounce that is accepted', { default: '500' }],
  ['max-price', 'USD', 'highest price of an ounce that is accepted', { default: '50000' }],
  ['min-usdc-price', 'USD', 'lowest price of USDC at which gold is sold for it', { default: '0.98' }],
  ['max-trade-usdc', 'USDC', 'largest trade; none for no limit', { default: '1000000' }],
  ['daily-outflow-usdc', 'USDC', 'most USDC out of the treasury in 24 hours, less what comes in; or none'],
  ['daily-outflow-gold', 'GOLD', 'most GOLD out of the treasury in 24 hours, less what comes in; or none'],
  ['daily-mint', 'GOLD', 'most GOLD that may be minted in 24 hours; none for no limit'],
  ['max-age-open', 'SECONDS', 'how old a price may be while the market is open', { default: '60' }],
  ['max-age-closed', 'SECONDS', 'the same while it is closed; 0 means no trading then', { default: '0' }],
  ['max-confidence-bps', 'N', 'widest confidence interval of a price, 1/10000 of it', { default: '100' }],
  ['min-fee-bps', 'N', 'lowest fee of any partner, 1/10000', { default: '10' }],
  ['max-fee-bps', 'N', 'highest fee of any partner, 1/10000', { default: '1000' }],
  [
    'opposite-side-seconds',
    'SECONDS',
    "until a partner's vault may trade in the other direction",
    { default: '300' },
  ],
  ['attestor', 'ADDRESS', 'key that attests the gold; none for no key', { default: 'none' }],
  [
    'withdraw-owners',
    'LIST',
    'up to four owners of accounts that may receive inventory, with commas; or none',
    { default: 'none' },
  ],
  [
    'recovery-delay',
    'SECONDS',
    'until a key proposed for a partner can be applied; at least a day',
    { default: '172800' },
  ],
  [
    'change-delay',
    'SECONDS',
    'until proposed settings can be applied; at least a day',
    { default: '172800' },
  ],
  ['burn-delay', 'SECONDS', 'until an announced burn can be done; at least an hour', { default: '86400' }],
  [
    'redemption-timeout',
    'SECONDS',
    'until users may reclaim open redemptions; at least 30 days',
    { default: '7776000' },
  ],
  [
    'max-attestation-age',
    'SECONDS',
    'how old an attestation may be; at most 92 days',
    { default: '2678400' },
  ],
  [
    'require-backing',
    'yes|no',
    'GOLD leaves the treasury only while all of it is attested',
    { default: 'yes' },
  ],
  ['freeze-enabled', 'yes|no', 'the compliance key may freeze accounts of holders', { default: 'no' }],
];

/** Where the prices come from: by default Pyth's feeds on its own accounts. */
const oracle: Declared[] = [
  ['price-account', 'ADDRESS', 'account with the price of gold'],
  ['feed-id', 'HEX', "oracle's id of the price of gold"],
  ['usdc-price-account', 'ADDRESS', 'account with the price of USDC'],
  ['usdc-feed-id', 'HEX', "oracle's id of the price of USDC"],
  ['price-owner', 'ADDRESS', "oracle's program, which owns both accounts"],
];

const guardian: Declared = [
  'guardian',
  'ADDRESS',
  'key that pauses, and cancels what is proposed or announced',
];

/** Options of `chain init`: the prices are Pyth's and the guardian is that of KARAT_GUARDIAN_SIGNER, unless given. */
export function initialSettings(prefix: string): Option[] {
  const option = optionOf(prefix);
  const pyth = oracle.map(([name, placeholder, help]) =>
    option(name, placeholder, `${help} (default: Pyth's)`, optional),
  );
  return [
    option(guardian[0], guardian[1], guardian[2], optional),
    ...pyth,
    ...settings.map((each) => option(...each)),
  ];
}

/** Options of `chain propose`: what is left out stays as it is. */
export function changedSettings(prefix: string): Option[] {
  const option = optionOf(prefix);
  return [guardian, ...oracle, ...settings].map(([name, placeholder, help]) =>
    option(name, placeholder, help, optional),
  );
}

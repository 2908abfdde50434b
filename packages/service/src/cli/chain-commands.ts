import { pauseNames } from '../domain/program-status.js';
import type { Command } from './command.js';
import { adminDetails, feePayer, option, optional, optionOf, reason } from './options.js';
import { signersCommands } from './signers-commands.js';

const only = option(
  'only',
  'KARAT_CHAIN_ONLY',
  'LIST',
  `which of ${pauseNames.join(', ')}, separated by commas`,
  {
    default: pauseNames.join(','),
  },
);

const initOption = optionOf('KARAT_INIT');
const configOption = (name: string, placeholder: string, help: string) =>
  optionOf('KARAT_CONFIG')(name, placeholder, help, optional);

/** Settings of the program that `chain init` gives it, by default as stated here, and `chain config` changes. */
const settings: Parameters<typeof initOption>[] = [
  ['min-price', 'USD', 'lowest price of an ounce that is accepted', { default: '500' }],
  ['max-price', 'USD', 'highest price of an ounce that is accepted', { default: '50000' }],
  ['max-trade', 'USDC', 'largest trade', { default: '1000000' }],
  ['max-age-open', 'SECONDS', 'how old a price may be while the market is open', { default: '150' }],
  ['max-age-closed', 'SECONDS', 'the same while it is closed; 0 means no trading then', { default: '0' }],
  ['max-confidence-bps', 'N', 'widest confidence interval of a price, 1/10000 of it', { default: '100' }],
  ['max-fee-bps', 'N', 'highest fee of any partner, 1/10000', { default: '1000' }],
  ['operations', 'ADDRESS', 'key that creates partners and settles redemptions; none for no key', optional],
  ['market', 'ADDRESS', 'key that opens and closes the market; none for no key', optional],
  ['attestor', 'ADDRESS', 'key that attests the reserve; none for no key', { default: 'none' }],
  [
    'withdraw-owners',
    'LIST',
    'up to four owners of accounts that may receive inventory, with commas; or none',
    { default: 'none' },
  ],
  [
    'recovery-delay',
    'SECONDS',
    'delay of what the admin proposes for a partner; can never be shortened',
    { default: '172800' },
  ],
  [
    'max-attestation-age',
    'SECONDS',
    'how old an attestation of the reserve may be for minting',
    { default: '2678400' },
  ],
  [
    'daily-outflow-usdc',
    'USDC',
    'most USDC that may leave the treasury in 24 hours; 0 means no limit',
    { default: '0' },
  ],
  [
    'daily-outflow-gold',
    'GOLD',
    'most GOLD that may leave the treasury in 24 hours; 0 means no limit',
    { default: '0' },
  ],
];

export const chainCommands: Command[] = [
  {
    name: 'chain init',
    summary: 'initialize the program, once, with its token accounts',
    details: [
      'Signed and paid for by KARAT_ADMIN_SIGNER, which becomes the admin and must be the upgrade authority unless',
      '--admin and --upgrade-authority-keypair name others. The key of KARAT_SERVICE_SIGNER becomes the first service',
      'signer; those of KARAT_GUARDIAN_SIGNER, KARAT_OPERATIONS_SIGNER and KARAT_MARKET_SIGNER get their roles unless',
      'options name others. Afterwards everything is paused and the market closed: karat chain resume ends the pauses, the',
      'keeper opens the market. Costs about 0.02 SOL.',
    ],
    options: [
      initOption(
        'usdc-mint',
        'ADDRESS',
        'mint of USDC; new creates one (default: that of KARAT_NETWORK)',
        optional,
      ),
      initOption('gold-mint', 'ADDRESS', 'mint of GOLD, whose authority is the treasury; new creates one'),
      initOption(
        'admin',
        'ADDRESS',
        'key that changes settings and resumes; may be an account of a multisig',
        optional,
      ),
      initOption('guardian', 'ADDRESS', 'key that may pause', optional),
      initOption('upgrade-authority-keypair', 'FILE', 'key file of the upgrade authority', optional),
      initOption(
        'price-account',
        'ADDRESS',
        "oracle's price account (default: Pyth's XAU/USD, shard 0)",
        optional,
      ),
      ...settings.map((setting) => initOption(...setting)),
      initOption('allow-short-recovery', 'yes', 'accept a recovery delay below a day, for tests', optional),
    ],
    run: async (call) => (await import('./chain.js')).init(call),
  },
  {
    name: 'chain status',
    summary: 'show what is paused and the state of the market, read from the chain',
    options: [],
    run: async (call) => (await import('./chain.js')).status(call),
  },
  {
    name: 'chain pause',
    summary: 'pause the program, signed by KARAT_GUARDIAN_SIGNER',
    details: ['Without that key it is signed by KARAT_OPERATIONS_SIGNER or KARAT_ADMIN_SIGNER.'],
    options: [only, reason],
    run: async (call) => (await import('./chain.js')).pause(call),
  },
  {
    name: 'chain resume',
    summary: 'end a pause, signed by KARAT_ADMIN_SIGNER',
    details: adminDetails,
    options: [only, reason],
    run: async (call) => (await import('./chain.js')).resume(call),
  },
  ...signersCommands,
  {
    name: 'chain admin',
    summary: 'show the admin of the program, or hand over the role in two steps',
    details: [
      '--propose is signed by the admin, --accept by the proposed one: each by KARAT_ADMIN_SIGNER.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option(
        'propose',
        'KARAT_PROPOSE_ADMIN',
        'ADDRESS',
        'the next admin; may be an account of a multisig; none withdraws the proposal',
        optional,
      ),
      option('accept', 'KARAT_ACCEPT_ADMIN', 'yes', 'make the proposed admin the admin', optional),
      reason,
    ],
    run: async (call) => (await import('./chain.js')).admin(call),
  },
  {
    name: 'chain config',
    summary: "show the program's settings, or change the given ones, signed by KARAT_ADMIN_SIGNER",
    details: [
      'Other settings stay unchanged. karat chain signers changes the service signers.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      configOption('guardian', 'ADDRESS', 'key that pauses'),
      configOption(
        'fee-account',
        'ADDRESS',
        'USDC account for the fees of trades; not together with other settings',
      ),
      configOption(
        'treasury-usdc-account',
        'ADDRESS',
        "the treasury's USDC account; the old one keeps what it holds",
      ),
      configOption('treasury-gold-account', 'ADDRESS', "the treasury's GOLD account, likewise"),
      configOption('price-account', 'ADDRESS', "oracle's price account"),
      configOption('price-owner', 'ADDRESS', "oracle's program, which owns the price account"),
      configOption('feed-id', 'HEX', "oracle's id of the price of gold"),
      ...settings.map(([name, placeholder, help]) => configOption(name, placeholder, help)),
      reason,
    ],
    run: async (call) => (await import('./chain.js')).config(call),
  },
];

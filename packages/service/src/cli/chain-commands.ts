import { hotKeyNames } from '../domain/hot-key.js';
import { pauseNames } from '../domain/program-status.js';
import type { Command } from './command.js';
import { adminDetails, feePayer, option, optional, optionOf, reason } from './options.js';
import { changedSettings, initialSettings } from './settings-options.js';

const only = option('only', 'KARAT_CHAIN_ONLY', 'LIST', 'what of it, separated by commas', {
  default: pauseNames.join(','),
});

const initOption = optionOf('KARAT_INIT');
const rotateOption = optionOf('KARAT_ROTATE');
const replaceOption = optionOf('KARAT_REPLACE');

const lifecycle: Command[] = [
  {
    name: 'chain init',
    summary: 'initialize the program, once, with its token accounts',
    details: [
      'Signed and paid for by KARAT_ADMIN_SIGNER, which becomes the admin and must be the upgrade authority unless',
      '--admin and --upgrade-authority-keypair name others. The key of KARAT_SERVICE_SIGNER becomes the first service',
      'signer; those of KARAT_GUARDIAN_SIGNER, KARAT_OPERATIONS_SIGNER and KARAT_MARKET_SIGNER get their roles unless',
      'options name others. --gold-mint new makes a mint of Token-2022 with its name in it. Afterwards everything is',
      'paused and the market closed: karat chain resume ends the pauses, the keeper opens the market. Costs about 0.03',
      'SOL. docs/going-live.md lists what can never be changed afterwards.',
    ],
    options: [
      initOption(
        'usdc-mint',
        'ADDRESS',
        'mint of USDC; new creates one (default: that of KARAT_NETWORK)',
        optional,
      ),
      initOption('gold-mint', 'ADDRESS', 'mint of GOLD, whose authority is the treasury; new creates one'),
      initOption('gold-name', 'TEXT', 'name of GOLD that wallets show, with --gold-mint new', optional),
      initOption('gold-symbol', 'TEXT', 'its symbol, likewise', optional),
      initOption('gold-uri', 'URL', 'https address of its JSON document, which names the logo', optional),
      initOption('gold-issuer', 'TEXT', 'who promises the gold; stands in the mint', optional),
      initOption(
        'admin',
        'ADDRESS',
        'key that proposes settings and resumes; may be an account of a multisig',
        optional,
      ),
      initOption('operations', 'ADDRESS', 'key that creates partners and settles; none for no key', optional),
      initOption('market', 'ADDRESS', 'key that opens and closes the market; none for no key', optional),
      initOption('compliance', 'ADDRESS', 'key that freezes accounts; none for no key', { default: 'none' }),
      initOption('upgrade-authority-keypair', 'FILE', 'key file of the upgrade authority', optional),
      ...initialSettings('KARAT_INIT'),
    ],
    run: async (call) => (await import('./init-chain.js')).init(call),
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
    details: [
      'Without that key it is signed by KARAT_ADMIN_SIGNER. A pause of treasury ends by itself after seven days, unless it',
      'is set again.',
    ],
    options: [only, reason],
    run: async (call) => (await import('./chain.js')).pause(call),
  },
  {
    name: 'chain resume',
    summary: 'end a pause, signed by KARAT_ADMIN_SIGNER',
    details: ['While treasury is paused, resuming it takes KARAT_GUARDIAN_SIGNER as well.', ...adminDetails],
    options: [only, reason],
    run: async (call) => (await import('./chain.js')).resume(call),
  },
];

const settings: Command[] = [
  {
    name: 'chain settings',
    summary: "show the program's settings, its keys, and the settings that are proposed",
    options: [],
    run: async (call) => (await import('./settings.js')).show(call),
  },
  {
    name: 'chain propose',
    summary: 'propose other settings of the program, signed by KARAT_ADMIN_SIGNER',
    details: [
      'What is left out stays. The proposal can be applied after the change delay, within 14 days, and until then the',
      'guardian and the admin can cancel it. There is one proposal at a time. Another guardian is proposed alone.',
      ...adminDetails,
    ],
    options: [feePayer, ...changedSettings('KARAT_CONFIG'), reason],
    run: async (call) => (await import('./settings.js')).propose(call),
  },
  {
    name: 'chain apply',
    summary: 'apply the proposed settings, once they are ready',
    details: ['Needs no role: KARAT_OPERATIONS_SIGNER, or else KARAT_ADMIN_SIGNER, only pays for it.'],
    options: [feePayer, reason],
    run: async (call) => (await import('./settings.js')).apply(call),
  },
  {
    name: 'chain cancel',
    summary: 'cancel the proposed settings, signed by KARAT_GUARDIAN_SIGNER',
    details: [
      'Without that key it is signed by KARAT_ADMIN_SIGNER, which alone can cancel a proposal of another guardian.',
      ...adminDetails,
    ],
    options: [feePayer, reason],
    run: async (call) => (await import('./settings.js')).cancel(call),
  },
];

const keys: Command[] = [
  {
    name: 'chain replace-key',
    summary: 'replace a hot key of the program at once, signed by KARAT_ADMIN_SIGNER',
    details: [
      'A service signer, of which there are one or two, is added with --old none and removed with --new none;',
      'docs/operations/README.md explains how to rotate it.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      replaceOption('role', 'ROLE', `one of ${hotKeyNames.join(', ')}`),
      replaceOption(
        'old',
        'ADDRESS',
        'key that has the role now; none for an empty place (default: the only one)',
        optional,
      ),
      replaceOption('new', 'ADDRESS', 'key that gets it; none to leave the place empty'),
      reason,
    ],
    run: async (call) => (await import('./settings.js')).replaceKey(call),
  },
  {
    name: 'chain rotate-accounts',
    summary: 'replace accounts of treasury and fees, such as a frozen one, signed by KARAT_ADMIN_SIGNER',
    details: ['What the old accounts hold stays in them until they are named again.', ...adminDetails],
    options: [
      feePayer,
      rotateOption('fee-account', 'ADDRESS', 'USDC account for the fees of trades', optional),
      rotateOption('treasury-usdc-account', 'ADDRESS', "the treasury's USDC account", optional),
      rotateOption('treasury-gold-account', 'ADDRESS', "the treasury's GOLD account", optional),
      reason,
    ],
    run: async (call) => (await import('./settings.js')).rotateAccounts(call),
  },
  {
    name: 'chain admin',
    summary: 'show the admin of the program, or hand over the role in two steps',
    details: [
      '--propose is signed by the admin, --accept by the proposed one after the change delay: each by',
      'KARAT_ADMIN_SIGNER. --cancel is signed by KARAT_GUARDIAN_SIGNER or the admin. The metadata of GOLD stays the old',
      "admin's until it is handed over as well.",
      ...adminDetails,
    ],
    options: [
      feePayer,
      option(
        'propose',
        'KARAT_PROPOSE_ADMIN',
        'ADDRESS',
        'the next admin; may be an account of a multisig',
        optional,
      ),
      option('accept', 'KARAT_ACCEPT_ADMIN', 'yes', 'make the proposed admin the admin', optional),
      option('cancel', 'KARAT_CANCEL_ADMIN', 'yes', 'withdraw the proposed admin', optional),
      reason,
    ],
    run: async (call) => (await import('./chain.js')).admin(call),
  },
];

export const chainCommands: Command[] = [...lifecycle, ...settings, ...keys];

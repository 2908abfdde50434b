import type { Command } from './command.js';
import { adminDetails, feePayer, option, optional, reason } from './options.js';

export const reserveCommands: Command[] = [
  {
    name: 'reserve status',
    summary: 'show how much GOLD exists, is attested, and was burned, read from the chain',
    details: ['Needs KARAT_RPC_URL and KARAT_PROGRAM_ID, and no database.'],
    options: [],
    run: async (call) => (await import('./reserve.js')).status(call),
  },
  {
    name: 'reserve attest',
    summary: 'attest how much gold there is, from the report of a vault or an auditor',
    details: [
      'Needs KARAT_RPC_URL and KARAT_PROGRAM_ID, and no database: the attestor is outside of the service. Without',
      '--attestor-keypair the transaction is printed unsigned; it can land for about a minute. An amount that differs by',
      'more than 10 % from what the last attestation leaves has to be repeated as --confirm; so has one that differs as much',
      'from the bars in the vaults, which are compared where DATABASE_URL is set, and the first one where it is not.',
    ],
    options: [
      option('amount', 'KARAT_ATTEST_AMOUNT', 'AMOUNT', 'GOLD that may exist, troy ounces'),
      option('report', 'KARAT_ATTEST_REPORT', 'FILE', 'the report; only its SHA-256 goes on chain'),
      option(
        'burned-at',
        'KARAT_ATTEST_BURNED_AT',
        'AMOUNT',
        'burned_total of karat reserve status when the metal was counted',
      ),
      option(
        'as-of',
        'KARAT_ATTEST_AS_OF',
        'TIME',
        'the time that the report refers to, such as 2026-03-01T12:00:00Z (default: now)',
        optional,
      ),
      option(
        'confirm',
        'KARAT_ATTEST_CONFIRM',
        'AMOUNT',
        'the amount once more, where it is doubted',
        optional,
      ),
      option(
        'attestor-keypair',
        'KARAT_ATTESTOR_KEYPAIR',
        'FILE',
        'key file of the attestor, who signs and pays',
        optional,
      ),
    ],
    run: async (call) => (await import('./reserve.js')).attest(call),
  },
  {
    name: 'gold mint',
    summary: 'mint GOLD into the treasury, up to the attested amount',
    details: [
      'Signed by KARAT_ADMIN_SIGNER. Nothing is sent if the chain would refuse it, and the message has the amount above',
      'what is attested, less what was burned since.',
      ...adminDetails,
    ],
    options: [feePayer, option('amount', 'KARAT_MINT_AMOUNT', 'AMOUNT', 'GOLD, troy ounces'), reason],
    run: async (call) => (await import('./reserve.js')).mint(call),
  },
];

import type { Command } from './command.js';
import { adminDetails, feePayer, option, optional, reason } from './options.js';

export const reserveCommands: Command[] = [
  {
    name: 'reserve attest',
    summary: 'attest how much gold there is, from the report of a vault or an auditor',
    details: [
      'Needs KARAT_RPC_URL and KARAT_PROGRAM_ID, and no database: the attestor is outside of the service. Without',
      '--attestor-keypair the transaction is printed unsigned; it can land for about a minute. Costs about 0.002 SOL the',
      'first time.',
    ],
    options: [
      option('amount', 'KARAT_ATTEST_AMOUNT', 'AMOUNT', 'GOLD that may exist, troy ounces'),
      option('report', 'KARAT_ATTEST_REPORT', 'FILE', 'the report; only its SHA-256 goes on chain'),
      option(
        'as-of',
        'KARAT_ATTEST_AS_OF',
        'TIME',
        'the time that the report refers to, such as 2026-03-01T12:00:00Z (default: now)',
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
      'what is attested.',
      ...adminDetails,
    ],
    options: [feePayer, option('amount', 'KARAT_MINT_AMOUNT', 'AMOUNT', 'GOLD, troy ounces'), reason],
    run: async (call) => (await import('./reserve.js')).mint(call),
  },
];

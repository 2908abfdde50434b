import type { Command } from './command.js';
import { option, optional } from './options.js';

export const partnersCommands: Command[] = [
  {
    name: 'partner create',
    summary: 'create a partner, as POST /operator/v1/partners does',
    details: [
      'Needs no approval. With a wallet, which can mint keys immediately, it connects as the owner of the tables, with',
      'KARAT_OWNER_DATABASE_URL.',
    ],
    options: [
      option('name', 'KARAT_PARTNER_NAME', 'NAME', "the partner's name"),
      option(
        'fee-percentage',
        'KARAT_PARTNER_FEE_PERCENTAGE',
        'F',
        'fee of redemptions as a fraction: 0.015 is 1.5 %',
      ),
      option('wallet-address', 'KARAT_PARTNER_WALLET_ADDRESS', 'ADDRESS', 'its first wallet', optional),
    ],
    run: async (call) => (await import('./partners.js')).create(call),
  },
  {
    name: 'partner invite',
    summary: 'invite an owner of a partner to the portal; the link is shown only once',
    details: [
      'Prints the link, which works once within 72 hours: pass it on, since Karat sends no mail. Connects as the owner of the tables, with',
      'KARAT_OWNER_DATABASE_URL: DATABASE_URL alone must not give access to an account.',
    ],
    options: [
      option('partner-id', 'KARAT_PARTNER_ID', 'ID', 'the partner'),
      option('email', 'KARAT_MEMBER_EMAIL', 'ADDRESS', "the owner's email"),
    ],
    run: async (call) => (await import('./partners.js')).invite(call),
  },
];

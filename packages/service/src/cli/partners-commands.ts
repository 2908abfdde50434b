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
];

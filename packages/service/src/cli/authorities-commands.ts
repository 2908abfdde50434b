import type { Command } from './command.js';
import { adminDetails, feePayer, option, reason } from './options.js';

const authorityCommand = (name: 'propose' | 'cancel' | 'apply', summary: string): Command => ({
  name: `authority ${name}`,
  summary,
  details: ['Signed by KARAT_ADMIN_SIGNER.', ...adminDetails],
  options: [
    feePayer,
    option('partner', 'KARAT_AUTHORITY_PARTNER', 'ID', 'id of the partner'),
    option('role', 'KARAT_AUTHORITY_ROLE', 'ROLE', 'one of wallet, update, withdrawal'),
    option('address', 'KARAT_AUTHORITY_ADDRESS', 'ADDRESS', 'the proposed key'),
    reason,
  ],
  run: async (call) => (await import('./authorities.js')).act(call, name),
});

export const authoritiesCommands: Command[] = [
  authorityCommand('propose', 'propose another key for a partner that lost its own'),
  authorityCommand('cancel', 'withdraw a proposed key'),
  authorityCommand('apply', 'give a partner the proposed key, after the recovery delay'),
];

import type { Command } from './command.js';
import { option, reason } from './options.js';

export const usersCommands: Command[] = [
  {
    name: 'users erase',
    summary: 'delete the KYC data of a person and suspend the user; trades and redemptions stay',
    details: [
      'Refused while a redemption of the user has not ended. It cannot be undone. The same wallet and user_id cannot be registered',
      'again. Backups hold the encrypted record until they are deleted.',
    ],
    options: [
      option('partner-id', 'KARAT_ERASE_PARTNER', 'ID', 'id of the partner'),
      option('user-id', 'KARAT_ERASE_USER', 'ID', "the partner's own id of the user"),
      reason,
    ],
    run: async (call) => (await import('./users.js')).erase(call),
  },
];

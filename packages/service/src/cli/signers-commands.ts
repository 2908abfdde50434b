import type { Command } from './command.js';
import { adminDetails, feePayer, option, optional } from './options.js';

export const signersCommands: Command[] = [
  {
    name: 'chain signers',
    summary: 'show the service signers of the program, or add or remove one, signed by KARAT_ADMIN_SIGNER',
    details: [
      'There are one or two. docs/operations/README.md explains how to rotate a key.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('add', 'KARAT_ADD_SIGNER', 'ADDRESS', 'the new key', optional),
      option('remove', 'KARAT_REMOVE_SIGNER', 'ADDRESS', 'the key to remove', optional),
    ],
    run: async (call) => (await import('./signers.js')).signers(call),
  },
];

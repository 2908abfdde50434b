import type { Command } from './command.js';
import { option, optional } from './options.js';

export const doctorCommands: Command[] = [
  {
    name: 'doctor',
    summary: 'check configuration, database, node, program, price and keys, and explain what is wrong',
    details: [
      'Changes nothing. Exit code 1 if anything keeps Karat from working.',
      'Where neither database nor node nor program is set, the settings are those of the sandbox that runs on the state folder.',
    ],
    options: [
      option(
        'for',
        'KARAT_DOCTOR_FOR',
        'KINDS',
        'fail what these processes would refuse, such as serve-partners,index',
        optional,
      ),
      option('output', 'KARAT_DOCTOR_OUTPUT', 'FORM', 'text or json', { default: 'text' }),
      option('state-dir', 'KARAT_STATE_DIR', 'DIR', 'check the sandbox of this state folder', optional),
    ],
    run: async (call) => (await import('./doctor.js')).doctor(call),
  },
];

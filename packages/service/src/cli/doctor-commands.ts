import type { Command } from './command.js';
import { option } from './options.js';

export const doctorCommands: Command[] = [
  {
    name: 'doctor',
    summary: 'check configuration, database, node, program, price and keys, and explain what is wrong',
    details: ['Changes nothing. Exit code 1 if anything keeps Karat from working.'],
    options: [option('output', 'KARAT_DOCTOR_OUTPUT', 'FORM', 'text or json', { default: 'text' })],
    run: async (call) => (await import('./doctor.js')).doctor(call),
  },
];

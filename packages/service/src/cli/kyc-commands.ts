import type { Command } from './command.js';

export const kycCommands: Command[] = [
  {
    name: 'kyc rotate',
    summary: 'encrypt all KYC data by a new data key, wrapped by KARAT_KYC_KEY',
    details: [
      'To replace KARAT_KYC_KEY, name the old key as KARAT_OTHER_KYC_KEY in all processes first, and remove it afterwards. The',
      'service goes on meanwhile. A run that was broken off is continued by the next one. Users whose records cannot be read are',
      'skipped and printed as unreadable, with exit code 1: they stay encrypted with their old data keys, which are kept.',
    ],
    options: [],
    run: async (call) => (await import('./kyc.js')).rotate(call),
  },
];

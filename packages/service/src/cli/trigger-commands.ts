import type { Command } from './command.js';
import { option, optional } from './options.js';
import { triggeredTypes } from './trigger/types.js';

/** Lists the types that can be triggered, those of one object together, five on a line at most. */
function triggeredList(): string[] {
  const lines: string[][] = [];
  for (const type of triggeredTypes) {
    const line = lines.at(-1);
    const object = type.slice(0, type.indexOf('.') + 1);
    if (line && line.length < 5 && line[0]?.startsWith(object)) line.push(type);
    else lines.push([type]);
  }
  return lines.map((line) => `  ${line.join(' ')}`);
}

export const triggerCommands: Command[] = [
  {
    name: 'trigger',
    summary: 'make an event happen in a running sandbox, by what really causes it, and print it',
    details: [
      'karat trigger TYPE makes the first partner trade, redeem or order, and operators act: nothing is simulated. What is done goes',
      'to standard error. Customers are new ones. Works only against a sandbox on this machine, found by its state folder. Types:',
      ...triggeredList(),
      'trade.expired and the expired orders move the clock of the sandbox on by 2 minutes; partner.suspended and partner.resumed',
      'suspend the partner for a moment, which ends its streams.',
    ],
    options: [
      option('state-dir', 'KARAT_STATE_DIR', 'DIR', 'state folder of the sandbox', { default: '.karat' }),
      option(
        'redemption',
        'KARAT_TRIGGER_REDEMPTION',
        'ID',
        'move this redemption instead of a new one, such as one of the shop',
        optional,
      ),
    ],
    takesWords: true,
    run: async (call) => (await import('./trigger.js')).trigger(call),
  },
];

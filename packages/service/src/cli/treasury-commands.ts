import type { Command } from './command.js';
import { adminDetails, feePayer, option, optional, reason } from './options.js';

export const treasuryCommands: Command[] = [
  {
    name: 'treasury fund',
    summary: 'transfer USDC and GOLD from the admin to the treasury, signed by KARAT_ADMIN_SIGNER',
    details: [
      'The transfer is announced before it is sent, so that reconciliation expects it; a plain one opens a dead letter.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('usdc', 'KARAT_FUND_USDC', 'AMOUNT', 'USDC', optional),
      option('gold', 'KARAT_FUND_GOLD', 'AMOUNT', 'GOLD, troy ounces', optional),
      reason,
    ],
    run: async (call) => (await import('./treasury.js')).fund(call),
  },
  {
    name: 'treasury sweep-escrow',
    summary: 'move GOLD that no redemption needs from escrow to the treasury, signed by KARAT_ADMIN_SIGNER',
    details: [
      'The program refuses more than the surplus. karat treasury withdraw returns it from there to a listed owner.',
      ...adminDetails,
    ],
    options: [feePayer, option('gold', 'KARAT_SWEEP_GOLD', 'AMOUNT', 'GOLD, troy ounces'), reason],
    run: async (call) => (await import('./treasury.js')).sweep(call),
  },
  {
    name: 'treasury withdraw',
    summary: 'take USDC or GOLD out of the treasury, or collected fees, signed by KARAT_ADMIN_SIGNER',
    details: [
      'It goes to an owner that the program names (karat chain propose --withdraw-owners), within the limits of a day.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('usdc', 'KARAT_WITHDRAW_USDC', 'AMOUNT', 'USDC', optional),
      option('gold', 'KARAT_WITHDRAW_GOLD', 'AMOUNT', 'GOLD, troy ounces', optional),
      option('fees', 'KARAT_WITHDRAW_FEES', 'AMOUNT', 'USDC of the fee account', optional),
      option('to', 'KARAT_WITHDRAW_TO', 'ADDRESS', 'owner of the account that receives it'),
      reason,
    ],
    run: async (call) => (await import('./treasury.js')).withdraw(call),
  },
];

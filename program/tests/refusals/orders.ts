import { CLOSE_RECEIPT_DISCRIMINATOR } from '@karat/program-client';
import { getAddressEncoder, type Instruction, type TransactionSigner } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  type FreshOrder,
  NOW,
  replaceAccount,
  type Scenario,
  withData,
  withoutLastAccount,
} from '../fixture.js';
import { I64_MAX } from '../numbers.js';
import { unsignedPayer, wrongSystemProgram } from './accounts.js';
import type { Refusal } from './refusal.js';

/** What orders have in common. */
interface OrderArgs {
  id?: Uint8Array;
  receipt?: FreshOrder['receipt'];
  payer?: TransactionSigner;
  expireAt?: bigint;
}

/** Builds an instruction that carries out an order. */
export type BuildOrder = (scenario: Scenario, args?: OrderArgs) => Instruction;

/** What every instruction refuses that carries out an order. */
export function orderRefusals(order: BuildOrder): Refusal[] {
  const again = (scenario: Scenario) => ({ ...scenario.nextOrder(), expireAt: NOW + 1_000n });
  let executed: OrderArgs = {};
  const execute = (scenario: Scenario) => {
    executed = again(scenario);
    scenario.mustSend([order(scenario, executed)]);
  };
  return [
    unsignedPayer((scenario) => order(scenario)),
    wrongSystemProgram((scenario) => order(scenario)),
    {
      error: 'InvalidArgument',
      when: 'the order has no id',
      instruction: (scenario) => order(scenario, { id: new Uint8Array(16) }),
    },
    {
      error: 'InvalidAddress',
      when: 'the receipt is of another order',
      instruction: (scenario) => order(scenario, { receipt: scenario.nextOrder().receipt }),
    },
    {
      error: 'OrderExecuted',
      when: 'the order was executed before',
      arrange: execute,
      instruction: (scenario) => order(scenario, executed),
    },
    {
      error: 'OrderExecuted',
      when: 'the order was executed before and now expires later',
      arrange: execute,
      instruction: (scenario) => order(scenario, { ...executed, expireAt: NOW + 9_000n }),
    },
    {
      error: 'Expired',
      when: 'the order was executed, and its receipt is closed',
      arrange: (scenario) => {
        execute(scenario);
        scenario.setTime(NOW + 4_601n);
        scenario.setPrice({ publishTime: NOW + 4_601n });
        scenario.mustSend([scenario.closeReceipt(executed as FreshOrder)]);
      },
      instruction: (scenario) => order(scenario, executed),
    },
    ...[NOW + 86_401n, I64_MAX].map((expireAt) => ({
      error: 'ExpiryTooFar',
      when: `the order expires ${expireAt === I64_MAX ? 'never' : 'a second more than a day ahead'}`,
      instruction: (scenario: Scenario) => order(scenario, { expireAt }),
    })),
  ];
}

/** The receipt of an order that expires a minute from now, in place of which tests put others. */
function receiptOf(scenario: Scenario): FreshOrder {
  const order = scenario.nextOrder();
  scenario.mustSend([scenario.partnerWithdraw('Gold', 1n, order)]);
  return order;
}

let order: FreshOrder | undefined;

const known = (): FreshOrder => {
  if (!order) throw new Error('nothing arranged');
  return order;
};

/** An executed order, `seconds` after it can be closed. */
const later = (seconds: bigint) => (scenario: Scenario) => {
  order = receiptOf(scenario);
  scenario.setTime(NOW + 60n + 3_600n + seconds);
};

const closing = (error: string, when: string, change: (data: Uint8Array) => void): Refusal => ({
  error,
  when,
  arrange: (scenario) => {
    later(1n)(scenario);
    scenario.patch(known().receipt, change);
  },
  instruction: (scenario) => scenario.closeReceipt(known()),
});

/** Everything that `closeReceipt` refuses. */
export const closeReceiptRefusals: Refusal[] = [
  {
    error: 'NotClosable',
    when: 'the order expired an hour ago to the second',
    arrange: later(0n),
    instruction: (scenario) => scenario.closeReceipt(known()),
  },
  {
    error: 'InvalidAddress',
    when: 'the rent would go to a stranger',
    arrange: later(1n),
    instruction: (scenario) => scenario.closeReceipt(known(), addressOf('stranger')),
  },
  {
    error: 'NotEnoughAccounts',
    when: 'the last account is missing',
    arrange: later(1n),
    instruction: (scenario) => withoutLastAccount(scenario.closeReceipt(known())),
  },
  {
    error: 'InvalidInstructionData',
    when: 'there is a byte of data too many',
    arrange: later(1n),
    instruction: (scenario) =>
      withData(scenario.closeReceipt(known()), Uint8Array.of(CLOSE_RECEIPT_DISCRIMINATOR, 0)),
  },
  {
    error: 'InvalidAccountOwner',
    when: 'the receipt is owned by another program',
    arrange: (scenario) => {
      later(1n)(scenario);
      const data = new Uint8Array(scenario.account(known().receipt).data);
      scenario.setAccount(known().receipt, TOKEN_PROGRAM_ADDRESS, data);
    },
    instruction: (scenario) => scenario.closeReceipt(known()),
  },
  closing('InvalidAccountData', 'it is of another kind', (data) => data.set([3])),
  closing('InvalidAccountData', 'it is of another version', (data) => data.set([2], 1)),
  {
    ...closing('AccountAlias', 'the receipt names itself as its payer', (data) =>
      data.set(getAddressEncoder().encode(known().receipt), 8),
    ),
    instruction: (scenario) => scenario.closeReceipt(known(), known().receipt),
  },
  {
    error: 'InvalidAccountData',
    when: 'the account is the config',
    arrange: later(1n),
    instruction: (scenario) =>
      replaceAccount(scenario.closeReceipt(known()), known().receipt, scenario.at.config),
  },
];

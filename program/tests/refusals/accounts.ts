import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  PROGRAM_ADDRESS,
  replaceAccount,
  type Scenario,
  SYSTEM_ADDRESS,
  withData,
  withoutLastAccount,
  withoutSignature,
} from '../fixture.js';
import type { Refusal } from './refusal.js';

export type Build = (scenario: Scenario) => Instruction;
export type Name = Exclude<keyof Scenario['at'], 'partnerId'>;

/** The instruction with the account `name` of the scenario replaced by another address. */
export function swapped(build: Build, name: Name, to: Address | ((scenario: Scenario) => Address)): Build {
  return (scenario) =>
    replaceAccount(build(scenario), scenario.at[name], typeof to === 'function' ? to(scenario) : to);
}

/** Wrong lengths of data, too few accounts, and another program than the one that emits the event. */
export function malformed(build: Build): Refusal[] {
  const resized = (change: number): Build => {
    return (scenario) => {
      const instruction = build(scenario);
      const data = new Uint8Array((instruction.data?.length ?? 0) + change);
      data.set((instruction.data ?? []).slice(0, data.length));
      return withData(instruction, data);
    };
  };
  return [
    { error: 'InvalidInstructionData', when: 'a byte of data is missing', instruction: resized(-1) },
    { error: 'InvalidInstructionData', when: 'there is a byte of data too many', instruction: resized(1) },
    {
      error: 'NotEnoughAccounts',
      when: 'the last account is missing',
      instruction: (scenario) => withoutLastAccount(build(scenario)),
    },
    {
      error: 'InvalidAddress',
      when: 'the program is another one',
      instruction: (scenario) => {
        const { accounts = [], ...instruction } = build(scenario);
        const program = { address: TOKEN_PROGRAM_ADDRESS, role: AccountRole.READONLY };
        return { ...instruction, accounts: [...accounts.slice(0, -1), program] };
      },
    },
  ];
}

/** Every wrong kind of state account in the place of `name`. */
export function wrongState(
  build: Build,
  name: 'config' | 'integrator' | 'redemption' | 'settingsProposal',
): Refusal[] {
  const other = name === 'integrator' ? 'config' : 'integrator';
  const stranger = addressOf(`another ${name}`);
  const copy = (change: (data: Uint8Array) => Uint8Array, owner: Address = PROGRAM_ADDRESS) => {
    return (scenario: Scenario) => {
      const data = new Uint8Array(scenario.account(scenario.at[name]).data);
      scenario.setAccount(stranger, owner, change(data));
    };
  };
  const edit = (offset: number, value: number) => (data: Uint8Array) => {
    data[offset] = value;
    return data;
  };
  const instruction = swapped(build, name, stranger);
  const cases: Refusal[] = [
    {
      error: 'InvalidAccountOwner',
      when: `${name} is an exact copy owned by another program`,
      arrange: copy((data) => data, TOKEN_PROGRAM_ADDRESS),
      instruction,
    },
    {
      error: 'InvalidAccountOwner',
      when: `${name} does not exist`,
      instruction: swapped(build, name, addressOf('nobody')),
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is uninitialized`,
      arrange: copy((data) => data.fill(0)),
      instruction,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is of another kind`,
      arrange: copy(edit(0, 9)),
      instruction,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is of another version`,
      arrange: copy(edit(1, 2)),
      instruction,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is a byte short`,
      arrange: copy((data) => data.slice(0, -1)),
      instruction,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is the ${other}`,
      instruction: swapped(build, name, (scenario) => scenario.at[other]),
    },
  ];
  return cases;
}

/** A signer that doesn't sign, and strangers in its place. */
export function wrongSigner(build: Build, name: Name, strangers: Record<string, Address | Name>): Refusal[] {
  const cases: Refusal[] = [
    {
      error: 'MissingSignature',
      when: `${name} does not sign`,
      instruction: (scenario) => withoutSignature(build(scenario), scenario.at[name]),
    },
  ];
  for (const [who, stranger] of Object.entries(strangers)) {
    cases.push({
      error: 'Unauthorized',
      when: `${name} is ${who}`,
      instruction: swapped(build, name, (scenario) =>
        stranger in scenario.at ? scenario.at[stranger as Name] : (stranger as Address),
      ),
    });
  }
  return cases;
}

/** Another program where the system program belongs. */
export function wrongSystemProgram(build: Build): Refusal {
  return {
    error: 'InvalidAddress',
    when: 'the system program is another one',
    instruction: (scenario) => replaceAccount(build(scenario), SYSTEM_ADDRESS, TOKEN_PROGRAM_ADDRESS),
  };
}

/** A payer of rent that is not the one who pays for the transaction, and doesn't sign. */
export function unsignedPayer(build: Build): Refusal {
  const payer = addressOf('another payer');
  return {
    error: 'MissingSignature',
    when: 'the payer does not sign',
    instruction: (scenario) => withoutSignature(swapped(build, 'payer', payer)(scenario), payer),
  };
}

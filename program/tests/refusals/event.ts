import { getEventInstruction } from '@karat/program-client';
import { addressOf, type Scenario, signer, withoutLastAccount, withoutSignature } from '../fixture.js';
import type { Build } from './accounts.js';
import type { Refusal } from './refusal.js';

/** A transfer of all gold that never was. */
const forged = {
  version: 1,
  kind: 23,
  partnerId: new Uint8Array(16),
  seq: 2n,
  id: new Uint8Array(16),
  side: 0,
  amountIn: 1n,
  amountOut: 1n,
  fee: 0n,
  feeBps: 0,
  price: 0n,
  exponent: 0,
  confidence: 0n,
  publishTime: 0n,
  marketState: 0,
  actor: addressOf('attacker'),
  counterparty: addressOf('attacker'),
};

/** An event that somebody else than the program gives. */
const event: Build = ({ at }) => getEventInstruction({ config: signer(at.config), event: forged });

const signedBy =
  (name: 'admin' | 'integrator'): Build =>
  ({ at }) =>
    getEventInstruction({ config: signer(at[name]), event: forged });

/** Everything that `event` refuses. That nobody else can sign for the config is what the runtime refuses. */
export const eventRefusals: Refusal[] = [
  {
    error: 'MissingSignature',
    when: 'the config does not sign',
    instruction: (scenario: Scenario) => withoutSignature(event(scenario), scenario.at.config),
  },
  {
    error: 'NotEnoughAccounts',
    when: 'there is no account',
    instruction: (scenario) => withoutLastAccount(event(scenario)),
  },
  { error: 'InvalidAccountOwner', when: 'an admin signs', instruction: signedBy('admin') },
  { error: 'InvalidAccountData', when: 'a partner signs', instruction: signedBy('integrator') },
];

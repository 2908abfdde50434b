import { IntegratorStatus, MarketState, type TradeSide } from '@karat/program-client';
import type { Address, Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  eight,
  NOW,
  PROGRAM_ADDRESS,
  replaceAccount,
  type Scenario,
  SYSTEM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  ZERO_ADDRESS,
} from '../fixture.js';
import { type Build, malformed, type Name, swapped, wrongSigner, wrongState } from './accounts.js';
import { oracleRefusals, wrongPeg } from './oracle.js';
import { type BuildOrder, orderRefusals } from './orders.js';
import type { Refusal } from './refusal.js';
import { wrongTokenContent } from './token-accounts.js';
import { wrongBacking } from './withdrawals.js';

/** Arguments that `buy` and `sell` share. */
interface Limits {
  maxFeeBps?: number;
  expireAt?: bigint;
}

type BuildTrade = (scenario: Scenario, limits?: Limits) => Instruction;

/** What a trade refuses in which GOLD leaves the treasury: USDC that is worth too little, GOLD that is not backed. */
export function purchaseRefusals(build: Build): Refusal[] {
  return [...wrongPeg(build), ...wrongBacking(build)];
}

/** What vaults refuse of the side opposite to their last trade, which was at the last moment of the wait. */
export function oppositeSide(build: Build, last: TradeSide): Refusal {
  return {
    error: 'OppositeSideTooEarly',
    when: 'the vault traded in the other direction a second too short a time ago',
    arrange: (scenario) => {
      scenario.setSettings({ oppositeSideSeconds: 300 });
      scenario.setIntegrator({ vaultSide: last, vaultTradedAt: NOW - 299n });
    },
    instruction: build,
  };
}

/** Everything that `buy` and `sell` refuse for the same reasons, whatever the amount. */
export function tradeRefusals(trade: BuildTrade): Refusal[] {
  const build = (scenario: Scenario) => trade(scenario);
  return [
    ...marketRefusals(trade, 1),
    ...signerRefusals(build),
    ...tokenRefusals(build, 'user'),
    ...userAddressRefusals(build),
    ...aliasRefusals(build),
  ];
}

/** Everything that `partnerPurchase` and `partnerSale` refuse for the same reasons, whatever the amount. */
export function vaultTradeRefusals(trade: BuildTrade & BuildOrder): Refusal[] {
  const build = (scenario: Scenario) => trade(scenario);
  return [
    ...marketRefusals(trade, 2),
    ...executiveRefusals(build),
    ...tokenRefusals(build, 'vault'),
    ...vaultAddressRefusals(build),
    ...orderRefusals(trade),
  ];
}

/** What all trades refuse; `pause` is the flag that stops this one. */
function marketRefusals(trade: BuildTrade, pause: number): Refusal[] {
  const build = (scenario: Scenario) => trade(scenario);
  return [
    ...malformed(build),
    ...wrongState(build, 'config'),
    ...wrongState(build, 'integrator'),
    ...addressRefusals(build),
    ...feeAliasRefusals(build),
    ...wrongTokenContent(build, 'treasuryUsdc', 'usdcMint', 'treasury'),
    ...wrongTokenContent(build, 'treasuryGold', 'goldMint', 'treasury'),
    ...wrongTokenContent(build, 'feeUsdc', 'usdcMint', undefined),
    ...circumstanceRefusals(trade, pause),
    ...oracleRefusals(build),
  ];
}

function tokenRefusals(build: Build, trader: 'user' | 'vault'): Refusal[] {
  const owner = trader === 'user' ? 'user' : 'integrator';
  return [
    ...wrongTokenContent(build, `${trader}Usdc`, 'usdcMint', owner),
    ...wrongTokenContent(build, `${trader}Gold`, 'goldMint', owner),
  ];
}

/** A second partner's integrator, a copy of the first but for what is changed. */
function otherPartner(change: Parameters<Scenario['setIntegrator']>[0]) {
  return (scenario: Scenario): void => {
    const data = new Uint8Array(scenario.account(scenario.at.integrator).data);
    scenario.setAccount(other, PROGRAM_ADDRESS, data);
    scenario.setIntegrator(change, other);
  };
}

const other = addressOf('other integrator');

function executiveRefusals(build: Build): Refusal[] {
  const strangers = wrongSigner(build, 'executive', {
    'a stranger': addressOf('stranger'),
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
    'the update authority': 'updateAuthority',
    'the withdrawal authority': 'withdrawalAuthority',
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the user': 'user',
    'the partner itself': 'integrator',
    'the zero address of an empty slot': SYSTEM_ADDRESS,
  });
  const named = strangers.map((refusal) => ({
    ...refusal,
    error: refusal.error === 'Unauthorized' ? 'NotExecutive' : refusal.error,
  }));
  return [
    ...named,
    {
      error: 'NotExecutive',
      when: 'the executive was removed',
      arrange: (scenario) => {
        const { executive } = scenario.at;
        scenario.mustSend([
          scenario.updateExecutives({ remove: [executive], add: [addressOf('executive 2')] }),
        ]);
      },
      instruction: build,
    },
    {
      error: 'NotExecutive',
      when: "the executive is another partner's, whose vault it would use",
      arrange: otherPartner({ executives: eight([addressOf('other executive')]) }),
      instruction: swapped(build, 'integrator', other),
    },
    {
      error: 'InvalidAddress',
      when: "the integrator is another partner's of the same executive, with a vault of its own",
      arrange: otherPartner({ vaultUsdc: addressOf('other vault') }),
      instruction: swapped(build, 'integrator', other),
    },
    {
      error: 'InvalidTokenOwner',
      when: "the integrator is another partner's of the same executive, and names the same vault",
      arrange: otherPartner({}),
      instruction: swapped(build, 'integrator', other),
    },
  ];
}

function vaultAddressRefusals(build: Build): Refusal[] {
  const twin = addressOf('twin');
  const others = (
    [
      ['vaultUsdc', 'userUsdc'],
      ['vaultUsdc', 'treasuryUsdc'],
      ['vaultUsdc', 'feeUsdc'],
      ['vaultUsdc', 'vaultGold'],
      ['vaultGold', 'userGold'],
      ['vaultGold', 'treasuryGold'],
      ['vaultGold', 'escrowGold'],
      ['vaultGold', 'vaultUsdc'],
    ] as const
  ).map(([name, to]) => ({
    error: 'InvalidAddress',
    when: `${name} is ${to}`,
    instruction: swapped(build, name, (scenario) => scenario.at[to]),
  }));
  const twins = (['vaultUsdc', 'vaultGold'] as const).map((name) => ({
    error: 'InvalidAddress',
    when: `${name} is another account with the same content`,
    arrange: (scenario: Scenario) => {
      const account = scenario.account(scenario.at[name]);
      scenario.setAccount(twin, account.programAddress, new Uint8Array(account.data));
    },
    instruction: swapped(build, name, twin),
  }));
  return [...others, ...twins];
}

function signerRefusals(build: (scenario: Scenario) => Instruction): Refusal[] {
  const service = wrongSigner(build, 'serviceSigner', {
    'a stranger': addressOf('stranger'),
    'the partner wallet': 'partnerWallet',
    'the user': 'user',
    'the admin': 'admin',
    'the guardian': 'guardian',
  });
  const wallet = wrongSigner(build, 'partnerWallet', {
    'a stranger': addressOf('stranger'),
    'the service signer': 'serviceSigner',
    'the user': 'user',
    'the update authority': 'updateAuthority',
    'the withdrawal authority': 'withdrawalAuthority',
    'an executive': 'executive',
  });
  return [
    ...service,
    ...wallet,
    {
      error: 'Unauthorized',
      when: 'the service signer was replaced in the config',
      arrange: (scenario) => scenario.setHotKeys({ serviceSigners: [scenario.at.spareSigner, ZERO_ADDRESS] }),
      instruction: build,
    },
    {
      error: 'Unauthorized',
      when: 'the service signer is the zero address and a slot is empty',
      arrange: (scenario) =>
        scenario.setHotKeys({ serviceSigners: [scenario.at.serviceSigner, ZERO_ADDRESS] }),
      instruction: swapped(build, 'serviceSigner', SYSTEM_ADDRESS),
    },
    {
      error: 'Unauthorized',
      when: "the integrator is another partner's",
      arrange: otherPartner({ partnerWallet: addressOf('other wallet') }),
      instruction: swapped(build, 'integrator', other),
    },
    {
      error: 'MissingSignature',
      when: 'the user does not sign',
      instruction: wrongSigner(build, 'user', {})[0]?.instruction ?? build,
    },
    {
      error: 'InvalidTokenOwner',
      when: 'the user is another one than the owner of the token accounts',
      instruction: swapped(build, 'user', addressOf('other user')),
    },
    {
      error: 'InvalidTokenOwner',
      when: 'the user is the service signer',
      instruction: swapped(build, 'user', (scenario) => scenario.at.serviceSigner),
    },
  ];
}

function addressRefusals(build: (scenario: Scenario) => Instruction): Refusal[] {
  const twin = addressOf('twin');
  const twinOf = (name: Name) => (scenario: Scenario) => {
    const account = scenario.account(scenario.at[name]);
    scenario.setAccount(twin, account.programAddress, new Uint8Array(account.data));
  };
  const twins = (['treasuryUsdc', 'treasuryGold', 'feeUsdc'] as const).map((name) => ({
    error: 'InvalidAddress',
    when: `${name} is another account with the same content`,
    arrange: twinOf(name),
    instruction: swapped(build, name, twin),
  }));
  const mints = (['usdcMint', 'goldMint'] as const).map((name) => ({
    error: 'InvalidMint',
    when: `${name} is another mint`,
    arrange: twinOf(name),
    instruction: swapped(build, name, twin),
  }));
  const wrong = (error: string, when: string, name: Name, to: Address | Name): Refusal => ({
    error,
    when,
    instruction: swapped(build, name, (scenario) =>
      to in scenario.at ? scenario.at[to as Name] : (to as Address),
    ),
  });
  return [
    ...twins,
    ...mints,
    wrong('InvalidMint', 'the USDC mint is the GOLD mint', 'usdcMint', 'goldMint'),
    wrong('InvalidMint', 'the GOLD mint is the USDC mint', 'goldMint', 'usdcMint'),
    wrong('InvalidAddress', 'the treasury authority is a stranger', 'treasury', addressOf('stranger')),
    wrong('InvalidAddress', 'the treasury authority is the escrow', 'treasury', 'escrow'),
    wrong('InvalidAddress', "the treasury's GOLD account is the escrow's", 'treasuryGold', 'escrowGold'),
    wrong('InvalidAddress', "the fee account is the treasury's", 'feeUsdc', 'treasuryUsdc'),
    ...[TOKEN_2022_PROGRAM_ADDRESS, SYSTEM_ADDRESS].map((program) => ({
      error: 'InvalidTokenProgram',
      when: `the token program of USDC is ${program}`,
      instruction: (scenario: Scenario) => replaceAccount(build(scenario), TOKEN_PROGRAM_ADDRESS, program),
    })),
    ...[TOKEN_PROGRAM_ADDRESS, SYSTEM_ADDRESS].map((program) => ({
      error: 'InvalidTokenProgram',
      when: `the token program of GOLD is ${program}`,
      instruction: (scenario: Scenario) =>
        replaceAccount(build(scenario), TOKEN_2022_PROGRAM_ADDRESS, program),
    })),
  ];
}

function userAddressRefusals(build: Build): Refusal[] {
  return (['treasuryUsdc', 'feeUsdc'] as const).map((name) => ({
    error: 'InvalidAddress',
    when: `${name} is the user's`,
    instruction: swapped(build, name, (scenario) => scenario.at.userUsdc),
  }));
}

function aliasRefusals(build: (scenario: Scenario) => Instruction): Refusal[] {
  const accounts = [
    'treasuryUsdc',
    'treasuryGold',
    'feeUsdc',
    'escrowGold',
    'vaultUsdc',
    'vaultGold',
  ] as const;
  const users = (['userUsdc', 'userGold'] as const).flatMap((name) =>
    accounts.map((account) => ({
      error: 'AccountAlias',
      when: `${name} is ${account}`,
      instruction: swapped(build, name, (scenario) => scenario.at[account]),
    })),
  );
  const authorities = (['treasury', 'escrow', 'integrator'] as const).map((authority) => ({
    error: 'AccountAlias',
    when: `the user is the authority ${authority}`,
    instruction: (scenario: Scenario) => {
      const { user } = scenario.at;
      const instruction = build(scenario);
      const accounts = (instruction.accounts ?? []).map((meta) =>
        meta.address === user ? { role: meta.role, address: scenario.at[authority] } : meta,
      );
      return { ...instruction, accounts };
    },
  }));
  return [
    ...users,
    ...authorities,
    {
      error: 'AccountAlias',
      when: "the user's two token accounts are one",
      instruction: swapped(build, 'userGold', (scenario) => scenario.at.userUsdc),
    },
  ];
}

function feeAliasRefusals(build: Build): Refusal[] {
  return (['vaultUsdc', 'vaultGold'] as const).map((account) => ({
    error: 'AccountAlias',
    when: `the fee account of the config is ${account}`,
    arrange: (scenario: Scenario) => scenario.setConfig({ feeUsdc: scenario.at[account] }),
    instruction: swapped(build, 'feeUsdc', (scenario) => scenario.at[account]),
  }));
}

function circumstanceRefusals(trade: BuildTrade, pause: number): Refusal[] {
  const build = (scenario: Scenario) => trade(scenario);
  return [
    {
      error: 'Paused',
      when: 'trades of this kind are paused',
      arrange: (scenario) => scenario.send([scenario.pause(pause)]),
      instruction: build,
    },
    {
      error: 'IntegratorSuspended',
      when: 'the partner is suspended',
      arrange: (scenario) =>
        scenario.send([scenario.updateIntegrator({ status: IntegratorStatus.Suspended })]),
      instruction: build,
    },
    {
      error: 'Expired',
      when: 'the clock is a second past expire_at',
      arrange: (scenario) => {
        scenario.setTime(NOW + 31n);
        scenario.setPrice({ publishTime: NOW + 31n });
      },
      instruction: (scenario) => trade(scenario, { expireAt: NOW + 30n }),
    },
    {
      error: 'MarketClosed',
      when: 'the market is closed and no trading is allowed meanwhile',
      arrange: (scenario) => scenario.send([scenario.setMarket(MarketState.Closed)]),
      instruction: build,
    },
    {
      error: 'FeeTooHigh',
      when: "the partner's fee is above what the trade accepts",
      instruction: (scenario) => trade(scenario, { maxFeeBps: 49 }),
    },
    {
      error: 'FeeTooHigh',
      when: 'the fee was raised after the quote',
      arrange: (scenario) => scenario.send([scenario.updateIntegrator({ openFeeBps: 51 })]),
      instruction: (scenario) => trade(scenario, { maxFeeBps: 50 }),
    },
    {
      error: 'FeeTooHigh',
      when: 'the market closed after the quote and its fee is higher',
      arrange: (scenario) => {
        scenario.setConfig({ marketState: MarketState.Closed });
        scenario.setSettings({ maxAgeClosed: 3600 });
      },
      instruction: (scenario) => trade(scenario, { maxFeeBps: 50 }),
    },
    {
      error: 'FeeTooHigh',
      when: "the partner's fee is above what the config allows by now",
      arrange: (scenario) => scenario.setSettings({ maxFeeBps: 49 }),
      instruction: build,
    },
  ];
}

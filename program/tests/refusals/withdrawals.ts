import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  type Inventory,
  inventory,
  NOW,
  ONE,
  PROGRAM_ADDRESS,
  replaceAccount,
  type Scenario,
  SYSTEM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  type Token,
  tokenProgramOf,
  ZERO_ADDRESS,
} from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { type Build, malformed, type Name, swapped, wrongSigner, wrongState } from './accounts.js';
import { overOutflow } from './limits.js';
import { orderRefusals } from './orders.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { wrongTokenContent } from './token-accounts.js';

const twin = addressOf('twin');
const tokens = ['Usdc', 'Gold'] as const;
const mintNames = { Usdc: 'usdcMint', Gold: 'goldMint' } as const;
const otherOf = { Usdc: 'Gold', Gold: 'Usdc' } as const;

/** Writes an exact copy of a token account to another address. */
export function twinOf(name: Name) {
  return (scenario: Scenario): void => {
    const account = scenario.account(scenario.at[name]);
    scenario.setAccount(twin, account.programAddress, new Uint8Array(account.data));
  };
}

/** One account in the place of another. */
export function wrongAccount(build: Build, error: string, name: Name, to: Name): Refusal {
  return {
    error,
    when: `${name} is ${to}`,
    instruction: swapped(build, name, (scenario) => scenario.at[to]),
  };
}

/** Wrong programs where that of the token belongs. */
export function wrongTokenProgram(build: Build, token: Token): Refusal[] {
  const [own, other] =
    token === 'Usdc'
      ? [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]
      : [TOKEN_2022_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS];
  return [other, SYSTEM_ADDRESS].map((program) => ({
    error: 'InvalidTokenProgram',
    when: `the program of ${token} is ${program === SYSTEM_ADDRESS ? 'the system program' : 'that of the other token'}`,
    instruction: (scenario) => replaceAccount(build(scenario), own, program),
  }));
}

function wrongMints(build: Build, token: Token): Refusal[] {
  const foreign = swapped(build, mintNames[token], twin);
  const other = swapped(build, mintNames[token], (scenario) => scenario.at[mintNames[otherOf[token]]]);
  const gold = (instruction: Build): Build => {
    return (scenario) =>
      token === 'Gold'
        ? instruction(scenario)
        : replaceAccount(instruction(scenario), TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS);
  };
  return [
    {
      error: 'InvalidMint',
      when: `the mint is a foreign one instead of ${token}`,
      arrange: twinOf(mintNames[token]),
      instruction: gold(foreign),
    },
    {
      error: 'InvalidTokenProgram',
      when: `the mint is of the other token instead of ${token}`,
      instruction: other,
    },
    {
      error: 'InvalidAddress',
      when: `mint and token program are those of the other token instead of ${token}`,
      instruction: (scenario) => {
        const [own, others] = [tokenProgramOf(scenario.at[mintNames[token]]), otherOf[token]];
        return replaceAccount(other(scenario), own, tokenProgramOf(scenario.at[mintNames[others]]));
      },
    },
  ];
}

function partnerAccounts(token: Token): Refusal[] {
  const build: Build = (scenario) => scenario.partnerWithdraw(token);
  const [vault, own] = [`vault${token}`, `withdrawal${token}`] as const;
  const elsewhere = (
    [`user${token}`, `admin${token}`, `treasury${token}`, 'feeUsdc', 'escrowGold'] as const
  ).map((to) => wrongAccount(build, 'InvalidAddress', own, to));
  const from = (
    [`user${token}`, `treasury${token}`, `vault${otherOf[token]}`, 'escrowGold', 'feeUsdc'] as const
  ).map((to) => wrongAccount(build, 'InvalidAddress', vault, to));
  return [
    ...wrongMints(build, token),
    ...wrongTokenProgram(build, token),
    ...wrongTokenContent(build, vault, mintNames[token], 'integrator'),
    ...wrongTokenContent(build, own, mintNames[token], 'withdrawalAuthority'),
    ...elsewhere,
    ...from,
    {
      error: 'InvalidAddress',
      when: `the destination of ${token} is the authority's, but not its associated token account`,
      arrange: twinOf(own),
      instruction: swapped(build, own, twin),
    },
    {
      error: 'InvalidAddress',
      when: `the source of ${token} is the vault's, but not its associated token account`,
      arrange: twinOf(vault),
      instruction: swapped(build, vault, twin),
    },
    {
      error: 'AccountAlias',
      when: `the destination of ${token} is the vault's own`,
      instruction: swapped(build, own, (scenario) => scenario.at[vault]),
    },
    {
      error: 'ZeroAmount',
      when: `no ${token} is withdrawn`,
      instruction: (scenario) => scenario.partnerWithdraw(token, 0n),
    },
    {
      error: 'InsufficientFunds',
      when: `the vault is a base unit short of ${token}`,
      arrange: mintOf(vault, ONE - 1n),
      instruction: build,
    },
    {
      error: 'InsufficientFunds',
      when: `the largest number of ${token} is withdrawn`,
      instruction: (scenario) => scenario.partnerWithdraw(token, U64_MAX),
    },
    {
      error: 'ArithmeticOverflow',
      when: `the balance of ${own} would not fit into 64 bits`,
      arrange: mintOf(own, U64_MAX),
      instruction: build,
    },
    {
      error: 'BalanceMismatch',
      when: `the token program moves no ${token} and says nothing`,
      arrange: silentTokenProgram,
      ruinous: true,
      instruction: (scenario) => scenario.partnerWithdraw(token, 65_536n),
    },
  ];
}

const withdraw: Build = (scenario) => scenario.partnerWithdraw('Usdc');
const other = addressOf('other integrator');

/** Everything that `partnerWithdraw` refuses. */
export const partnerWithdrawRefusals: Refusal[] = [
  ...malformed(withdraw),
  ...wrongState(withdraw, 'config'),
  ...wrongState(withdraw, 'integrator'),
  ...wrongSigner(withdraw, 'withdrawalAuthority', {
    'a stranger': addressOf('stranger'),
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the service signer': 'serviceSigner',
    'the partner wallet': 'partnerWallet',
    'the update authority': 'updateAuthority',
    'an executive': 'executive',
    'the partner itself': 'integrator',
  }),
  {
    error: 'Unauthorized',
    when: 'the withdrawal authority was replaced',
    arrange: (scenario) => scenario.setIntegrator({ withdrawalAuthority: addressOf('new authority') }),
    instruction: withdraw,
  },
  {
    error: 'InvalidAddress',
    when: "the integrator is another partner's of the same authority, with a vault of its own",
    arrange: (scenario) => {
      const data = new Uint8Array(scenario.account(scenario.at.integrator).data);
      scenario.setAccount(other, PROGRAM_ADDRESS, data);
      scenario.setIntegrator({ vaultUsdc: addressOf('other vault') }, other);
    },
    instruction: swapped(withdraw, 'integrator', other),
  },
  {
    error: 'InvalidTokenOwner',
    when: "the integrator is another partner's of the same authority, and names the same vault",
    arrange: (scenario) =>
      scenario.setAccount(
        other,
        PROGRAM_ADDRESS,
        new Uint8Array(scenario.account(scenario.at.integrator).data),
      ),
    instruction: swapped(withdraw, 'integrator', other),
  },
  {
    error: 'Paused',
    when: 'withdrawals are paused',
    arrange: (scenario) => scenario.mustSend([scenario.pause(4)]),
    instruction: withdraw,
  },
  {
    error: 'Expired',
    when: 'the clock is a second past the expiry',
    instruction: (scenario) => scenario.partnerWithdraw('Usdc', ONE, { expireAt: NOW - 1n }),
  },
  ...orderRefusals((scenario, args) => scenario.partnerWithdraw('Usdc', ONE, args)),
  ...tokens.flatMap(partnerAccounts),
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setIntegrator({ seq: U64_MAX }),
    instruction: withdraw,
  },
];

/** Every treasury account, as the destination of tokens that leave it. */
export function treasuryDestinations(
  build: Build,
  destination: Name,
  mint: 'usdcMint' | 'goldMint',
): Refusal[] {
  const aliases = (['treasuryUsdc', 'treasuryGold', 'feeUsdc', 'escrowGold'] as const).map((to) =>
    wrongAccount(build, 'AccountAlias', destination, to),
  );
  const owned = (['treasury', 'escrow', 'config'] as const).map((owner) => ({
    error: 'InvalidTokenOwner',
    when: `${destination} is a further account of the ${owner}`,
    arrange: (scenario: Scenario) =>
      scenario.setToken(scenario.at[destination], { mint: scenario.at[mint], owner: scenario.at[owner] }),
    instruction: build,
  }));
  return [...aliases, ...owned];
}

function treasuryAccounts(from: Inventory): Refusal[] {
  const build: Build = (scenario) => scenario.treasuryWithdraw(from);
  const { authority, account, token } = inventory[from];
  const destination = `admin${token}` as const;
  const others = [`user${token}`, `vault${token}`, 'treasuryUsdc', 'treasuryGold', 'escrowGold', 'feeUsdc'];
  const sources = (others as Name[])
    .filter((to) => to !== account)
    .map((to) => wrongAccount(build, 'InvalidAddress', account, to));
  return [
    ...wrongMints(build, token),
    ...wrongTokenProgram(build, token),
    ...wrongTokenContent(build, account, mintNames[token], authority),
    ...wrongTokenContent(build, destination, mintNames[token], undefined),
    ...treasuryDestinations(build, destination, mintNames[token]),
    {
      error: 'InvalidTokenOwner',
      when: `the owner of ${destination} is none of the config's`,
      arrange: (scenario) =>
        scenario.setToken(scenario.at[destination], {
          mint: scenario.at[mintNames[token]],
          owner: addressOf('stranger'),
        }),
      instruction: build,
    },
    {
      error: 'InvalidTokenOwner',
      when: `the owner of ${destination} is an empty slot of the config`,
      arrange: (scenario) =>
        scenario.setToken(scenario.at[destination], {
          mint: scenario.at[mintNames[token]],
          owner: ZERO_ADDRESS,
        }),
      instruction: build,
    },
    ...sources,
    ...wrongAuthority(from),
    {
      error: 'InvalidAddress',
      when: `the source of ${from} is another account with the same content`,
      arrange: twinOf(account),
      instruction: swapped(build, account, twin),
    },
    {
      error: 'ZeroAmount',
      when: `no ${from} are withdrawn`,
      instruction: (scenario) => scenario.treasuryWithdraw(from, 0n),
    },
    overOutflow(build, token),
    {
      error: 'InsufficientLiquidity',
      when: `${account} is a base unit short`,
      arrange: mintOf(account, ONE - 1n),
      instruction: build,
    },
    {
      error: 'ArithmeticOverflow',
      when: `the balance of ${destination} would not fit into 64 bits`,
      arrange: mintOf(destination, U64_MAX),
      instruction: build,
    },
    {
      error: 'BalanceMismatch',
      when: `the token program moves no ${from} and says nothing`,
      arrange: silentTokenProgram,
      ruinous: true,
      instruction: (scenario) => scenario.treasuryWithdraw(from, 65_536n),
    },
  ];
}

/** The authority of the treasury's accounts for the fees', and the other way round. */
function wrongAuthority(from: Inventory): Refusal[] {
  const { authority, account } = inventory[from];
  const other = authority === 'config' ? 'treasury' : 'config';
  return [
    {
      error: 'InvalidAddress',
      when: `the authority of ${account} is ${other}`,
      instruction: (scenario) => {
        const instruction = scenario.treasuryWithdraw(from);
        const accounts = (instruction.accounts ?? []).map((meta, index) =>
          index === 2 ? { ...meta, address: scenario.at[other] } : meta,
        );
        return { ...instruction, accounts };
      },
    },
  ];
}

const takeOut: Build = (scenario) => scenario.treasuryWithdraw('Gold');

/** Who is not the admin, though something else. */
export const notAdmin = {
  operations: 'operations',
  'the market key': 'market',
  'a stranger': addressOf('stranger'),
  'the guardian': 'guardian',
  'the service signer': 'serviceSigner',
  'the upgrade authority': 'upgradeAuthority',
  'the partner wallet': 'partnerWallet',
  'the withdrawal authority': 'withdrawalAuthority',
  'an executive': 'executive',
} as const;

/** A pause of the treasury that holds for one more second. */
export function treasuryPaused(instruction: Build): Refusal {
  return {
    error: 'Paused',
    when: 'the treasury is paused for one more second',
    arrange: (scenario) => scenario.setConfig({ paused: 32, treasuryPausedUntil: NOW + 1n }),
    instruction,
  };
}

/** GOLD that is not backed, or not known to be. */
export function wrongBacking(instruction: Build): Refusal[] {
  return [
    {
      error: 'NotBacked',
      when: 'a base unit of the supply is not attested',
      arrange: (scenario) => scenario.setAttestation({ amount: scenario.goldSupply() - 1n }),
      instruction,
    },
    {
      error: 'NotBacked',
      when: 'a base unit of what is attested was burned since',
      arrange: (scenario) => {
        scenario.setAttestation({ amount: scenario.goldSupply() });
        scenario.setConfig({ burnedTotal: 1n });
      },
      instruction,
    },
    {
      error: 'AttestationStale',
      when: 'the report is a second older than allowed',
      arrange: (scenario) => {
        scenario.setSettings({ maxAttestationAge: 3_600 });
        scenario.setAttestation({ asOf: NOW - 3_601n });
      },
      instruction,
    },
  ];
}

/** An admin who was proposed and has not accepted yet. */
export function proposedAdmin(build: Build): Refusal {
  return {
    error: 'Unauthorized',
    when: 'the admin is only proposed yet',
    arrange: (scenario) =>
      scenario.setConfig({ adminProposal: { key: addressOf('next admin'), readyAt: NOW } }),
    instruction: swapped(build, 'admin', addressOf('next admin')),
  };
}

/** Everything that `treasuryWithdraw` refuses. */
export const treasuryWithdrawRefusals: Refusal[] = [
  ...malformed(takeOut),
  ...wrongState(takeOut, 'config'),
  ...wrongSigner(takeOut, 'admin', notAdmin),
  proposedAdmin(takeOut),
  treasuryPaused(takeOut),
  ...(['escrow', 'integrator', 'user'] as const).map((to) =>
    wrongAccount(takeOut, 'InvalidAddress', 'treasury', to),
  ),
  ...tokens.flatMap(treasuryAccounts),
  ...wrongBacking(takeOut),
  ...treasuryAccounts('Fees').map((refusal) => ({ ...refusal, when: `of fees, ${refusal.when}` })),
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
    instruction: takeOut,
  },
];

import type { AttestInstructionDataArgs } from '@karat/program-client';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { addressOf, NOW, ONE, PROGRAM_ADDRESS, ZERO_ADDRESS } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import {
  type Build,
  malformed,
  swapped,
  unsignedPayer,
  wrongSigner,
  wrongState,
  wrongSystemProgram,
} from './accounts.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { wrongTokenContent } from './token-accounts.js';
import { notAdmin, proposedAdmin, twinOf, wrongAccount, wrongTokenProgram } from './withdrawals.js';

const twin = addressOf('twin');

const attest: Build = (scenario) => scenario.attest();
const attestOf =
  (args: Partial<AttestInstructionDataArgs>): Build =>
  (scenario) =>
    scenario.attest(args);

/** Everything that `attest` refuses. */
export const attestRefusals: Refusal[] = [
  ...malformed(attest),
  ...wrongState(attest, 'config'),
  unsignedPayer(attest),
  ...wrongSigner(attest, 'attestor', {
    'a stranger': addressOf('stranger'),
    'the admin': 'admin',
    'the guardian': 'guardian',
    'the service signer': 'serviceSigner',
    'the upgrade authority': 'upgradeAuthority',
  }),
  {
    error: 'Unauthorized',
    when: 'nobody attests and the zero address signs',
    arrange: (scenario) => scenario.setConfig({ attestor: ZERO_ADDRESS }),
    instruction: swapped(attest, 'attestor', ZERO_ADDRESS),
  },
  wrongSystemProgram(attest),
  {
    error: 'InvalidArgument',
    when: 'the report is from the future',
    instruction: attestOf({ asOf: NOW + 1n }),
  },
  { error: 'InvalidArgument', when: 'the report is of no moment', instruction: attestOf({ asOf: 0n }) },
  {
    error: 'InvalidArgument',
    when: 'there is no report',
    instruction: attestOf({ reportHash: new Uint8Array(32) }),
  },
  {
    error: 'InvalidArgument',
    when: 'the report is older than the last one',
    instruction: attestOf({ asOf: NOW - 1n }),
  },
  {
    error: 'InvalidAddress',
    when: 'the reserve is another address',
    instruction: swapped(attest, 'reserve', twin),
  },
  {
    error: 'InvalidAddress',
    when: 'the reserve is a copy at another address',
    arrange: twinOf('reserve'),
    instruction: swapped(attest, 'reserve', twin),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the attestations can not be counted any further',
    arrange: (scenario) => scenario.setReserve({ seq: U64_MAX }),
    instruction: attest,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
    instruction: attest,
  },
];

const mint: Build = (scenario) => scenario.mintGold();

const wrongReserves: Refusal[] = [
  {
    error: 'InvalidAccountOwner',
    when: 'nothing was attested yet',
    arrange: (scenario) => scenario.setAccount(scenario.at.reserve, ZERO_ADDRESS, new Uint8Array(), 0n),
    instruction: mint,
  },
  {
    error: 'InvalidAccountOwner',
    when: 'the reserve is an exact copy owned by another program',
    arrange: (scenario) => {
      const data = new Uint8Array(scenario.account(scenario.at.reserve).data);
      scenario.setAccount(twin, TOKEN_PROGRAM_ADDRESS, data);
    },
    instruction: swapped(mint, 'reserve', twin),
  },
  {
    error: 'InvalidAccountData',
    when: 'the reserve is the integrator',
    instruction: swapped(mint, 'reserve', (scenario) => scenario.at.integrator),
  },
  {
    error: 'InvalidAccountData',
    when: 'the reserve is of another kind',
    arrange: (scenario) => scenario.patch(scenario.at.reserve, (data) => data.fill(2, 0, 1)),
    instruction: mint,
  },
  {
    error: 'InvalidAccountData',
    when: 'the reserve is of another version',
    arrange: (scenario) => scenario.patch(scenario.at.reserve, (data) => data.fill(2, 1, 2)),
    instruction: mint,
  },
  {
    error: 'InvalidAccountData',
    when: 'the reserve is a byte short',
    arrange: (scenario) => {
      const data = new Uint8Array(scenario.account(scenario.at.reserve).data);
      scenario.setAccount(scenario.at.reserve, PROGRAM_ADDRESS, data.slice(0, -1));
    },
    instruction: mint,
  },
];

/** Everything that `mintGold` refuses. */
export const mintGoldRefusals: Refusal[] = [
  ...malformed(mint),
  ...wrongState(mint, 'config'),
  ...wrongSigner(mint, 'admin', { ...notAdmin, 'the attestor': 'attestor' }),
  proposedAdmin(mint),
  ...wrongReserves,
  ...wrongTokenProgram(mint),
  {
    error: 'InvalidMint',
    when: 'the mint is a foreign one',
    arrange: twinOf('goldMint'),
    instruction: swapped(mint, 'goldMint', twin),
  },
  wrongAccount(mint, 'InvalidMint', 'goldMint', 'usdcMint'),
  ...(['escrow', 'vault', 'user'] as const).map((to) => wrongAccount(mint, 'InvalidAddress', 'treasury', to)),
  ...(['escrowGold', 'userGold', 'adminGold', 'vaultGold', 'treasuryUsdc'] as const).map((to) =>
    wrongAccount(mint, 'InvalidAddress', 'treasuryGold', to),
  ),
  ...wrongTokenContent(mint, 'treasuryGold', 'goldMint', 'treasury'),
  {
    error: 'ZeroAmount',
    when: 'nothing is minted',
    instruction: (scenario) => scenario.mintGold(0n),
  },
  {
    error: 'AttestationStale',
    when: 'the report is a second older than allowed',
    arrange: (scenario) => {
      scenario.setConfig({ maxAttestationAge: 3_600 });
      scenario.setReserve({ asOf: NOW - 3_601n });
    },
    instruction: mint,
  },
  {
    error: 'AttestationStale',
    when: 'no age is allowed and the report is not of this second',
    arrange: (scenario) => {
      scenario.setConfig({ maxAttestationAge: 0 });
      scenario.setReserve({ asOf: NOW - 1n });
    },
    instruction: mint,
  },
  {
    error: 'MintAboveAttestation',
    when: 'the supply would be a base unit above the attested gold',
    arrange: (scenario) => scenario.setReserve({ attested: scenario.goldSupply() + ONE - 1n }),
    instruction: mint,
  },
  {
    error: 'MintAboveAttestation',
    when: 'the supply is above the attested gold already',
    arrange: (scenario) => scenario.setReserve({ attested: scenario.goldSupply() - 1n }),
    instruction: (scenario) => scenario.mintGold(1n),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the supply would not fit into 64 bits',
    arrange: (scenario) => {
      scenario.setReserve({ attested: U64_MAX });
      scenario.setGoldSupply(U64_MAX);
    },
    instruction: mint,
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the balance of the treasury would not fit into 64 bits',
    arrange: mintOf('treasuryGold', U64_MAX),
    instruction: mint,
  },
  {
    error: 'BalanceMismatch',
    when: 'the token program mints nothing and says nothing',
    arrange: silentTokenProgram,
    ruinous: true,
    instruction: (scenario) => scenario.mintGold(65_536n),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the events can not be counted any further',
    arrange: (scenario) => scenario.setConfig({ seq: U64_MAX }),
    instruction: mint,
  },
];

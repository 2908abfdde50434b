import { createHash } from 'node:crypto';
import type { Attested } from '../attestation.js';
import type { BarStatus } from '../bar.js';
import { canonicalJson } from '../canonical-json.js';
import type { StatementId } from '../ids.js';
import { formatDecimal, parseDecimal, tokenDecimals } from '../money.js';
import { finenessDecimals, troyOunce, weightDecimals } from '../weight.js';
import type { ListedBar } from './bar-line.js';

export const statementFormat = 'karat.reserves/1';

/** Statuses of bars that are in the vaults. */
export const heldStatuses: readonly BarStatus[] = ['in_stock', 'reserved'];

/** How many bars there are, and what they weigh: exact decimals of grams, and troy ounces rounded down to 6 decimals. */
export interface WeighedBars {
  count: number;
  gross_weight_g: string;
  fine_weight_g: string;
  fine_weight_oz: string;
}

/**
 * What is signed, as JSON in the canonical form of RFC 8785. Amounts of GOLD, one of which stands for a troy ounce of fine gold,
 * are decimals with up to 6 places; hashes are hexadecimal, lower case. The first field of the canonical form says whether the gold covers the tokens.
 */
export interface Statement {
  assertion: string;
  attestation: {
    amount: string;
    as_of: string | null;
    /** Of `tokens.burned`, at the count. */
    burned_at_as_of: string;
    report_hash: string | null;
  };
  bars: WeighedBars & {
    merkle_root: string;
    by_status: Record<BarStatus, WeighedBars>;
  };
  coverage: { covered: boolean; difference: string; gold_held: string; tokens_outstanding: string };
  format: typeof statementFormat;
  made_at: string;
  network: {
    accounts: Record<'config' | 'escrow' | 'treasury', string>;
    genesis_hash: string;
    gold_mint: string;
    mint_authority: string;
    program_id: string;
    slot: number;
  };
  /** SHA-256 of the statement before it; null for the first. */
  previous: string | null;
  sequence: number;
  statement_id: StatementId;
  tokens: {
    /** Of redemptions whose bars were handed over. */
    awaiting_burn: string;
    burned: string;
    circulating: string;
    escrow: string;
    escrow_open: string;
    supply: string;
    treasury: string;
  };
}

/** What the chain has at one finalized slot. Base units. */
export interface ChainReserves {
  slot: number;
  genesisHash: string;
  programId: string;
  goldMint: string;
  /** The program's own account, which alone may mint. */
  mintAuthority: string;
  accounts: Statement['network']['accounts'];
  supply: bigint;
  treasury: bigint;
  escrow: bigint;
  /** What open redemptions need of escrow. */
  escrowOpen: bigint;
  /** All that was ever burned. */
  burned: bigint;
  /** Undefined before the first. */
  attestation: ChainAttestation | undefined;
  /** From then on the program takes an attestation for too old. */
  maxAttestationAgeSeconds: number;
}

/** The attestation in the program's configuration. */
export interface ChainAttestation extends Attested {
  asOf: Date;
  /** Hexadecimal. */
  reportHash: string;
}

/** Decimals of grams by those of the fineness, which is in parts per thousand. */
const fineDecimals = weightDecimals + finenessDecimals + 3;
/** With as many decimals as a fine weight has. */
const fineTroyOunce = troyOunce * 10n ** BigInt(fineDecimals - weightDecimals);

/** Returns fine gold, in 10^-13 g, in base units of GOLD, rounded down. */
export function goldOfFine(fine: bigint): bigint {
  return (fine * 10n ** BigInt(tokenDecimals)) / fineTroyOunce;
}

/** Adds up what bars weigh, without rounding. */
export class Weight {
  count = 0;
  /** In 10^-7 g. */
  gross = 0n;
  /** In 10^-13 g. */
  fine = 0n;

  /** Throws for a weight or a fineness that is no plain decimal. */
  add({ weightG, fineness }: Pick<ListedBar, 'weightG' | 'fineness'>): void {
    const gross = parseDecimal(weightG, weightDecimals);
    const parts = parseDecimal(fineness, finenessDecimals);
    if (gross === undefined || parts === undefined) throw new Error('a bar has no weight or fineness');
    this.count += 1;
    this.gross += gross;
    this.fine += gross * parts;
  }

  plus(other: Weight): Weight {
    const sum = new Weight();
    sum.count = this.count + other.count;
    sum.gross = this.gross + other.gross;
    sum.fine = this.fine + other.fine;
    return sum;
  }

  /** Fine gold in base units of GOLD, rounded down. */
  get gold(): bigint {
    return goldOfFine(this.fine);
  }

  toView(): WeighedBars {
    return {
      count: this.count,
      gross_weight_g: formatDecimal(this.gross, weightDecimals),
      fine_weight_g: formatDecimal(this.fine, fineDecimals),
      fine_weight_oz: gold(this.gold),
    };
  }
}

const gold = (baseUnits: bigint) => formatDecimal(baseUnits, tokenDecimals);

export interface StatementFacts {
  id: StatementId;
  madeAt: Date;
  chain: ChainReserves;
  /** GOLD of redemptions whose bars were handed over, which escrow holds until it is burned; base units. */
  awaitingBurn: bigint;
  weights: Record<BarStatus, Weight>;
  merkleRoot: Uint8Array;
  previous: { hash: string; sequence: number } | undefined;
}

/**
 * Makes a statement. Tokens outstanding are all that exist, those of the treasury too, because it can sell them at any moment
 * without anything being minted; but those that wait to be burned have had their gold.
 */
export function makeStatement({
  id,
  madeAt,
  chain,
  awaitingBurn,
  weights,
  merkleRoot,
  previous,
}: StatementFacts): Statement {
  const held = weights.in_stock.plus(weights.reserved);
  const outstanding = chain.supply - awaitingBurn;
  const difference = held.gold - outstanding;
  const { attestation } = chain;
  return {
    assertion: assertionOf(difference),
    attestation: {
      amount: gold(attestation?.amount ?? 0n),
      as_of: attestation?.asOf.toISOString() ?? null,
      burned_at_as_of: gold(attestation?.burnedAtAsOf ?? 0n),
      report_hash: attestation?.reportHash ?? null,
    },
    bars: {
      ...held.toView(),
      merkle_root: Buffer.from(merkleRoot).toString('hex'),
      by_status: {
        in_stock: weights.in_stock.toView(),
        reserved: weights.reserved.toView(),
        handed_over: weights.handed_over.toView(),
        withdrawn: weights.withdrawn.toView(),
      },
    },
    coverage: {
      covered: difference >= 0n,
      difference: gold(difference),
      gold_held: gold(held.gold),
      tokens_outstanding: gold(outstanding),
    },
    format: statementFormat,
    made_at: madeAt.toISOString(),
    network: {
      accounts: chain.accounts,
      genesis_hash: chain.genesisHash,
      gold_mint: chain.goldMint,
      mint_authority: chain.mintAuthority,
      program_id: chain.programId,
      slot: chain.slot,
    },
    previous: previous?.hash ?? null,
    sequence: (previous?.sequence ?? 0) + 1,
    statement_id: id,
    tokens: {
      awaiting_burn: gold(awaitingBurn),
      burned: gold(chain.burned),
      circulating: gold(chain.supply - chain.treasury - chain.escrow),
      escrow: gold(chain.escrow),
      escrow_open: gold(chain.escrowOpen),
      supply: gold(chain.supply),
      treasury: gold(chain.treasury),
    },
  };
}

function assertionOf(difference: bigint): string {
  return difference >= 0n
    ? `COVERED: the gold held is ${gold(difference)} troy ounces more than the tokens outstanding.`
    : `NOT COVERED: the gold held is ${gold(-difference)} troy ounces less than the tokens outstanding.`;
}

/** The bytes that are signed and hashed. */
export const statementBytes = (statement: Statement): Uint8Array => Buffer.from(canonicalJson(statement));

/** SHA-256 of the signed bytes, hexadecimal. */
export const statementHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

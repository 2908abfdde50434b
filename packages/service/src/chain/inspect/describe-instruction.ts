import { KaratInstruction, parseKaratInstruction } from '@karat/program-client';
import { memoProgram, token2022Program } from '@karat/signer';
import { type AccountMeta, AccountRole, type Address, type ReadonlyUint8Array } from '@solana/kit';
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  ComputeBudgetInstruction,
  parseComputeBudgetInstruction,
} from '@solana-program/compute-budget';
import { parseSystemInstruction, SYSTEM_PROGRAM_ADDRESS, SystemInstruction } from '@solana-program/system';
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  AssociatedTokenInstruction,
  parseAssociatedTokenInstruction,
  parseTokenInstruction,
  TOKEN_PROGRAM_ADDRESS,
  TokenInstruction,
} from '@solana-program/token';
import { uuidFromBytes } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { decimalNumber, formatDecimal, tokenDecimals } from '../../domain/money.js';

import { noKey } from '../program/wallet.js';

/** An instruction in words: the names of its program, of itself and of what it holds. */
export interface DescribedInstruction {
  /** `karat`, `spl_token`, `token_2022`, `associated_token`, `system`, `compute_budget` or `memo`; else the address of the program. */
  program: string;
  /** Null for what could not be decoded. */
  name: string | null;
  /** Accounts and arguments; amounts are numbers of tokens, or of SOL. */
  fields: Record<string, unknown>;
}

export interface ResolvedInstruction {
  program: Address;
  accounts: readonly Address[];
  data: ReadonlyUint8Array;
}

interface Parsed {
  instructionType: number;
  accounts?: Record<string, AccountMeta | undefined>;
  data?: Record<string, unknown>;
}

type Given = ReturnType<typeof givenOf>;

interface Decoder {
  program: string;
  names: Record<number, string>;
  parse(given: Given): Parsed;
  /** Returns the number of decimals of an amount; undefined for what is none. */
  decimals(field: string, parsed: Parsed): number | undefined;
  /** Returns the name of the token that it is about. */
  token?(parsed: Parsed): TokenName | undefined;
}

const solDecimals = 9;
const isAmount = (field: string) => field === 'amount';

function tokenDecoder(program: string, tokenAt: TokenAt): Decoder {
  const token = ({ accounts = {} }: Parsed) =>
    [accounts.mint, accounts.source, accounts.account, accounts.token]
      .map((account) => account && tokenAt(account.address))
      .find((name) => name !== undefined);
  return {
    program,
    names: TokenInstruction,
    parse: (given) => parseTokenInstruction(given) as unknown as Parsed,
    decimals: (field, parsed) => {
      if (!isAmount(field)) return undefined;
      const { data } = parsed;
      if (typeof data?.decimals === 'number') return data.decimals;
      return token(parsed) && tokenDecimals;
    },
    token,
  };
}

const decodersOf = (programAddress: Address, tokenAt: TokenAt): ReadonlyMap<Address, Decoder> =>
  new Map<Address, Decoder>([
    [
      programAddress,
      {
        program: 'karat',
        names: KaratInstruction,
        parse: (given) => parseKaratInstruction(given) as unknown as Parsed,
        decimals: (field) => (/usdc|gold|^amount$/i.test(field) ? tokenDecimals : undefined),
      },
    ],
    [TOKEN_PROGRAM_ADDRESS, tokenDecoder('spl_token', tokenAt)],
    [token2022Program, tokenDecoder('token_2022', tokenAt)],
    [
      ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
      {
        program: 'associated_token',
        names: AssociatedTokenInstruction,
        parse: (given) => parseAssociatedTokenInstruction(given) as unknown as Parsed,
        decimals: () => undefined,
        token: ({ accounts }) => accounts?.mint && tokenAt(accounts.mint.address),
      },
    ],
    [
      SYSTEM_PROGRAM_ADDRESS,
      {
        program: 'system',
        names: SystemInstruction,
        parse: (given) => parseSystemInstruction(given) as unknown as Parsed,
        decimals: (field) => (/amount$|lamports$/i.test(field) ? solDecimals : undefined),
      },
    ],
    [
      COMPUTE_BUDGET_PROGRAM_ADDRESS,
      {
        program: 'compute_budget',
        names: ComputeBudgetInstruction,
        parse: (given) => parseComputeBudgetInstruction(given) as unknown as Parsed,
        decimals: () => undefined,
      },
    ],
  ]);

export type TokenName = 'GOLD' | 'USDC';

/** Returns the name of the token whose mint, or one of whose accounts, has an address; undefined where that is not known. */
export type TokenAt = (mintOrAccount: Address) => TokenName | undefined;

/** Describes instructions; those of other programs, and those that are malformed, by what their bytes are. */
export function describeInstructions(
  instructions: readonly ResolvedInstruction[],
  programAddress: Address,
  tokenAt: TokenAt,
): DescribedInstruction[] {
  const decoders = decodersOf(programAddress, tokenAt);
  return instructions.map((instruction) => describe(instruction, decoders.get(instruction.program)));
}

function describe(instruction: ResolvedInstruction, decoder: Decoder | undefined): DescribedInstruction {
  const { program, accounts, data } = instruction;
  if (program === memoProgram) {
    return { program: 'memo', name: 'memo', fields: { text: Buffer.from(data).toString('utf8') } };
  }
  const parsed = decoder && tryParse(decoder, instruction);
  if (!decoder || !parsed) {
    const fields = { accounts: [...accounts], data: Buffer.from(data).toString('base64') };
    return { program, name: null, fields };
  }
  const name = snakeCase(decoder.names[parsed.instructionType] ?? '');
  const token = decoder.token?.(parsed);
  const fields = { ...(token && { token_name: token }), ...fieldsOf(parsed, decoder, name) };
  return { program: decoder.program, name, fields };
}

function tryParse(decoder: Decoder, instruction: ResolvedInstruction): Parsed | undefined {
  try {
    return decoder.parse(givenOf(instruction));
  } catch {
    // Whatever a caller may send: the decoders throw for unknown instructions, too few accounts and too few bytes.
    return undefined;
  }
}

const givenOf = ({ program, accounts, data }: ResolvedInstruction) => ({
  programAddress: program,
  accounts: accounts.map((address) => ({ address, role: AccountRole.READONLY })),
  data,
});

function fieldsOf(parsed: Parsed, decoder: Decoder, name: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parsed.data ?? {})) {
    if (/discriminator$/i.test(key)) continue;
    const decimals = decoder.decimals(key, parsed);
    fields[snakeCase(key.replace(/lamports$/, decimals === undefined ? 'lamports' : 'sol'))] =
      typeof value === 'bigint' && decimals !== undefined
        ? decimalNumber(formatDecimal(value, decimals))
        : shown(key, value, name);
  }
  for (const [key, account] of Object.entries(parsed.accounts ?? {})) {
    const field = snakeCase(key);
    if (account) fields[field in fields ? `${field}_account` : field] = account.address;
  }
  return fields;
}

/** Prefixes of the ids of what an instruction carries out. */
const idPrefixes: Record<string, string> = {
  buy: 'trd_',
  sell: 'trd_',
  redeem: 'red_',
  announce_burn: 'red_',
  cancel_burn: 'red_',
  settle_redemption: 'red_',
  reclaim_redemption: 'red_',
};

function shown(key: string, value: unknown, instruction: string): unknown {
  if (typeof value === 'bigint') return /^(expireAt|asOf)$/.test(key) ? momentOf(value) : toInteger(value);
  if (value instanceof Uint8Array) {
    if (/^(id|partnerId)$/.test(key) && value.length === 16) {
      return `${key === 'id' ? (idPrefixes[instruction] ?? '') : ''}${uuidFromBytes(value)}`;
    }
    return Buffer.from(value).toString('base64');
  }
  if (Array.isArray(value))
    return value.filter((item) => item !== noKey).map((item) => shown(key, item, instruction));
  if (typeof value === 'object' && value !== null) {
    if ('__option' in value) return 'value' in value ? shown(key, value.value, instruction) : null;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [snakeCase(name), shown(name, item, instruction)]),
    );
  }
  return value;
}

/** Returns the moment of Unix seconds; the number itself where no calendar has it. */
function momentOf(seconds: bigint): string | number {
  const moment = new Date(toInteger(seconds) * 1_000);
  return Number.isNaN(moment.getTime()) ? toInteger(seconds) : moment.toISOString();
}

/** `TransferChecked` as `transfer_checked`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

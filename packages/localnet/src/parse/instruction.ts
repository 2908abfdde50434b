import { encodeBase58 } from '@karat/wire';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  FINAL_LOADER,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  MEMO_V4_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '../addresses.js';
import { view } from '../bytes.js';
import { memoText } from '../memo.js';
import {
  parseFinalLoaderInstruction,
  parseLookupTableInstruction,
  parseUpgradeableLoaderInstruction,
} from './loader.js';
import type { InstructionParser } from './parsed.js';
import { parseSystemInstruction } from './system.js';
import { parseTokenInstruction } from './token.js';

const parseAssociatedToken: InstructionParser = (accounts, data) => {
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  if (tokenProgram === undefined || data.length > 1 || (data[0] ?? 0) > 1) return undefined;
  const type = data[0] === 1 ? 'createIdempotent' : 'create';
  return { type, info: { account, mint, source, systemProgram, tokenProgram, wallet } };
};

/** The programs that Agave parses, but for stake and vote; the compute-budget program is none of them. */
const PARSERS: Readonly<Record<string, { program: string; parse: InstructionParser }>> = {
  [SYSTEM_PROGRAM]: { program: 'system', parse: parseSystemInstruction },
  [TOKEN_PROGRAM]: { program: 'spl-token', parse: parseTokenInstruction },
  // Extensions of token-2022 stay unparsed: their discriminators are none of the base program's.
  [TOKEN_2022_PROGRAM]: { program: 'spl-token', parse: parseTokenInstruction },
  [ASSOCIATED_TOKEN_PROGRAM]: { program: 'spl-associated-token-account', parse: parseAssociatedToken },
  [UPGRADEABLE_LOADER]: { program: 'bpf-upgradeable-loader', parse: parseUpgradeableLoaderInstruction },
  [FINAL_LOADER]: { program: 'bpf-loader', parse: parseFinalLoaderInstruction },
  [ADDRESS_LOOKUP_TABLE_PROGRAM]: { program: 'address-lookup-table', parse: parseLookupTableInstruction },
};

const MEMO_PROGRAMS = new Set([MEMO_V1_PROGRAM, MEMO_PROGRAM, MEMO_V4_PROGRAM]);

function parsedOf(
  programId: string,
  accounts: readonly string[],
  data: Buffer,
): { program: string; parsed: unknown } | undefined {
  if (MEMO_PROGRAMS.has(programId)) {
    const text = memoText(data);
    return text === undefined ? undefined : { program: 'spl-memo', parsed: text };
  }
  const known = PARSERS[programId];
  const parsed = known?.parse(accounts, data);
  return known && parsed ? { program: known.program, parsed } : undefined;
}

/** Returns an instruction in the form of `jsonParsed`: parsed where the program is known, else taken apart only. */
export function parseInstruction(
  keys: readonly string[],
  programIdIndex: number,
  accountIndexes: ArrayLike<number>,
  data: Uint8Array,
  stackHeight: number,
): Record<string, unknown> {
  const programId = keys[programIdIndex] ?? '';
  const accounts = Array.from(accountIndexes, (index) => keys[index] ?? '');
  const known = parsedOf(programId, accounts, view(data));
  if (known) return { parsed: known.parsed, program: known.program, programId, stackHeight };
  return { accounts, data: encodeBase58(data), programId, stackHeight };
}

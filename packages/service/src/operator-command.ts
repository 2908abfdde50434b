import { parseArgs } from 'node:util';
import { advanceRedemption, type OperatorStep } from './actions/advance-redemption.js';
import { systemClock } from './clock.js';
import { ConfigError, readDatabaseUrl } from './config.js';
import { openDatabase } from './db/client.js';
import { isDatabaseOutage } from './db/outage.js';
import { operatorMoves } from './domain/redemption.js';
import { AppError } from './errors.js';

export const operatorUsage =
  'usage: karat-service operator redemption <prepare|ready|collect|cancel> <red_id> [--note TEXT]';

/** The command line knows no operator. */
const by = { operatorId: null, requestId: null };
const maxNoteLength = 1_000;

export interface CommandResult {
  ok: boolean;
  /** One line: JSON of what was done, or why nothing was. */
  text: string;
}

/**
 * Does an operator's move on the database of `DATABASE_URL`; nothing else has to run or to be set. Internal: it asks
 * nobody for a password, so whoever holds the database's may use it. `cancel` says that no physical gold is committed.
 */
export async function operatorCommand(
  args: string[],
  env: Record<string, string | undefined>,
): Promise<CommandResult> {
  const step = readStep(args);
  if (typeof step === 'string') return { ok: false, text: step };
  try {
    const database = openDatabase(readDatabaseUrl(env).reveal(), { poolSize: 1 });
    try {
      const moved = await advanceRedemption({ db: database.db, clock: systemClock }, by, step);
      return { ok: true, text: JSON.stringify({ redemption_id: moved.id, status: moved.status }) };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { ok: false, text: explain(error) };
  }
}

function explain(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  if (error instanceof ConfigError) return error.message;
  if (isDatabaseOutage(error)) return 'No PostgreSQL answers at DATABASE_URL';
  throw error;
}

/** The move that the arguments ask for, or what is wrong with them. */
function readStep(args: string[]): OperatorStep | string {
  let parsed: { positionals: string[]; values: { note?: string | undefined } };
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: { note: { type: 'string' } } });
  } catch {
    return operatorUsage;
  }
  const [thing, name, redemptionId, ...rest] = parsed.positionals;
  const move = operatorMoves.find((each) => each === name);
  if (thing !== 'redemption' || !move || !redemptionId || rest.length > 0) return operatorUsage;
  const { note } = parsed.values;
  if (note !== undefined && note.length > maxNoteLength) {
    return `--note takes at most ${maxNoteLength} characters`;
  }
  const common = { redemptionId, note };
  return move === 'cancel' ? { ...common, move, physicalGoldCommitted: false } : { ...common, move };
}

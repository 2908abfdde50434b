import { inChange } from '../actions/change.js';
import { changeOperator, setOperatorStatus } from '../actions/operators/change-operator.js';
import { createOperator, createOperatorToken } from '../actions/operators/create-operator.js';
import { linkOperator } from '../actions/operators/link-operator.js';
import { resetFactors } from '../actions/operators/reset-factors.js';
import { resetPassword } from '../actions/operators/reset-password.js';
import { isPassword } from '../actions/people/passwords.js';
import { findOwnerUrl } from '../config.js';
import { findOperatorByEmail, findOperators, type OperatorRow } from '../db/operators/operators.js';
import { commandLine } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { type Operator, type OperatorRole, operatorRoles } from '../domain/operator.js';
import { maxTokenDays } from '../domain/operator-token.js';
import { AppError } from '../errors.js';
import { type Call, CommandError, done, type Outcome } from './command.js';
import { readNewPassword, readPassword } from './password.js';
import { mustBe, readReason, readText } from './texts.js';
import { type OnDatabase, withDatabase, withOwner } from './with-database.js';

/** The database address that every process has must not be enough to get an account. */
const ownersOnly =
  'Accounts already exist: on the command line, only the owner of the tables can open and recover accounts and change roles';

/** `operator create`: the very first account needs no more than the database. */
export async function create(call: Call): Promise<Outcome> {
  const account = { email: readText(call, 'email'), name: readText(call, 'name'), role: readRole(call) };
  const given = await readNewPassword(call.terminal);
  const open: OnDatabase<Operator> = (ctx) =>
    createOperator(ctx, commandLine, { ...account, password: given, openedBy: [] });
  if (findOwnerUrl(call.terminal.env)) return done(toView(await withOwner(call, ownersOnly, open)));
  const operator = await withDatabase(call, async (ctx) => {
    const [any] = await findOperators(ctx.db, {}, { limit: 1, after: undefined });
    return any ? undefined : open(ctx);
  });
  return done(toView(operator ?? (await withOwner(call, ownersOnly, open))));
}

/** `operator token`: takes the account's password. */
export async function token(call: Call): Promise<Outcome> {
  const input = { email: readText(call, 'email'), name: readText(call, 'name') };
  const days = readDays(call);
  const given = await readPassword(call.terminal);
  const made = await withDatabase(call, async (ctx) => {
    const found = await findOperatorByEmail(ctx.db, input.email);
    if (found && !(found.passwordHash && (await isPassword(found.passwordHash, given)))) {
      throw new CommandError(`This is not the password of ${input.email}`);
    }
    return createOperatorToken(ctx, commandLine, { ...input, days });
  });
  return done({
    ...input,
    token_id: made.tokenId,
    token: made.token,
    expires_at: made.expiresAt.toISOString(),
  });
}

export async function role(call: Call): Promise<Outcome> {
  const input = { email: readText(call, 'email'), role: readRole(call) };
  const changed = await withOwner(call, ownersOnly, async (ctx) => {
    const found = await findOperatorByEmail(ctx.db, input.email);
    if (!found) throw new AppError('not_found', `There is no operator ${input.email}.`);
    return inChange(ctx, commandLine, (change) =>
      changeOperator(change, { operatorId: found.id, role: input.role }),
    );
  });
  return done(toView({ ...changed, personId: changed.id }));
}

export async function password(call: Call): Promise<Outcome> {
  const email = readText(call, 'email');
  const given = await readNewPassword(call.terminal);
  const operator = await withOwner(call, ownersOnly, (ctx) =>
    resetPassword(ctx, commandLine, { email, password: given }),
  );
  return done({ ...toView({ ...operator, personId: operator.id }), status: operator.status });
}

export async function resetSecondFactor(call: Call): Promise<Outcome> {
  const email = readText(call, 'email');
  const reason = readReason(call);
  const operator = await withOwner(call, ownersOnly, async (ctx) => {
    const found = await findOperatorByEmail(ctx.db, email);
    if (!found) throw new AppError('not_found', `There is no operator ${email}.`);
    return inChange(ctx, commandLine, (change) => resetFactors(change, { operatorId: found.id, reason }));
  });
  return done({ ...toView({ ...operator, personId: operator.id }), status: operator.status });
}

export async function link(call: Call): Promise<Outcome> {
  const input = { email: readText(call, 'email'), subject: readText(call, 'subject') };
  const issuer = readIssuer(call);
  const operator = await withOwner(call, ownersOnly, (ctx) =>
    linkOperator(ctx, commandLine, { ...input, issuer }),
  );
  return done({ ...toView({ ...operator, personId: operator.id }), issuer, subject: input.subject });
}

export async function disable(call: Call): Promise<Outcome> {
  return setStatus(call, 'disabled', withDatabase);
}

export async function enable(call: Call): Promise<Outcome> {
  return setStatus(call, 'active', (each, run) => withOwner(each, ownersOnly, run));
}

async function setStatus(
  call: Call,
  status: OperatorRow['status'],
  on: (call: Call, run: OnDatabase<OperatorRow>) => Promise<OperatorRow>,
): Promise<Outcome> {
  const email = readText(call, 'email');
  const reason = readReason(call);
  const operator = await on(call, async (ctx) => {
    const found = await findOperatorByEmail(ctx.db, email);
    if (!found) throw new AppError('not_found', `There is no operator ${email}.`);
    return inChange(ctx, commandLine, (change) =>
      setOperatorStatus(change, { operatorId: found.id, status, reason }),
    );
  });
  return done({ ...toView({ ...operator, personId: operator.id }), status: operator.status });
}

function toView({
  personId: operatorId,
  email,
  name,
  role,
}: Pick<Operator, 'personId' | 'email' | 'name' | 'role'>) {
  return { operator_id: operatorId, email, name, role };
}

function readDays(call: Call): number {
  const text = call.get('days');
  if (/^\d{1,3}$/.test(text) && toInteger(text) >= 1 && toInteger(text) <= maxTokenDays)
    return toInteger(text);
  throw mustBe(call, 'days', `a whole number from 1 to ${maxTokenDays}`);
}

function readIssuer(call: Call): string {
  const issuer = readText(call, 'issuer');
  if (URL.canParse(issuer)) return new URL(issuer).href;
  throw mustBe(call, 'issuer', 'the address of the identity provider, as it names itself');
}

function readRole(call: Call): OperatorRole {
  const given = call.get('role');
  const role = operatorRoles.find((each) => each === given);
  if (role) return role;
  throw mustBe(call, 'role', `one of ${operatorRoles.join(', ')}`);
}

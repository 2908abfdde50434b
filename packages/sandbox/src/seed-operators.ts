import { randomBytes } from 'node:crypto';
import { type Context, createOperator, createOperatorToken, findOperatorByEmail } from '@karat/service';

/** A seeded operator, as in `sandbox.json`. */
export interface SeededOperator {
  email: string;
  role: 'admin';
  password: string;
  /** A bearer token for the operator API. */
  token: string;
}

/** Two people, so that one can approve what the other requests. */
const plans = [
  { email: 'ops1@karat.test', name: 'Operator One' },
  { email: 'ops2@karat.test', name: 'Operator Two' },
] as const;

/** Returns the operators of a new sandbox, with secrets of their own. */
export function planOperators(): SeededOperator[] {
  return plans.map(({ email }) => ({
    email,
    role: 'admin',
    password: randomBytes(18).toString('base64url'),
    token: `karat_operator_${randomBytes(32).toString('hex')}`,
  }));
}

const seeding = { personId: null, requestId: null };

/** Opens the accounts that are not there yet. What people changed since stays as it is. */
export async function seedOperators(ctx: Context, operators: SeededOperator[]): Promise<void> {
  for (const { email, role, password, token } of operators) {
    if (await findOperatorByEmail(ctx.db, email)) continue;
    const name = plans.find((plan) => plan.email === email)?.name ?? email;
    await createOperator(ctx, seeding, { email, name, role, password, openedBy: [] });
    await createOperatorToken(ctx, seeding, { email, name: 'sandbox', days: 365 }, token);
  }
}

import { Type } from '@fastify/type-provider-typebox';
import type { OperatorPermission } from '../../domain/operator.js';
import { Label } from '../../views/schemas.js';

/** A limit of the program. None is a word, so that nobody sets one by leaving out a figure. */
export const Limit = (meaning: { description?: string; examples?: unknown[] }) =>
  Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Literal('none')], meaning);

/** Why somebody changes something: kept in the audit log. */
export const Reason = Label(1_000, {
  description: 'The reason; kept in the audit log.',
  examples: ['Requested by the partner, ticket 4711'],
});

/** Settings of a route that only reads. */
export const read = { auth: 'operator', permission: 'read' } as const;

/** Settings of routes about the operator's own account, which a session may use before it has a second factor. */
export const own = { auth: 'operator', permission: 'read', beforeSecondFactor: true } as const;

const changing = (permission: OperatorPermission) =>
  ({ auth: 'operator', permission, idempotent: true }) as const;

/** Settings of routes that change something, by the permission that they take. */
export const readAndKeep = changing('read');
export const administer = changing('administer');
export const comply = changing('comply');
export const fulfil = changing('fulfil');
export const decide = changing('decide');

import type { FastifyInstance, RouteOptions } from 'fastify';
import sodium from 'sodium-native';
import { beginSession } from '../src/actions/people/sign-in.js';
import type { Context } from '../src/context.js';
import { findAuditRowsAfter } from '../src/db/operators/audit-log.js';
import { insertOperatorToken } from '../src/db/operators/operator-tokens.js';
import { insertOperator } from '../src/db/operators/operators.js';
import { findSession } from '../src/db/people/sessions.js';
import { newUuid, type Uuid } from '../src/domain/ids.js';
import type { OperatorRole } from '../src/domain/operator.js';
import { newOperatorToken } from '../src/domain/operator-token.js';
import { hashSecret } from '../src/domain/session.js';
import { buildOperatorApp } from '../src/http/operator/app.js';
import { type ApiResponse, type Client, clientOf, type Harness, watchResponses } from './harness.js';

export const operatorBase = '/operator/v1';

export interface GivenOperator {
  operatorId: Uuid;
  email: string;
  password: string;
  role: OperatorRole;
  token: string;
  /** Sends the operator's bearer token; paths are whole. */
  client: Client;
}

export interface Operators {
  app: FastifyInstance;
  /** Every route that the application registers, so that a table of them cannot forget one. */
  routes: RouteOptions[];
  /** A client without credentials. */
  anonymous: Client;
  /** One operator a role, there from the start. */
  by: Record<OperatorRole, GivenOperator>;
  givenOperator(role: OperatorRole): Promise<GivenOperator>;
  close(): Promise<void>;
}

/** Any request with a body, which is sent as JSON; paths are below the base. */
export function send(
  client: Client,
  method: 'PUT' | 'PATCH' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return client.send({ method, url: `${operatorBase}${path}`, headers: { ...type, ...headers }, ...payload });
}

/** `METHOD path` below the base of every route that is part of the API, sorted; not its document and pages. */
export function namesOf(routes: RouteOptions[]): string[] {
  return routes
    .filter(({ url, method, schema }) => url.startsWith(operatorBase) && method !== 'HEAD' && !schema?.hide)
    .map(({ url, method }) => `${method} ${url.slice(operatorBase.length)}`)
    .sort();
}

/** What the audit log has of an object, oldest first, but for signing in. */
export async function changesOf(h: Pick<Harness, 'ctx'>, objectType: string, objectId: string) {
  const rows = await findAuditRowsAfter(h.ctx.db, 0, 10_000);
  return rows
    .filter((row) => row.objectType === objectType && row.objectId === objectId)
    .filter(({ action }) => !action.startsWith('operator.sign_in'))
    .map(({ action, before, after, reason, personId: operatorId }) => ({
      action,
      before,
      after,
      reason,
      operatorId,
    }));
}

/** Opens a session of an operator, and returns its id. */
export async function givenSession({ ctx }: Pick<Harness, 'ctx'>, operatorId: Uuid): Promise<Uuid> {
  const createdAt = new Date(ctx.clock.now());
  const session = {
    personId: operatorId,
    createdAt,
    verifiedAt: null,
    address: '203.0.113.7',
    userAgent: null,
  };
  return ctx.db.transaction(async (tx) => {
    const secret = await beginSession(tx, session);
    const found = await findSession(tx, hashSecret(secret));
    if (!found) throw new Error('the session is not there');
    return found.id;
  });
}

const dayMs = 86_400_000;

function cheapHash(text: string): string {
  const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
  const [passes, bytes] = [sodium.crypto_pwhash_OPSLIMIT_MIN, sodium.crypto_pwhash_MEMLIMIT_MIN];
  sodium.crypto_pwhash_str(hash, Buffer.from(text), passes, bytes);
  return hash.toString('utf8').replace(/\0+$/, '');
}

const password = 'correct horse battery staple';
/** One hash for all operators of a process, of the least work: argon2id is slow on purpose, and a hash says how slow. */
const passwordHash = cheapHash(password);

/** The operator API over a harness, with one operator of each role. Close it before the harness. */
export async function startOperators(h: Pick<Harness, 'secrets'> & { ctx: Context }): Promise<Operators> {
  const routes: RouteOptions[] = [];
  const app = await buildOperatorApp(h.ctx, {
    // A machine that is busy with other tests is not what they are about.
    connectWithinMs: 60_000,
    extend(extended) {
      watchResponses(extended);
      extended.addHook('onRoute', (route) => void routes.push(route));
    },
  });
  async function givenOperator(role: OperatorRole): Promise<GivenOperator> {
    const at = new Date(h.ctx.clock.now());
    const operatorId = newUuid();
    const email = `${role}-${operatorId.slice(-12)}@karat.test`;
    const token = newOperatorToken();
    h.secrets.add(token);
    h.secrets.add(password);
    await h.ctx.db.transaction(async (tx) => {
      const account = { id: operatorId, email, name: `The ${role}`, role, passwordHash };
      await insertOperator(tx, { ...account, createdAt: at, updatedAt: at });
      const row = { id: newUuid(), operatorId, name: 'harness', hash: hashSecret(token), createdAt: at };
      await insertOperatorToken(tx, { ...row, expiresAt: new Date(at.getTime() + 10_000 * dayMs) });
    });
    const client = clientOf(app, { authorization: `Bearer ${token}` });
    return { operatorId, email, password, role, token, client };
  }

  const by = {
    viewer: await givenOperator('viewer'),
    fulfilment: await givenOperator('fulfilment'),
    compliance: await givenOperator('compliance'),
    admin: await givenOperator('admin'),
  };
  return { app, routes, anonymous: clientOf(app, {}), by, givenOperator, close: () => app.close() };
}

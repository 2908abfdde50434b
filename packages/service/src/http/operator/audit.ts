import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { verifyAuditLog } from '../../actions/audit.js';
import type { Context } from '../../context.js';
import { findAuditRows, type NamedAuditRow } from '../../db/operators/audit-log.js';
import { findObjectNames } from '../../db/operators/object-names.js';
import { shownOf } from '../../domain/audit.js';
import { asUuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { mayOperator, type Operator } from '../../domain/operator.js';
import { lookAtMostEvery } from '../../runtime/look.js';
import { freeObject, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { tagRoutes } from '../openapi/conventions.js';
import { cursorBehindName, filterBy, readNamedPage, storable } from '../server/lists.js';
import { route } from '../server/route.js';
import { readCreated } from '../server/times.js';
import { countedPageOf, endOf, listQuery, searchFor } from './lists.js';
import { recordField as field } from './record-fields.js';
import { read } from './shapes.js';

const Columns = freeObject({ examples: [{ status: 'ready' }] });

const EntryView = titled('AuditEntry', {
  seq: Type.Integer(field.auditSeq),
  at: Type.String(field.createdAt),
  operator_id: Nullable(Type.String(), field.auditOperatorId),
  operator_name: Nullable(Type.String(), field.auditOperatorName),
  member_id: Nullable(Type.String(), field.auditMemberId),
  member_name: Nullable(Type.String(), field.auditMemberName),
  partner_id: Nullable(Type.String(), field.auditPartnerId),
  action: Type.String(field.auditAction),
  object_type: Type.String(field.auditObjectType),
  object_id: Type.String(field.auditObjectId),
  object_name: Nullable(Type.String(), field.auditObjectName),
  before: Nullable(Columns, { description: 'State before the change; null if there was none.' }),
  after: Nullable(Columns, { description: 'State after the change; null if there is none.' }),
  reason: Nullable(Type.String(), field.auditReason),
  request_id: Nullable(Type.String(), field.auditRequestId),
  previous_hash: Type.String(field.auditPreviousHash),
  hash: Type.String(field.auditHash),
});

const listRoute = route(read, {
  operationId: 'listAuditEntries',
  summary: 'List the audit log',
  description:
    'Lists every change that operators and members of partners made, and every read of KYC data, newest first. For roles that may not read KYC data, `before`, `after` and `reason` of a `user.kyc_level` or `user.search_kyc` entry are null.',
  querystring: listQuery(
    {
      q: searchFor('object, action or request id', 'redemption.ready'),

      object_type: Type.String(field.auditObjectType),
      object_id: Type.String(field.auditObjectId),
      operator_id: Type.String({ ...field.operatorId, description: 'Only those by this operator.' }),
      action: Type.String(field.auditAction),
    },
    cursorBehindName('1042'),
  ),
  response: { 200: countedPageOf('entries', EntryView) },
});

const verifyRoute = route(read, {
  operationId: 'verifyAuditLog',
  summary: 'Verify the audit log',
  description:
    'Walks the whole chain of hashes: `ok` is false when an entry was changed, removed or added without the service, and `first_bad` is the number of the first such entry. The owner of the tables can cut off the last entries, or rewrite them with their hashes, without changing `ok`: compare `head` with the last entry in the log of the service (`audit_seq`, `audit_hash`).',
  response: {
    200: Type.Object({
      ok: Type.Boolean(field.auditOk),
      rows: Type.Integer(field.auditRows),
      first_bad: Type.Optional(Type.Integer(field.auditFirstBad)),
      head: Nullable(
        Type.Object({ seq: Type.Integer(field.auditSeq), hash: Type.String(field.auditHash) }),
        field.auditHead,
      ),
    }),
  },
});

/** A long log takes longer than any other response. */
const verifyWithinMs = 60_000;

/** Routes of the audit log and its verification. */
export function auditRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  // A walk keeps a connection for as long as it takes: requests that come meanwhile wait for the same walk.
  const verify = lookAtMostEvery(0, () => verifyAuditLog(ctx.db));
  return async (app) => {
    tagRoutes(app, 'Audit');
    app.get('/audit', listRoute, async ({ query, operator }) => {
      const created = readCreated(query);
      const { rows, ...end } = await readNamedPage(
        query,
        (seq) => /^[1-9]\d{0,14}$/.test(seq),
        ({ limit, after }) =>
          findAuditRows(
            ctx.db,
            {
              objectType: filterBy(query.object_type, storable),
              objectId: filterBy(query.object_id, storable),
              personId: filterBy(query.operator_id, asUuid),
              action: filterBy(query.action, storable),
            },
            {
              limit,
              after: after === undefined ? undefined : toInteger(after),
              created,
              q: filterBy(query.q, storable),
            },
          ),
        ({ seq }) => String(seq),
      );
      const nameOf = await findObjectNames(ctx.db, rows);
      return {
        entries: rows.map((row) => toEntryView(row, nameOf(row), operator)),
        ...endOf(end),
      };
    });

    app.get('/audit/verify', { ...verifyRoute, handlerTimeout: verifyWithinMs }, async () => {
      const { ok, rows, firstBad, head } = await verify();
      const end = head ? { seq: head.seq, hash: Buffer.from(head.hash).toString('hex') } : null;
      return { ok, rows, ...(firstBad === undefined ? {} : { first_bad: firstBad }), head: end };
    });
  };
}

const entryView = viewOf(EntryView);

function toEntryView(row: NamedAuditRow, objectName: string | null, { role }: Operator) {
  const { partnerId, personId, personName } = row;
  const isMember = partnerId !== null;
  return entryView({
    ...row,
    operatorId: isMember ? null : personId,
    operatorName: isMember ? null : personName,
    memberId: isMember ? personId : null,
    memberName: isMember ? personName : null,
    objectName,
    ...shownOf(row, mayOperator(role, 'read_kyc')),
    previousHash: Buffer.from(row.previousHash).toString('hex'),
    hash: Buffer.from(row.hash).toString('hex'),
  });
}

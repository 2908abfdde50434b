import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findReport, findReports, type ListedReport } from '../../db/reserves/reports.js';
import { type ReportType, reportTypes } from '../../domain/reserves/report.js';
import { AppError } from '../../errors.js';
import { lookAtMostEvery } from '../../runtime/look.js';
import { about } from '../../views/fields.js';
import { choice, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';

const path = '/v1/reserves/reports';
const hash = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';

const ReportView = titled('AttestationReport', {
  report_hash: Type.String(
    about('SHA-256 of the file, hexadecimal, as `attestation.report_hash` of the statements has it.', hash),
  ),
  content_type: choice(reportTypes, about('What the file is.', 'application/pdf')),
  bytes: Type.Integer(about('Size of the file.', 248_310)),
  published_at: Type.String(about('When the report was published here.', '2026-03-01T12:00:00.000Z')),
  path: Type.String(about('Where the file is downloaded.', `${path}/${hash}`)),
});

const listRoute = route({ auth: 'none' } as const, {
  operationId: 'listAttestationReports',
  summary: 'List the reports of the attestor',
  description:
    'Returns the reports on which attestations are based, as far as they were published here, newest first. The chain has the SHA-256 of each, so that none can be exchanged. Needs no key.',
  response: { 200: Type.Object({ reports: Type.Array(ReportView) }) },
});
const fileRoute = {
  config: { auth: 'none', limit: 'reserves' },
  schema: { hide: true, params: Type.Object({ report_hash: Type.String() }) },
} as const;

const endings: Record<ReportType, string> = { 'application/pdf': 'pdf', 'text/plain': 'txt' };
const listedMs = 1_000;

/** The reports of the attestor, which anyone may download. */
export function reserveReportRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const readReports = lookAtMostEvery(listedMs, () => findReports(ctx.replica));
  return async (app) => {
    tagRoutes(app, 'Reserves');

    app.get(path, listRoute, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60');
      return { reports: (await readReports()).map(toReportView) };
    });

    app.get(`${path}/:report_hash`, fileRoute, async ({ params }, reply) => {
      const report = await findReport(ctx.replica, params.report_hash);
      if (!report) throw new AppError('not_found', 'No report with this SHA-256 was published.');
      const { content, type } = report;
      reply.headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-disposition': `attachment; filename="attestation-${report.hash.slice(0, 8)}.${endings[type]}"`,
      });
      return reply.type(type === 'text/plain' ? `${type}; charset=utf-8` : type).send(Buffer.from(content));
    });
  };
}

const toReportView = ({ hash, type, bytes, createdAt }: ListedReport) => ({
  report_hash: hash,
  content_type: type,
  bytes,
  published_at: createdAt.toISOString(),
  path: `${path}/${hash}`,
});

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ReadStatement, readPaperReceipt, StatementReader } from '../../actions/papers/read-papers.js';
import { getOwnRedemption } from '../../actions/redemptions/get-redemption.js';
import { readCustomer } from '../../actions/redemptions/get-redemption-case.js';
import type { Context } from '../../context.js';
import { findSigningKeys, type PaperSubject } from '../../db/papers/papers.js';
import { findPartner } from '../../db/partners/partners.js';
import { findTrade } from '../../db/trades/trades.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import { asTradeId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import { lineKinds, sealOf, statementFileName, statementFormat } from '../../domain/papers/statement.js';
import type { Principal } from '../../domain/principal.js';
import { AppError } from '../../errors.js';
import type { NamedCustomer } from '../../papers/receipt-pdf.js';
import { verifyLink } from '../../papers/verify-link.js';
import { atMost } from '../../runtime/limit.js';
import { about, field } from '../../views/fields.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { docsUrlFor } from '../server/errors.js';
import { route } from '../server/route.js';
import { reading, readingStatements } from './settings.js';
import { toStatementTable } from './statement-table.js';

const hash = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';
const at = '2026-03-01T12:00:00.000Z';
const number = (description: string, example: number) => Type.Number(about(description, example));

const BalanceView = titled('VaultBalance', {
  gold: number('GOLD.', 12.5),
  usdc: number('USDC.', 10_000),
});
const sums = {
  gold: number('GOLD that came into the vault; negative: that left it.', -1.5),
  usdc: number('USDC that came into the vault; negative: that left it.', 5_900),
  fee_usd: number('Fee in dollars, which the amounts contain; negative where one was returned.', 0.5),
  customer_gold: number("GOLD that came into the customer's wallet; negative: that left it.", 0.024267),
  customer_usdc: number("USDC that came into the customer's wallet; negative: that left it.", -100),
};

const StatementView = titled('AccountStatement', {
  format: Type.Literal(statementFormat, about('The form of the statement.', statementFormat)),
  number: Nullable(
    Type.Integer(),
    about('Number of the statement: from 1 for each partner, without gaps; null while it is provisional.', 9),
  ),
  issued_at: Nullable(Type.String(), about('When it was issued; null while it is provisional.', at)),
  corrects: Nullable(
    Type.Integer(),
    about('Number of the statement that this one corrects; null for the first of its month.', null),
  ),
  month: Type.String(about('The month, of UTC.', '2026-02')),
  provisional: Type.Boolean(
    about('Whether the month is not over, or its statement not issued: without number and signature.', false),
  ),
  partner_id: Type.String(field.partnerId),
  partner_name: Type.String(about('Name of the partner when the statement was issued.', 'Acme Gold')),
  vault: Nullable(
    Type.String(),
    about("Owner of the vault's accounts; null while there is none.", field.userWallet.examples[0] ?? ''),
  ),
  opening: BalanceView,
  closing: BalanceView,
  lines: Type.Array(
    titled('StatementLine', {
      at: Type.String(about('When the entry was recorded; of a deposit, when it landed.', at)),
      kind: choice(
        lineKinds,
        about(
          "`buy` and `sell` are customers' trades, `redemption` and `refund` their redemptions, and change nothing of the vault; `purchase`, `sale` and `withdrawal` are orders of the vault; `deposit` is what came into it by a plain transfer.",
          'sale',
        ),
      ),
      id: Nullable(
        Type.String(),
        about(
          'Id of the trade, the order or the redemption; null for a deposit.',
          field.partnerId.examples[0] ?? '',
        ),
      ),
      ...sums,
      tx_hash: Type.String(field.txHash),
    }),
    { description: 'Everything that succeeded, in the order of the chain.' },
  ),
  totals: titled('StatementTotals', {
    lines: Type.Integer(about('Number of lines.', 1)),
    ...sums,
  }),
  difference: BalanceView,
  causes: Type.Array(
    Type.String(),
    about('Why there is a difference, in sentences; empty where there is none.', [
      'The balance of the vault on chain differs from what the lines explain.',
    ]),
  ),
});

const pdf = (title: string) => ({
  schema: Type.String({ title, format: 'binary', description: 'A PDF.', examples: ['%PDF-1.7'] }),
});

const statementRoute = route(readingStatements, {
  operationId: 'getStatement',
  summary: 'Get the statement of a month',
  description:
    "Opening and closing balance of the partner's vault, and every trade, order, withdrawal, deposit and redemption of the month. `closing` less `opening` is the sum of the lines and `difference`, which is 0 unless something on the chain has no record. " +
    'A month that is over has a number and a signature, in the header `karat-statement-signature`: base64 of the Ed25519 signature of the exact bytes of the JSON response, by one of the keys of `GET /v1/papers/keys`. The same header comes with `csv` and `pdf`, which contain what it takes to verify them. It is never rewritten: a correction is another statement, which names it.',
  errors: codes('statement_not_found'),
  querystring: Type.Object({
    month: Type.String(about('Year and month, of UTC.', '2026-02')),
    format: Type.Optional(
      choice(['json', 'csv', 'pdf'], {
        description: '`csv`: a table for spreadsheets; `pdf`: a paper to print.',
        examples: ['json'],
      }),
    ),
  }),
  response: {
    200: {
      description: 'Success',
      content: {
        'application/json': { schema: StatementView },
        'text/csv': {
          schema: Type.String({
            title: 'StatementTable',
            description: 'A header, a line for each entry, an empty line, and the rest of the statement.',
            examples: ['at,kind,id\r\n'],
          }),
        },
        'application/pdf': pdf('StatementPaper'),
      },
    },
  },
});

const receiptOf = (what: 'Trade' | 'Redemption', description: string, errors: ReturnType<typeof codes>) => ({
  operationId: `get${what}Receipt`,
  summary: `Get the receipt of a ${what === 'Trade' ? 'trade' : 'hand-over'}`,
  description: `${description} A PDF with a code that opens the page which verifies it, without a key.`,
  errors: [...errors, ...codes('partner_mismatch', 'receipt_not_ready')],
  response: {
    200: { description: 'Success', content: { 'application/pdf': pdf(`${what}Receipt`) } },
  },
});
const tradeReceiptRoute = route(reading, {
  ...receiptOf(
    'Trade',
    "Of a trade that has succeeded and is final: the partner's own id of the customer, amounts, fee, price and transaction.",
    codes('trade_not_found'),
  ),
  params: Type.Object({ trade_id: Type.String(field.tradeId) }),
});
const redemptionReceiptRoute = route(reading, {
  ...receiptOf(
    'Redemption',
    'Of a redemption that was collected: the bar, its value, the payment and the customer, whose name is not in the code.',
    codes('redemption_not_found'),
  ),
  params: Type.Object({ redemption_id: Type.String(field.redemptionId) }),
});
const keysRoute = route({ auth: 'none' } as const, {
  operationId: 'listPaperKeys',
  summary: 'List the keys that sign papers',
  description:
    'Returns the Ed25519 keys that have signed statements and receipts, and statements of the reserves. Needs no key. Compare them with what Karat publishes elsewhere.',
  response: {
    200: titled('PaperKeys', {
      public_keys: Type.Array(Type.String(), about('Hexadecimal.', [hash])),
    }),
  },
});

/** Statements of partners' months, and receipts for their customers. */
export function paperRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const statements = new StatementReader(ctx);
  return async (app) => {
    tagRoutes(app, 'Statements');

    app.get('/v1/statements', statementRoute, async (request, reply) => {
      const { month, format = 'json' } = request.query;
      const read = await statements.read(request.principal.partnerId, month);
      return sendStatement(ctx, { request, reply }, read, format);
    });

    app.get('/v1/trades/:trade_id/receipt', tradeReceiptRoute, async (request, reply) => {
      const id = asTradeId(request.params.trade_id);
      const trade = id && (await findTrade(ctx.db, id));
      if (!trade) throw new AppError('trade_not_found', 'There is no record of this trade, or none yet.');
      requireOwn(request.principal, trade, 'trade');
      return sendReceipt(ctx, { request, reply }, { kind: 'trade', subject: trade.id }, undefined);
    });

    app.get('/v1/redemptions/:redemption_id/receipt', redemptionReceiptRoute, async (request, reply) => {
      const redemption = await getOwnRedemption(ctx.db, request.principal, request.params.redemption_id);
      const readNamed = async () => (await readCustomer(ctx, redemption)) ?? undefined;
      return sendReceipt(ctx, { request, reply }, { kind: 'redemption', subject: redemption.id }, readNamed);
    });

    app.get('/v1/papers/keys', keysRoute, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60');
      return { public_keys: await findSigningKeys(ctx.replica) };
    });
  };
}

/** One paper is made at a time: a long one takes a second of the processor. */
const inTurn = atMost(1);

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

async function sendStatement(
  { config, clock }: Context,
  { request, reply }: Exchange,
  { statement, body, paper }: ReadStatement,
  format: 'json' | 'csv' | 'pdf',
): Promise<FastifyReply> {
  const signature = paper && Buffer.from(paper.signature).toString('base64');
  if (signature !== undefined) reply.header('karat-statement-signature', signature);
  reply.header('cache-control', 'private, no-cache');
  if (format === 'json') return reply.type('application/json; charset=utf-8').send(body);
  const seal = canonicalJson(sealOf(statement, paper?.hash ?? ''));
  const link = verifyLink(docsUrlFor(request), seal, paper?.sealSignature ?? undefined);
  reply.header('content-disposition', `attachment; filename="${statementFileName(statement)}.${format}"`);
  if (format === 'csv') {
    const signed = paper && {
      sha256: paper.hash,
      public_key: Buffer.from(paper.publicKey).toString('hex'),
      signature: signature ?? '',
      verify: link,
    };
    return reply.type('text/csv; charset=utf-8').send(toStatementTable(statement, signed));
  }
  // What makes papers is loaded with the first of them.
  const { statementPdf } = await import('../../papers/statement-pdf.js');
  const readAt = new Date(clock.now());
  const issuer = config.receiptIssuer;
  return reply
    .type('application/pdf')
    .send(await inTurn(() => statementPdf({ statement, hash: paper?.hash, link, issuer, readAt })));
}

async function sendReceipt(
  ctx: Context,
  { request, reply }: Exchange,
  about: Pick<PaperSubject, 'kind' | 'subject'>,
  readNamed: (() => Promise<NamedCustomer | undefined>) | undefined,
): Promise<FastifyReply> {
  const partner = await findPartner(ctx.db, (request.principal as Principal).partnerId);
  if (!partner) throw new AppError('partner_not_found', 'There is no such partner.');
  const { receipt, body, paper } = await readPaperReceipt(ctx, partner, about);
  const link = verifyLink(docsUrlFor(request), body, paper?.signature);
  const { receiptPdf } = await import('../../papers/receipt-pdf.js');
  const issuer = ctx.config.receiptIssuer;
  const customer = await readNamed?.();
  const isSigned = paper !== undefined;
  const content = await inTurn(() => receiptPdf({ receipt, isSigned, link, issuer, customer }));
  return reply
    .headers({
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="receipt-${about.subject}.pdf"`,
    })
    .type('application/pdf')
    .send(content);
}

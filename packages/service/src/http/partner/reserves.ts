import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { backingReader } from '../../actions/reserves/read-backing.js';
import { ReserveLedger } from '../../actions/reserves/reserve-ledger.js';
import type { Context } from '../../context.js';
import type { ListedBar } from '../../domain/reserves/bar-line.js';
import { statementFormat } from '../../domain/reserves/statement.js';
import { BackingView, toBackingView } from '../../views/backing-view.js';
import { about } from '../../views/fields.js';
import { choice, Nullable, reference, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { csvHeader, csvLine } from '../server/csv-line.js';
import { route } from '../server/route.js';
import { serveReserveBadge } from './reserve-badge.js';

const open = { auth: 'none' } as const;
/** Those that read a list of bars, which may be long. */
const limited = { auth: 'none', limit: 'reserves' } as const;
const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const at = '2026-03-01T12:00:00.000Z';
const hash = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';
const account = '8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD';
const unknown = codes('statement_not_found');

const amount = (description: string, example = '102450.5') =>
  Type.String(about(`${description} Troy ounces.`, example));
const address = (description: string) => Type.String(about(description, account));

const weighed = {
  count: Type.Integer(about('Number of bars.', 3_300)),
  gross_weight_g: Type.String(about('Gross weight of the bars in grams.', '3300000')),
  fine_weight_g: Type.String(about('Fine gold in the bars in grams.', '3299670')),
  fine_weight_oz: Type.String(about('The same in troy ounces, rounded down to 6 decimals.', '106086.927567')),
};
const WeighedBars = titled('WeighedBars', weighed);

const StatementView = titled('ReserveStatement', {
  assertion: Type.String(
    about(
      'Begins with `COVERED` or `NOT COVERED`: whether the gold held covers the tokens outstanding.',
      'COVERED: the gold held is 3636.427567 troy ounces more than the tokens outstanding.',
    ),
  ),
  attestation: titled('Attestation', {
    amount: amount('Gold that the attestor vouches for on chain.', '150000'),
    as_of: Nullable(
      Type.String(),
      about('The time to which the attestation refers; null before the first.', at),
    ),
    burned_at_as_of: Type.String(
      about(
        '`tokens.burned` as it was when the attestor counted: what was burned since lowers what is covered.',
        '12',
      ),
    ),
    report_hash: Nullable(
      Type.String(),
      about("SHA-256 of the attestor's report; null before the first.", hash),
    ),
  }),
  bars: titled('ReserveBars', {
    ...weighed,
    merkle_root: Type.String(about('Root of the Merkle tree (RFC 6962) over the bars held.', hash)),
    by_status: titled('BarsByStatus', {
      in_stock: WeighedBars,
      reserved: WeighedBars,
      handed_over: WeighedBars,
      withdrawn: WeighedBars,
    }),
  }),
  coverage: titled('Coverage', {
    covered: Type.Boolean(about('Whether `difference` is not negative.', true)),
    difference: amount('Gold held less tokens outstanding.', '3636.427567'),
    gold_held: amount('Fine gold of the bars in stock and reserved.', '106086.927567'),
    tokens_outstanding: amount('All tokens that exist, but those that wait to be burned.'),
  }),
  format: Type.Literal(statementFormat, about('The form of the statement.', statementFormat)),
  made_at: Type.String(about('When the statement was made.', at)),
  network: titled('ReserveNetwork', {
    accounts: titled('ReserveAccounts', {
      config: address("The program's settings, with the attestation."),
      escrow: address('Token account that holds the tokens paid for redemptions.'),
      treasury: address('Token account of the treasury.'),
    }),
    genesis_hash: Type.String(about('Hash of the first block of the network.', account)),
    gold_mint: address('Mint of GOLD.'),
    mint_authority: address("The program's account that alone may mint GOLD."),
    program_id: address("Karat's on-chain program."),
    slot: Type.Integer(about('The finalized slot at which the tokens were counted.', 1_234_567)),
  }),
  previous: Nullable(Type.String(), about('Hash of the statement before it; null for the first.', hash)),
  sequence: Type.Integer(about('Number of the statement, from 1.', 12)),
  statement_id: Type.String(about('Id of the statement, prefixed `rs_`.', `rs_${uuid}`)),
  tokens: titled('ReserveTokens', {
    awaiting_burn: amount(
      'Tokens in escrow of redemptions whose bars were handed over; they are burned a day later.',
      '0',
    ),
    burned: amount('All tokens burned so far.', '12'),
    circulating: amount('Tokens that are neither in the treasury nor in escrow.', '2450.5'),
    escrow: amount('Tokens in escrow.', '0'),
    escrow_open: amount('Tokens in escrow that open redemptions need.', '0'),
    supply: amount('All tokens.'),
    treasury: amount("The treasury's tokens.", '100000'),
  }),
});

const SignedView = titled('SignedReserveStatement', {
  statement: StatementView,
  hash: Type.String(
    about('SHA-256 of the canonical JSON (RFC 8785) of `statement`, which is what is signed.', hash),
  ),
  public_key: Type.String(about('Ed25519 key of the signature, hexadecimal.', hash)),
  signature: Type.String(
    about(
      'Base64 of the signature.',
      'Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==',
    ),
  ),
  countersignatures: Type.Array(
    titled('Countersignature', {
      public_key: Type.String(about('Ed25519 key, such as the auditor’s, hexadecimal.', hash)),
      signature: Type.String(
        about(
          'Signature of the same bytes with that key, in base64.',
          'Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==',
        ),
      ),
      at: Type.String(about('When the signature was added.', at)),
    }),
    { description: 'Signatures of other parties, such as the auditor.' },
  ),
});

const barField = {
  refiner: about('Refiner stamped on the bar.', 'Valcambi'),
  serial: about('Serial number stamped on the bar.', 'AA123456'),
};
const BarView = titled('ReserveBar', {
  refiner: Type.String(barField.refiner),
  serial: Type.String(barField.serial),
  weight_g: Type.String(about('Gross weight in grams.', '1000')),
  fineness: Type.String(about('Parts of gold per thousand.', '999.9')),
  vault: Type.String(about('City of the vault.', 'Dubai')),
});
const columns = Object.keys(BarView.properties) as (keyof typeof BarView.properties)[];
const params = Type.Object({ statement_id: Type.String(about('Id of the statement.', `rs_${uuid}`)) });

const newestRoute = route(open, {
  operationId: 'getReserves',
  summary: 'Get the reserves',
  description:
    'Returns the newest signed statement of the reserves: the gold held, and the tokens that exist. Needs no key. `examples/verify-reserves.mjs` verifies it.',
  errors: unknown,
  response: { 200: SignedView },
});
const liveRoute = route(open, {
  operationId: 'getLiveReserves',
  summary: 'Get the reserves as they are now',
  description:
    'Compares the tokens that exist on the chain with what is attested, less what was burned since, and with the bars in the vaults. Read at most every ten seconds, and not signed: `GET /v1/reserves` has the last signed statement. Needs no key.',
  response: { 200: BackingView },
});
const listRoute = route(open, {
  operationId: 'listReserveStatements',
  summary: 'List the statements of the reserves',
  description:
    'Returns all statements, oldest first. Each contains the hash of the one before it, so that none can be withdrawn. Needs no key.',
  response: { 200: Type.Object({ statements: Type.Array(SignedView) }) },
});
const getRoute = route(open, {
  operationId: 'getReserveStatement',
  summary: 'Get a statement of the reserves',
  description: 'Returns one statement. Needs no key.',
  errors: unknown,
  params,
  response: { 200: SignedView },
});
const barsRoute = route(limited, {
  operationId: 'listReserveBars',
  summary: 'List the bars of a statement',
  description:
    'Returns every bar held, in the order of the Merkle tree: by the bytes of refiner and serial. A leaf is `refiner|serial|weight_g|fineness|vault`, with a `\\` before each `\\` and `|` in a field, and ends of lines as `\\n` and `\\r`. Needs no key.',
  errors: unknown,
  params,
  querystring: Type.Partial(
    Type.Object({
      format: choice(['json', 'csv'], {
        description: "`csv`: the same bars as a table; fields that look like formulas are prefixed with `'`.",
        examples: ['json'],
      }),
    }),
  ),
  response: {
    200: {
      description: 'Success',
      content: {
        'application/json': { schema: Type.Object({ bars: Type.Array(BarView) }) },
        'text/csv': {
          schema: Type.String({
            title: 'ReserveBarsTable',
            description: 'A header, and a line for each bar.',
            examples: [csvLine(columns)],
          }),
        },
      },
    },
  },
});
const proofRoute = route(limited, {
  operationId: 'proveReserveBar',
  summary: 'Prove that a bar was held',
  description:
    'Returns a bar of the statement with its inclusion proof: hashing the leaf with the hashes of `path`, from the leaf up, gives the root. Needs no key.',
  errors: codes('statement_not_found', 'bar_not_found'),
  params,
  querystring: Type.Object({ refiner: reference(barField.refiner), serial: reference(barField.serial) }),
  response: {
    200: titled('InclusionProof', {
      statement_id: Type.String(about('Id of the statement.', `rs_${uuid}`)),
      merkle_root: Type.String(about('Root of the tree, as in the statement.', hash)),
      bar: BarView,
      index: Type.Integer(about('Position of the bar in the list, from 0.', 0)),
      leaves: Type.Integer(about('Number of bars in the list.', 3_300)),
      path: Type.Array(
        Type.String(),
        about('Sibling hashes from the leaf to the root, hexadecimal.', [hash]),
      ),
    }),
  },
});

const briefly = 'public, max-age=10';
/** Caches may keep the newest for a minute; the parts of a statement never change. */
const eventually = 'public, max-age=60';
const forEver = 'public, max-age=31536000, immutable';

/** The public statements of the reserves, which anyone may read and verify. */
export function reserveRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const ledger = new ReserveLedger(ctx);
  const readLive = backingReader(ctx);
  const textOf = keptTexts();
  const tableOf = keptTexts();

  /** Sends an object that never changes by the text that was made of it the first time. */
  function sendText(reply: FastifyReply, kept: object, view: () => object, cache: string): FastifyReply {
    const text = textOf(kept, () => JSON.stringify(view()));
    return reply.header('cache-control', cache).type('application/json; charset=utf-8').send(text);
  }

  return async (app) => {
    tagRoutes(app, 'Reserves');
    serveReserveBadge(app, { ledger, readLive });
    const path = '/v1/reserves/statements';

    app.get('/v1/reserves', newestRoute, async (_request, reply) => {
      const newest = await ledger.newest();
      return sendText(reply, newest, () => newest, eventually);
    });

    app.get('/v1/reserves/live', liveRoute, async (_request, reply) => {
      reply.header('cache-control', briefly);
      return toBackingView(await readLive());
    });

    app.get(path, listRoute, async (_request, reply) => {
      const statements = await ledger.statements();
      return sendText(reply, statements, () => ({ statements }), eventually);
    });

    app.get(`${path}/:statement_id`, getRoute, async ({ params }, reply) => {
      const statement = await ledger.statement(params.statement_id);
      return sendText(reply, statement, () => statement, eventually);
    });

    app.get(`${path}/:statement_id/bars`, barsRoute, async ({ params, query }, reply) => {
      const { bars } = await ledger.bars(params.statement_id);
      if (query.format === 'csv') {
        reply.headers({
          'cache-control': forEver,
          'content-disposition': `attachment; filename="${params.statement_id}.csv"`,
        });
        return reply.type('text/csv; charset=utf-8').send(tableOf(bars, () => toTable(bars)));
      }
      return sendText(reply, bars, () => ({ bars: bars.map(toBarView) }), forEver);
    });

    app.get(`${path}/:statement_id/proof`, proofRoute, async ({ params, query }, reply) => {
      const { bar, proof, root } = await ledger.prove(params.statement_id, query);
      reply.header('cache-control', forEver);
      return {
        statement_id: params.statement_id,
        merkle_root: Buffer.from(root).toString('hex'),
        bar: toBarView(bar),
        index: proof.index,
        leaves: proof.leaves,
        path: proof.path.map((hash) => Buffer.from(hash).toString('hex')),
      };
    });
  };
}

/** Returns what makes the text of an object once, and returns the same as long as the object is in use. */
function keptTexts() {
  const texts = new WeakMap<object, string>();
  return (of: object, make: () => string): string => {
    const text = texts.get(of) ?? make();
    texts.set(of, text);
    return text;
  };
}

function toTable(bars: readonly ListedBar[]): string {
  const rows = bars.map(toBarView).map((bar) => csvLine(columns.map((name) => bar[name])));
  return csvHeader(columns) + rows.join('');
}

const toBarView = ({ refiner, serial, weightG, fineness, vault }: ListedBar) => ({
  refiner,
  serial,
  weight_g: weightG,
  fineness,
  vault,
});

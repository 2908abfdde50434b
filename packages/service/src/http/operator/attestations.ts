import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { amountOf } from '../../actions/trades/quote-trade.js';
import { attestGold } from '../../actions/treasury/attest-gold.js';
import type { Context } from '../../context.js';
import { weighHeldBars } from '../../db/bars/held-bars.js';
import { momentOf } from '../../domain/timestamp.js';
import { about } from '../../views/fields.js';
import { closed, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { completeOnce } from '../server/idempotency.js';
import { readMoment } from '../server/times.js';
import { operationField as field } from './operation-fields.js';
import { confirmWithinMs } from './operations.js';
import { administer } from './shapes.js';

const own = {
  amount: about('Gold in the report, troy ounces: so much GOLD may exist, less what is burned later.', 1_000),
  burnedAt: about(
    'GOLD that the program had burned in all when the metal was counted: `backing.burned` of `GET /treasury` at that time.',
    12.5,
  ),
  asOf: about('When the metal was counted; default: now.', '2026-03-01T12:00:00.000Z'),
  reportHash: about('SHA-256 of the report, hexadecimal.', 'c7'.repeat(32)),
  confirm: about(
    'The amount once more. Required if it differs by more than 10 % from what the last attestation leaves, or from the bars in the vaults.',
    1_000,
  ),
};

const View = titled('PreparedAttestation', {
  transaction: Type.String(field.transaction),
  signers: Type.Array(Type.String(), field.signers),
  expires_at: Type.String(field.transactionExpiresAt),
  as_of: Type.String(own.asOf),
});

const schema = {
  operationId: 'prepareAttestation',
  summary: 'Prepare an attestation of the gold',
  description:
    'Returns a transaction for the attestor to sign, who also pays for it, and whose key is never in the service: 202. An amount that is doubted is refused with the `field` `confirm` and the figures, until `confirm` repeats it. `karat reserve attest` does the same without the service.',
  errors: codes('forbidden', 'broadcast_failed'),
  body: closed({
    amount: Type.Number({ ...own.amount, minimum: 0 }),
    burned_at: Type.Number({ ...own.burnedAt, minimum: 0 }),
    as_of: Type.Optional(Type.String(own.asOf)),
    report_hash: Type.String({ ...own.reportHash, pattern: '^[0-9a-f]{64}$' }),
    confirm: Type.Optional(Type.Number({ ...own.confirm, minimum: 0 })),
  }),
  bodyExample: { amount: 150_000, burned_at: 0, report_hash: 'c7'.repeat(32), confirm: 150_000 },
  response: { 202: View },
};

/** Route of what the attestor signs. */
export function attestationRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Operation');
    app.post(
      '/treasury/attestation',
      { config: administer, handlerTimeout: confirmWithinMs, schema },
      async ({ body }, reply) => {
        const asOf = readMoment('as_of', body.as_of);
        const bars = await weighHeldBars(ctx.db);
        const { transaction, ...made } = await attestGold(ctx.chain, undefined, {
          amount: amountOf(body.amount, 'amount'),
          burnedAtAsOf: amountOf(body.burned_at, 'burned_at'),
          asOf: asOf && BigInt(Math.floor(asOf.getTime() / 1_000)),
          reportHash: Buffer.from(body.report_hash, 'hex'),
          confirmed: body.confirm === undefined ? undefined : amountOf(body.confirm, 'confirm'),
          bars: bars.gold,
        });
        const view = {
          transaction: Buffer.from(transaction.transaction).toString('base64'),
          signers: transaction.missing,
          expires_at: new Date(transaction.expiresAtMs).toISOString(),
          as_of: momentOf(made.asOf).toISOString(),
        };
        return ctx.db.transaction((tx) => completeOnce(tx, reply, 202, view));
      },
    );
  };
}

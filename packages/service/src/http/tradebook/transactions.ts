import { setMaxListeners } from 'node:events';
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import {
  type SubmittedText,
  type SubmittedTransaction,
  submitTransaction,
} from '../../actions/orders/submit-transaction.js';
import type { Context } from '../../context.js';
import { counted } from '../../metrics/counted.js';
import { reasonNames } from '../../reasons.js';
import { orderField as field } from '../../views/order-fields.js';
import { choice, reference, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { clientNetwork } from '../server/client-network.js';
import { docsUrlFor, toAppError } from '../server/errors.js';
import { takeFromBudget } from '../server/network-budgets.js';
import { logOf } from '../server/request-log.js';
import { route } from '../server/route.js';
import { DataEnvelope, Envelope, failureOf, success } from './envelope.js';

const config = { auth: 'none', limit: 'submit' } as const;

const maxBatch = 20;

/** Written digit by digit: a `bigint` of any size is exact. */
const BaseUnits = Type.Unsafe<bigint>({ type: 'integer' });

const TokenBalanceChange = Type.Unsafe<Record<string, { gold: bigint; usdc: bigint }>>({
  ...field.tokenBalanceChange,
  type: 'object',
  additionalProperties: Type.Object({ gold: BaseUnits, usdc: BaseUnits }),
});

const submittedParts = {
  status: choice(['confirmed', 'pending'], field.submitStatus),
  transaction: Type.Object({
    transactionId: Type.String(field.transactionId),
    signature: Type.String({ ...field.signature, description: 'Base58 signature of the transaction.' }),
    tokenBalanceChange: TokenBalanceChange,
  }),
};
const Submitted = titled('SubmittedTransaction', submittedParts);
const Pending = titled('PendingTransaction', {
  ...submittedParts,
  status: Type.Literal('pending', { ...field.submitStatus, examples: ['pending'] }),
  transaction: Type.Object({
    ...submittedParts.transaction.properties,
    tokenBalanceChange: Type.Unsafe<Record<string, { gold: bigint; usdc: bigint }>>({
      ...field.tokenBalanceChange,
      type: 'object',
      additionalProperties: false,
      examples: [{}],
    }),
  }),
});

const meaning =
  'Only transactions of orders are sent: signed by one wallet, with one call of the program that executes an order, and otherwise only compute budget instructions, memos, Lighthouse guards, and for a withdrawal the creation of its token account. Submitting the same bytes again returns the same response; the chain executes an order only once, even if other transactions of it are sent. For a suspended partner, only a change of executives is sent.';

const submitRoute = route(config, {
  operationId: 'submitTransaction',
  summary: 'Submit a signed transaction',
  description: `Sends the transaction to the chain and waits up to 30 seconds until it is confirmed. ${meaning}`,
  errors: codes('transaction_not_supported', 'broadcast_failed', 'partner_suspended', 'wallet_not_allowed'),
  body: Type.Object({ signedTransaction: reference(field.signedTransaction) }),
  response: { 200: Envelope(Submitted), 202: Envelope(Pending) },
});

const batchRoute = route(config, {
  operationId: 'submitTransactions',
  summary: 'Submit up to 20 signed transactions',
  description: `Handles each transaction as if it was sent alone, all at once and in no particular order; one that fails does not stop the others. Counts as one request for each transaction. ${meaning}`,
  body: Type.Object({
    signedTransactions: Type.Array(reference(field.signedTransaction), { minItems: 1, maxItems: maxBatch }),
  }),
  response: {
    200: DataEnvelope({
      results: Type.Array(
        Type.Object({
          status: Type.Optional(submittedParts.status),
          transaction: Type.Optional(submittedParts.transaction),
          error: Type.Optional(
            Type.Object(
              {
                code: Type.String(),
                message: Type.String(),
                field: Type.Optional(Type.String()),
                reason: Type.Optional(choice(reasonNames)),
                docUrl: Type.Optional(Type.String()),
                programErrorName: Type.Optional(Type.String()),
              },
              {
                description: 'Present instead of the other two fields if this transaction failed.',
                examples: [{ code: 'broadcast_failed', message: 'Blockhash not found' }],
              },
            ),
          ),
        }),
        { description: 'In the order of the request.' },
      ),
    }),
  },
});

/** Longer than the longest wait by what sending and reading may take. */
const handlerTimeout = 45_000;

/** Submission of signed transactions, which needs no key. */
export function transactionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const countedSubmit = (...what: [submitted: SubmittedText, signal: AbortSignal, field?: string]) =>
    counted(ctx.metrics.submits, 'order', submitTransaction(ctx, ...what), ({ status }) =>
      status === 'confirmed' ? 'ok' : 'pending',
    );
  return async (app) => {
    tagRoutes(app, 'Transactions');
    const patience = new Patience(() => ctx.config.submitWaitSeconds * 1_000);
    // Waiting callers get a response at once: the transaction goes on without us.
    app.addHook('preClose', async () => patience.end());

    app.post('/api/transactions/submit', { ...submitRoute, handlerTimeout }, async (request, reply) => {
      const { signedTransaction } = request.body;
      const network = clientNetwork(request.ip);
      const submitted = await patience.during(reply, (signal) =>
        countedSubmit({ signedTransaction, network }, signal),
      );
      logOf(request).note({ order_id: submitted.transactionId });
      const view = success(toSubmittedView(submitted));
      return submitted.status === 'confirmed'
        ? reply.code(200).send(view)
        : reply.code(202).send({ ...view, data: { ...view.data, status: 'pending' as const } });
    });

    app.post('/api/transactions/submit-batch', { ...batchRoute, handlerTimeout }, async (request, reply) => {
      const { signedTransactions } = request.body;
      const network = clientNetwork(request.ip);
      if (signedTransactions.length > 1) {
        await takeFromBudget(reply, 'submit', signedTransactions.length - 1);
      }
      const one = (signal: AbortSignal) => (signedTransaction: string, index: number) =>
        countedSubmit({ signedTransaction, network }, signal, `signedTransactions.${index}`)
          .then(toSubmittedView)
          .catch((thrown: unknown) => toFailure(reply, thrown));
      const results = await patience.during(reply, (signal) =>
        Promise.all(signedTransactions.map(one(signal))),
      );
      return success({ results });
    });
  };
}

/** How long requests wait: until their time is over, their client is gone or the application closes. */
class Patience {
  readonly #ms: () => number;
  readonly #waiting = new Set<AbortController>();

  constructor(ms: () => number) {
    this.#ms = ms;
  }

  end(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  async during<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    // Each of a batch listens.
    setMaxListeners(maxBatch, waiting.signal);
    const stop = () => waiting.abort();
    const timer = setTimeout(stop, this.#ms());
    reply.raw.once('close', stop);
    this.#waiting.add(waiting);
    try {
      return await work(waiting.signal);
    } finally {
      clearTimeout(timer);
      reply.raw.off('close', stop);
      this.#waiting.delete(waiting);
    }
  }
}

function toSubmittedView({ status, transactionId, signature, tokenBalanceChange }: SubmittedTransaction) {
  return {
    status,
    transaction: { transactionId, signature, tokenBalanceChange: Object.fromEntries(tokenBalanceChange) },
  };
}

/** Returns the error of one of a batch. The detail of an unforeseen one stays in the log, as in a response of its own. */
function toFailure(reply: FastifyReply, thrown: unknown) {
  const error = toAppError(thrown);
  if (error.status >= 500) reply.log.warn({ err: thrown, code: error.code }, error.message);
  return { error: failureOf(error, docsUrlFor(reply.request)) };
}

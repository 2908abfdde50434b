import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import {
  type InspectedTransaction,
  inspectTransaction,
  transactionKinds,
} from '../../actions/trades/inspect-transaction.js';
import type { Context } from '../../context.js';
import { decimalNumber, formatDecimal, tokenDecimals } from '../../domain/money.js';
import { reasonNames } from '../../reasons.js';
import { about, field } from '../../views/fields.js';
import { choice, freeObject, Nullable, reference, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { trading } from './settings.js';

/** 0.1 SOL from the partner wallet of the examples to the user's, not signed. */
const unsignedTransfer =
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAEDb8Zx6FCKjtPE7lpKlhm8brVqBY3tJoE80Fq2f9awbJo0vNn0z9F3NmTcjh1I6p+h1DHg5/QnNZ7l2D88OqTATgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcBAgIAAQwCAAAAAOH1BQAAAAA=';
const wallet = field.userWallet.examples[0] ?? '';

const SignerView = titled('InspectedSigner', {
  address: Type.String(about('Public key of the signer.', wallet)),
  role: Type.String(
    about(
      'What it is to the transaction: `service`, `partner`, `user`, `executive`, `withdrawal_authority` or `update_authority`, else `fee_payer` or `signer`.',
      'user',
    ),
  ),
  signed: Type.Boolean(about('Whether it has validly signed these very bytes.', false)),
});

const InstructionView = titled('InspectedInstruction', {
  program: Type.String(
    about(
      '`karat`, `spl_token`, `token_2022`, `associated_token`, `system`, `compute_budget` or `memo`; the address of any other program.',
      'spl_token',
    ),
  ),
  name: Nullable(
    Type.String(),
    about('Name of the instruction; null if it cannot be decoded.', 'transfer_checked'),
  ),
  fields: freeObject(
    about(
      'Its accounts and arguments by name, with `token_name`, GOLD or USDC, where it is about one of them; amounts are numbers of tokens or of SOL. What cannot be decoded has `accounts` and `data`, in base64.',
      { amount: 100, decimals: 6, source: wallet },
    ),
  ),
});

const ProblemView = titled('InspectedProblem', {
  reason: choice(reasonNames, about('Why submit or the chain would refuse it.', 'signature_missing')),
  message: Type.String(
    about('What is wrong, for people.', `The signature of the user (${wallet}) is missing.`),
  ),
});

const ChangeView = titled('InspectedChange', {
  owner: Type.String(about('Owner of the tokens, or the wallet of the SOL.', wallet)),
  token: choice(['GOLD', 'USDC', 'SOL'], about('What changes.', 'USDC')),
  amount: Type.Number(about('By how much, in tokens or SOL; negative for a decrease.', -100)),
});

const inspectRoute = route(trading, {
  operationId: 'inspectTransaction',
  summary: 'Explain a transaction',
  description:
    'Says what a transaction does before it is signed or sent: any transaction, legacy or version 0, with or without signatures. `problems` are what submit or the chain would refuse it for, by the same reasons; `simulation` is what a node makes of it now. Nothing is signed, sent or stored.',
  body: Type.Object({
    transaction: reference({
      ...field.transaction,
      description: 'Base64 of the transaction, as your library serializes it.',
    }),
  }),
  bodyExample: { transaction: unsignedTransfer },
  response: {
    200: Type.Object({
      kind: Nullable(
        choice(transactionKinds),
        about('What it is for; null for any transaction not of Karat.', 'buy'),
      ),
      id: Nullable(
        Type.String(),
        about('Id of the trade, redemption or order; null if it has none.', field.tradeId.examples[0]),
      ),
      summary: Type.String(
        about('What it does, in a sentence.', `Buys at least 0.024145 GOLD for 100 USDC of ${wallet}.`),
      ),
      signers: Type.Array(SignerView, { description: 'In the order of the signatures.' }),
      fee_payer: Type.String(about('Pays the fee of the network.', wallet)),
      expires_at: Nullable(
        Type.String(),
        about('When it can no longer land; null if that is not known.', field.quoteExpiresAt.examples[0]),
      ),
      instructions: Type.Array(InstructionView),
      problems: Type.Array(ProblemView, { description: 'Empty if nothing is wrong.' }),
      simulation: titled('InspectedSimulation', {
        ok: Type.Boolean(about('Whether it would succeed now.', true)),
        reason: Type.Optional(choice(reasonNames, about('Why it would fail.', 'slippage_exceeded'))),
        changes: Type.Array(ChangeView, { description: 'What it would move; empty if it would fail.' }),
      }),
    }),
  },
});

/** Explanations of transactions, for those who are to sign them. */
export function transactionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Transactions');
    app.post('/v1/transactions/inspect', inspectRoute, async ({ principal, body }) =>
      toView(await inspectTransaction(ctx, principal, body.transaction)),
    );
  };
}

const solDecimals = 9;

function toView({ feePayer, expiresAtMs, simulation, ...rest }: InspectedTransaction) {
  const { ok, reason, changes } = simulation;
  return {
    ...rest,
    fee_payer: feePayer,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    simulation: {
      ok,
      ...(reason && { reason }),
      changes: changes.map(({ owner, token, change }) => ({
        owner,
        token,
        amount: decimalNumber(formatDecimal(change, token === 'SOL' ? solDecimals : tokenDecimals)),
      })),
    },
  };
}

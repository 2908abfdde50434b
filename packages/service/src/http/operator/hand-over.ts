import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { inChange } from '../../actions/change.js';
import type { IssuedPickup } from '../../actions/redemptions/pickup-code.js';
import { planCollection } from '../../actions/redemptions/plan-collection.js';
import { planReissue } from '../../actions/redemptions/plan-reissue.js';
import { type Receipt, readReceipt } from '../../actions/redemptions/read-receipt.js';
import { type Identity, revealIdentity } from '../../actions/redemptions/reveal-identity.js';
import type { Context } from '../../context.js';
import { decimalNumber, formatFixed, tokenDecimals } from '../../domain/money.js';
import { isCodeText, pickupDigits, pickupTries, reissuesByOne } from '../../domain/pickup-code.js';
import { weightTroyOz } from '../../domain/redemption.js';
import { countInWords } from '../../domain/words.js';
import { invalidField } from '../../errors.js';
import { FiguresView, RedemptionStatusName, toFiguresView } from '../../views/redemption-view.js';
import { closed, closedOrAbsent, freeObject, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { advanceOnce } from './advance-once.js';
import { changedBy } from './auth.js';
import { BarView, toBarView } from './bars.js';
import { ApprovalWaitingView, changeOnce } from './operations.js';
import { recordField as field } from './record-fields.js';
import {
  CustomerView,
  MovedView,
  moving,
  Note,
  namedBar,
  readNamedBar,
  toMovedView,
} from './redemption-parts.js';
import { fulfil, Reason } from './shapes.js';

const { params } = moving;

const collectRoute = route(fulfil, {
  ...moving,
  operationId: 'collectRedemption',
  summary: 'Report the gold as handed over',
  description: `From \`ready\` to \`collected\`, which completes it; the reserved bar becomes \`handed_over\`. Takes the ${countInWords(pickupDigits)} digits that the customer shows, as \`pickup_code\`: after ${countInWords(pickupTries)} wrong ones the code is locked until another is issued, and each wrong one is in the audit log. Without a code takes \`without_code\` with a reason, which needs a second operator while \`KARAT_APPROVALS=2\`: 202 with an \`approval_id\`. While the program does not hold the tokens of the redemption as recorded, the response is 409; once they are burned, only \`without_code\` is accepted. 503 while the Solana nodes contradict each other about the tokens. Needs a bar of this denomination in this city, before the code is looked at: the reserved one, or in its place the one that \`bar_serial\` names.`,
  errors: codes(
    'redemption_not_found',
    'transition_not_allowed',
    'bar_required',
    'pickup_code_wrong',
    'pickup_code_locked',
    'bar_not_available',
  ),
  body: closed({
    pickup_code: Type.Optional(
      Type.String({ ...field.pickupCode, minLength: pickupDigits, maxLength: pickupDigits }),
    ),
    without_code: Type.Optional(closed({ reason: Reason })),
    ...namedBar,
    note: Type.Optional(Note),
  }),
  bodyExample: { pickup_code: field.pickupCode.examples[0], note: field.note.examples[0] },
  response: { 200: MovedView, 202: ApprovalWaitingView },
});

export const IssuedCodeView = titled('IssuedPickupCode', {
  redemption_id: Type.String(field.redemptionId),
  code_issued_at: Type.String(field.codeIssuedAt),
});

const reissueRoute = route(fulfil, {
  operationId: 'reissuePickupCode',
  summary: 'Issue another pickup code',
  description: `For a redemption that is \`ready\`: the code before is void, and ${countInWords(pickupTries)} more may be tried. The partner reads the new one in its record; it is shown nowhere here. After ${countInWords(reissuesByOne)} for a redemption, each one needs a second operator while \`KARAT_APPROVALS=2\`: 202 with an \`approval_id\`.`,
  errors: codes('redemption_not_found', 'transition_not_allowed'),
  params,
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: IssuedCodeView, 202: ApprovalWaitingView },
});

/** Not idempotent: the response is never stored. */
const revealing = { auth: 'operator', permission: 'read_kyc' } as const;

const IdentityView = titled('Identity', {
  id_type: Nullable(Type.String(), field.idType),
  id_number: Nullable(Type.String(), field.idNumber),
  kyc_data: Nullable(
    freeObject({ examples: [{ id_type: 'cnic', id_number: '42101-1234567-1' }] }),
    field.kycData,
  ),
});

const revealRoute = route(revealing, {
  operationId: 'revealIdentity',
  summary: 'Read the identity of the customer',
  description:
    'Each response writes a `redemption.reveal_identity` entry with the reason to the audit log, and nothing of what was seen. Takes no `Idempotency-Key`, because KYC data is not stored again.',
  errors: codes('redemption_not_found'),
  params,
  body: closed({ reason: Reason }),
  response: { 200: IdentityView },
});

const IssuerView = titled('Issuer', {
  name: Type.String(field.issuerName),
  address: Type.String(field.issuerAddress),
  registration_number: Type.String(field.issuerNumber),
});

const receiptRoute = route(
  { auth: 'operator', permission: 'fulfil' },
  {
    operationId: 'getReceipt',
    summary: 'Get the receipt of a hand-over',
    description:
      'Everything that stands on the receipt of a redemption that is `ready` or `collected`: the issuer (`KARAT_RECEIPT_ISSUER`), the parties, the bar, the weights, the value and the fee, the times and the transaction.',
    errors: codes('redemption_not_found', 'transition_not_allowed'),
    params,
    response: {
      200: titled('Receipt', {
        redemption_id: Type.String(field.redemptionId),
        status: RedemptionStatusName,
        issuer: Nullable(IssuerView, field.receiptIssuer),
        partner_id: Type.String(field.partnerId),
        partner_name: Type.String(field.receiptPartner),
        customer: Nullable(CustomerView, field.customer),
        wallet_address: Type.String(field.userWallet),
        city: Type.String(field.city),
        denomination: Type.String(field.denomination),
        weight_g: Type.Number(field.weightG),
        weight_troy_oz: Type.Number(field.weightTroyOz),
        bar: Nullable(BarView, field.bar),
        tokens: Type.String(field.tokensRequired),
        quote: FiguresView,
        tx_hash: Nullable(Type.String(), field.txHash),
        quoted_at: Type.String(field.createdAt),
        paid_at: Nullable(Type.String(), field.receiptAt),
        prepared_at: Nullable(Type.String(), field.receiptAt),
        ready_at: Nullable(Type.String(), field.receiptAt),
        collected_at: Nullable(Type.String(), { ...field.receiptAt, examples: [null] }),
        handed_over_by: Nullable(Type.String(), field.handedOverBy),
        issued_at: Type.String(field.receiptIssuedAt),
      }),
    },
  },
);

/** The counter of a vault: who comes, with which code, and what is handed over. */
export function handOverRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Redemptions');
    const path = (last: string) => `/redemptions/:redemption_id/${last}`;

    app.post(path('collect'), collectRoute, async (request, reply) => {
      const { redemption_id: redemptionId } = request.params;
      const { pickup_code: code, without_code: withoutCode, note } = request.body;
      const bar = readNamedBar(request.body);
      if (code !== undefined && withoutCode) {
        throw invalidField('without_code', 'Send either pickup_code or without_code.');
      }
      if (withoutCode) {
        const { reason } = withoutCode;
        const plan = await planCollection(ctx, { redemptionId, reason, note, bar });
        return changeOnce(ctx, reply, plan, ({ redemption }) => toMovedView(redemption));
      }
      if (code === undefined) throw invalidField('pickup_code', 'pickup_code is required.');
      if (!isCodeText(code)) {
        throw invalidField('pickup_code', `pickup_code must be ${countInWords(pickupDigits)} digits.`);
      }
      return advanceOnce(ctx, reply, { move: 'collect', redemptionId, code, note, bar });
    });

    app.post(path('reissue-code'), reissueRoute, async (request, reply) => {
      const { params, body } = request;
      const plan = await planReissue(ctx, { redemptionId: params.redemption_id, reason: body?.reason });
      return changeOnce(ctx, reply, plan, ({ pickup }) => toIssuedCodeView(pickup));
    });

    app.post(path('reveal-identity'), revealRoute, async (request) => {
      const input = { redemptionId: request.params.redemption_id, reason: request.body.reason };
      return toIdentityView(
        await inChange(ctx, changedBy(request), (change) => revealIdentity(ctx, change, input)),
      );
    });

    app.get(path('receipt'), receiptRoute, async ({ params }) =>
      toReceiptView(ctx, await readReceipt(ctx, params.redemption_id)),
    );
  };
}

export const toIssuedCodeView = ({ id, issuedAt }: IssuedPickup) => ({
  redemption_id: id,
  code_issued_at: issuedAt.toISOString(),
});

const identityView = viewOf(IdentityView);
const toIdentityView = (identity: Identity) => identityView(identity);
const customerView = viewOf(CustomerView);
const issuerView = viewOf(IssuerView);

function toReceiptView(
  { config }: Pick<Context, 'config'>,
  { redemption, partner, customer, bar, step, at }: Receipt,
) {
  const timeOf = (status: Parameters<Receipt['step']>[0]) => step(status)?.at.toISOString() ?? null;
  return {
    redemption_id: redemption.id,
    status: redemption.status,
    issuer: config.receiptIssuer ? issuerView(config.receiptIssuer) : null,
    partner_id: redemption.partnerId,
    partner_name: partner?.name ?? '',
    customer: customer && customerView(customer),
    wallet_address: redemption.userWallet,
    city: redemption.city,
    denomination: redemption.denomination,
    weight_g: decimalNumber(redemption.weightG),
    weight_troy_oz: viewOfOunces(redemption.weightG),
    bar: bar ? toBarView(bar) : null,
    tokens: formatFixed(redemption.tokensRequired, tokenDecimals),
    quote: toFiguresView(redemption),
    tx_hash: redemption.txSignature,
    quoted_at: redemption.createdAt.toISOString(),
    paid_at: timeOf('submitted'),
    prepared_at: timeOf('preparing'),
    ready_at: timeOf('ready'),
    collected_at: timeOf('collected'),
    handed_over_by: step('collected')?.actorName ?? null,
    issued_at: at.toISOString(),
  };
}

const viewOfOunces = (weightG: string) => decimalNumber(formatFixed(weightTroyOz(weightG), tokenDecimals));

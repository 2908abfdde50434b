import { Type } from '@fastify/type-provider-typebox';
import type { NamedBar } from '../../actions/bars/bar-of-redemption.js';
import type { Redemption } from '../../db/redemptions/redemptions.js';
import type { VisibleRedemptionStatus } from '../../domain/redemption.js';
import { RedemptionStatusName } from '../../views/redemption-view.js';
import { Nullable, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes } from '../openapi/conventions.js';
import { barField } from './bar-fields.js';
import { recordField as field } from './record-fields.js';

/** What the routes of redemptions and of the hand-over share. */

export const MovedView = titled('MovedRedemption', {
  redemption_id: Type.String(field.redemptionId),
  status: RedemptionStatusName,
  updated_at: Type.String(field.updatedAt),
});

export const Note = Type.String({ ...field.note, maxLength: 1_000 });

export const moving = {
  errors: codes('redemption_not_found', 'transition_not_allowed'),
  params: Type.Object({ redemption_id: Type.String(field.redemptionId) }),
  response: { 200: MovedView },
};

/** The bar that a move takes. */
export const namedBar = {
  bar_serial: Type.Optional(
    reference({
      ...barField.serial,
      examples: ['PKTOLA1-001'],
      description:
        'Serial of the bar. Upper and lower case, variants of dashes and spacing make no difference.',
    }),
  ),
  bar_refiner: Type.Optional(
    reference({
      ...barField.refiner,
      description: 'Refiner of the bar; needed when bars of several refiners have the serial.',
    }),
  ),
};

export function readNamedBar(
  body: { bar_serial?: string; bar_refiner?: string } | null,
): NamedBar | undefined {
  const { bar_serial: serial, bar_refiner: refiner } = body ?? {};
  return serial === undefined ? undefined : { serial, refiner };
}

export const CustomerView = titled('Customer', {
  user_id: Type.String(field.userId),
  full_name: Nullable(Type.String(), field.fullName),
  country: Nullable(Type.String(), field.country),
  id_type: Nullable(Type.String(), field.idType),
  id_number_masked: Nullable(Type.String(), field.idNumberMasked),
});

const movedView = viewOf(MovedView);

export function toMovedView({ id, status, updatedAt }: Redemption) {
  return movedView({ redemptionId: id, status: status as VisibleRedemptionStatus, updatedAt });
}

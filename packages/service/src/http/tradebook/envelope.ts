import { type TProperties, type TSchema, Type } from '@fastify/type-provider-typebox';
import type { AppError } from '../../errors.js';
import type { Reason } from '../../reasons.js';
import { about } from '../../views/fields.js';
import { alwaysTrue } from '../../views/schemas.js';
import { docUrlOf } from '../server/errors.js';

/** The shape of every success of the tradebook API around its data, named after them. */
export const Envelope = <Data extends TSchema>(data: Data) =>
  Type.Object(
    { success: alwaysTrue(about('Always true; an error has false.', true)), data },
    'title' in data ? { title: `${data.title}Response` } : {},
  );

/** The same around data without a title. */
export const DataEnvelope = <Properties extends TProperties>(properties: Properties) =>
  Envelope(Type.Object(properties));

/** Returns a response of the tradebook API that carries `data`. */
export function success<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data };
}

export function toFailureView(error: AppError, docsUrl: string | undefined) {
  return { success: false, error: failureOf(error, docsUrl) };
}

/** An error as the envelope holds it. */
export interface Failure {
  code: string;
  message: string;
  field?: string;
  reason?: Reason;
  docUrl?: string;
  programErrorName?: string;
}

/** Returns an error as the envelope holds it. */
export function failureOf(error: AppError, docsUrl: string | undefined): Failure {
  const { code, message, field, reason, programErrorName } = error;
  return {
    code,
    message,
    ...(field === undefined ? {} : { field }),
    ...(reason && { reason }),
    ...(docsUrl !== undefined && { docUrl: docUrlOf(error, docsUrl) }),
    ...(programErrorName && { programErrorName }),
  };
}

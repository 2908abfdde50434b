import { type TProperties, type TSchema, Type } from '@fastify/type-provider-typebox';
import type { AppError } from '../../errors.js';

/** The shape of every success of the tradebook API around its data, named after them. */
export const Envelope = <Data extends TSchema>(data: Data) =>
  Type.Object(
    { success: Type.Literal(true), data },
    'title' in data ? { title: `${data.title}Response` } : {},
  );

/** The same around data without a title. */
export const DataEnvelope = <Properties extends TProperties>(properties: Properties) =>
  Envelope(Type.Object(properties));

/** Returns a response of the tradebook API that carries `data`. */
export function success<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data };
}

export function toFailureView({ code, message, field }: AppError): Record<string, unknown> {
  return { success: false, error: { code, message, ...(field === undefined ? {} : { field }) } };
}

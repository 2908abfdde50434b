import type { Static, TObject, TProperties } from '@fastify/type-provider-typebox';
import { toInteger } from '../domain/integer.js';
import { amountNumber } from '../domain/money.js';

/** `created_at` of a view is `createdAt` of a record. */
type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail> & string>}`
  : Name;

/** What a record may hold for a field: amounts in base units and moments are converted. */
type Stored<Value> = Value extends number ? Value | bigint : string extends Value ? Value | Date : Value;

/** What stands for a field that need not be there. */
type Missing<View, Name extends keyof View> =
  Record<string, never> extends Pick<View, Name> ? undefined : never;

/** A record has to name every field, also one that may be undefined: else a misspelt name would drop it unseen. */
type RecordOf<View> = {
  [Name in keyof Required<View> as CamelCase<Name>]: Stored<View[Name & keyof View]> | Missing<View, Name>;
};

/**
 * Returns what turns records into views of a schema: of each field that the schema names, and of no other, the value of the
 * same name in camelCase. Moments become ISO 8601 texts. A `bigint` of an integer field is a count; of any other number it
 * is an amount in base units.
 */
export function viewOf<Shape extends TProperties>({ properties }: TObject<Shape>) {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    stored: name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
    isCount: isInteger(schema),
  }));
  return (record: RecordOf<Static<TObject<Shape>>>): Static<TObject<Shape>> => {
    const values = record as Record<string, unknown>;
    const view: Record<string, unknown> = {};
    for (const { name, stored, isCount } of fields) {
      const value = values[stored];
      if (value !== undefined) view[name] = toJson(value, isCount);
    }
    return view as Static<TObject<Shape>>;
  };
}

function isInteger(schema: { type?: unknown; anyOf?: { type?: unknown }[] }): boolean {
  return schema.type === 'integer' || schema.anyOf?.some(isInteger) === true;
}

function toJson(value: unknown, isCount: boolean): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'bigint') return value;
  return isCount ? toInteger(value) : amountNumber(value);
}

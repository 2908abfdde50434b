import { Ajv2020 } from 'ajv/dist/2020.js';

/** A validator of what schemas of the published documents describe, the formats of numbers included. */
export const documentValidator = () =>
  new Ajv2020({
    strict: false,
    allErrors: true,
    formats: {
      double: { type: 'number', validate: (value: number) => Number.isFinite(value) },
      int64: { type: 'number', validate: (value: number) => Number.isInteger(value) },
    },
  });

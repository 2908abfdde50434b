import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * A validator of what schemas of the published documents describe, the formats of numbers included. `checksSchemas`: whether
 * it holds schemas to the schema of schemas as well, which it has to compile first; default: it does.
 */
export const documentValidator = ({ checksSchemas = true } = {}) =>
  new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: checksSchemas,
    formats: {
      double: { type: 'number', validate: (value: number) => Number.isFinite(value) },
      int64: { type: 'number', validate: (value: number) => Number.isInteger(value) },
    },
  });

import { describe, expect, test } from 'vitest';
import { checkJson } from '../../src/domain/free-json.js';

/** As a body brings it. */
const check = (json: string) => checkJson(JSON.parse(json), 'metadata', 4_096);
const refusal = (field: string, message: string) =>
  expect.objectContaining({ code: 'invalid_request', field, message: expect.stringContaining(message) });

describe('free-form JSON', () => {
  test.each([
    ['{"po":12345678901234567890}', 'metadata.po'],
    ['{"po":-9007199254740992}', 'metadata.po'],
    ['{"a":[{"b":[1,9007199254740993]}]}', 'metadata.a.0.b.1'],
    ['{"a":1e300}', 'metadata.a'],
    ['{"a":1e309}', 'metadata.a'],
  ])('free-form JSON is refused with a number that was rounded when it was read: %s', (json, field) => {
    expect(() => check(json)).toThrow(refusal(field, `${field} is too large a number`));
  });

  test.each([
    '{"a":9007199254740991,"b":-9007199254740991}',
    '{"a":0.1,"b":-1.5e-7,"c":1234567.891}',
    '{"po":"12345678901234567890"}',
    '{"a":[null,true,{"b":""}]}',
  ])('free-form JSON is taken as it is: %s', (json) => {
    expect(() => check(json)).not.toThrow();
  });

  test('free-form JSON is refused when it is larger than allowed', () => {
    expect(() => check(`{"a":"${'x'.repeat(4_096)}"}`)).toThrow(
      refusal('metadata', 'larger than 4096 bytes'),
    );
  });
});

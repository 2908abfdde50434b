import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asId, asUuid, newId, newUuid, uuidBytes, uuidFromBytes } from '../../src/domain/ids.js';

const uuid = '0192b3c4-5d6e-7f80-9a1b-2c3d4e5f6071';

describe('identifiers', () => {
  test('identifiers are a prefix and a UUIDv7, and sort by the time they were made', async () => {
    const first = newId('trd');
    await new Promise((resolve) => setTimeout(resolve, 2));
    const second = newId('trd');
    expect(first).toMatch(/^trd_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first < second).toBe(true);
    expect(asId('trd', first)).toBe(first);
  });

  test.each([
    ['another prefix', `gu_${uuid}`],
    ['no prefix', uuid],
    ['a line after it', `trd_${uuid}\n`],
    ['a short tail', `trd_${uuid.slice(0, -1)}`],
    ['nothing', ''],
  ])('identifiers with %s are invalid', (_, text) => {
    expect(asId('trd', text)).toBeUndefined();
  });
});

test('identifiers in capitals are those in lower case', () => {
  expect(asId('trd', `trd_${uuid.toUpperCase()}`)).toBe(`trd_${uuid}`);
  expect(asId('trd', `TRD_${uuid.toUpperCase()}`)).toBe(`trd_${uuid}`);
});

describe('UUIDs', () => {
  test('UUIDs are compared without case', () => {
    expect(asUuid(uuid.toUpperCase())).toBe(uuid);
    expect(asUuid(`{${uuid}}`)).toBeUndefined();
  });

  test('have 16 bytes, from which they are read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const id = uuidFromBytes(bytes);
        expect(asUuid(id)).toBe(id);
        expect(uuidBytes(id)).toEqual(bytes);
      }),
    );
    expect(uuidBytes(newUuid())).toHaveLength(16);
  });
});

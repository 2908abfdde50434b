import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventIdOf, sequenceOf } from '../../src/domain/event.js';
import { newUuid, type Uuid, uuidFromBytes } from '../../src/domain/ids.js';

const partner = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10' as Uuid;
const sequences = fc.bigInt(1n, 2n ** 48n - 1n);
const partners = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(uuidFromBytes);
/** The bits of a partner's id that are in the ids of its events. */
const kept = (partnerId: Uuid) => partnerId.slice(15);

describe('ids of events', () => {
  test('are UUIDs of version 8 with the number and the end of the id of the partner', () => {
    expect(eventIdOf(partner, 42n)).toBe('evt_00000000-002a-8c3e-9d61-4b8f2a7e5c10');
    expect(eventIdOf(partner, 2n ** 48n - 1n)).toBe('evt_ffffffff-ffff-8c3e-9d61-4b8f2a7e5c10');
    expect(eventIdOf(newUuid(), 1n)).toMatch(
      /^evt_00000000-0001-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test('give back the number for their partner, and for no other', () => {
    fc.assert(
      fc.property(partners, partners, sequences, (own, other, sequence) => {
        fc.pre(kept(own) !== kept(other));
        const id = eventIdOf(own, sequence);
        expect(sequenceOf(own, id)).toBe(sequence);
        expect(sequenceOf(other, id)).toBeUndefined();
      }),
    );
  });

  test('of a partner sort by number', () => {
    fc.assert(
      fc.property(sequences, sequences, (one, other) => {
        expect(eventIdOf(partner, one) < eventIdOf(partner, other)).toBe(one < other);
      }),
    );
  });

  test.each([0n, -1n, 2n ** 48n])('have no room for the number %d', (sequence) => {
    expect(() => eventIdOf(partner, sequence)).toThrow(RangeError);
  });

  test.each([
    ['the number 0', 'evt_00000000-0000-8c3e-9d61-4b8f2a7e5c10'],
    ['another version', 'evt_00000000-002a-7c3e-9d61-4b8f2a7e5c10'],
    ['one other bit at the end', 'evt_00000000-002a-8c3e-9d61-4b8f2a7e5c11'],
    ['one other bit behind the version', 'evt_00000000-002a-8d3e-9d61-4b8f2a7e5c10'],
    ['another prefix', 'trd_00000000-002a-8c3e-9d61-4b8f2a7e5c10'],
    ['no prefix', '00000000-002a-8c3e-9d61-4b8f2a7e5c10'],
    ['capitals', 'evt_00000000-002A-8c3e-9d61-4b8f2a7e5c10'],
    ['no hexadecimal number', 'evt_0000000g-002a-8c3e-9d61-4b8f2a7e5c10'],
    ['a line after it', 'evt_00000000-002a-8c3e-9d61-4b8f2a7e5c10\n'],
    ['a number that is too long', 'evt_000000000-002a-8c3e-9d61-4b8f2a7e5c10'],
    ['nothing', ''],
  ])('with %s are none', (_, text) => {
    expect(sequenceOf(partner, text)).toBeUndefined();
  });
});

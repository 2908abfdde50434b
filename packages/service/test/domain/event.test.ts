import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventIdOf, readEventId } from '../../src/domain/event.js';
import { newUuid, type Uuid, uuidFromBytes } from '../../src/domain/ids.js';

const partner = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10' as Uuid;
const createdAt = new Date('2026-03-01T12:00:00.123Z');
const sequences = fc.bigInt(1n, 2n ** 40n - 1n);
const times = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
const partners = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(uuidFromBytes);

describe('ids of events', () => {
  test('ids of events are UUIDs of version 8 with time, number and the end of the id of the partner', () => {
    expect(eventIdOf(partner, { sequence: 42n, createdAt })).toBe('evt_019ca945-0a7b-8000-8000-002a2a7e5c10');
    expect(eventIdOf(partner, { sequence: 2n ** 40n - 1n, createdAt })).toBe(
      'evt_019ca945-0a7b-8fff-8fff-ffff2a7e5c10',
    );
    expect(eventIdOf(newUuid(), { sequence: 1n, createdAt })).toMatch(
      /^evt_019ca945-0a7b-8000-8000-0001[0-9a-f]{8}$/,
    );
  });

  test('give back number and time for their partner, and nothing for another', () => {
    fc.assert(
      fc.property(partners, partners, sequences, times, (own, other, sequence, at) => {
        fc.pre(own.slice(-8) !== other.slice(-8));
        const place = { sequence, createdAt: at };
        const id = eventIdOf(own, place);
        expect(readEventId(own, id)).toEqual(place);
        expect(readEventId(other, id)).toBeUndefined();
      }),
    );
  });

  test('ids of events of a partner sort by time, and those of one time by number', () => {
    fc.assert(
      fc.property(sequences, sequences, times, times, (one, other, early, late) => {
        const idOf = (sequence: bigint, at: Date) => eventIdOf(partner, { sequence, createdAt: at });
        expect(idOf(one, early) < idOf(other, early)).toBe(one < other);
        fc.pre(early.getTime() !== late.getTime());
        expect(idOf(one, early) < idOf(other, late)).toBe(early < late);
      }),
    );
  });

  test.each([0n, -1n, 2n ** 40n])('have no room for the number %d', (sequence) => {
    expect(() => eventIdOf(partner, { sequence, createdAt })).toThrow(RangeError);
  });

  test.each([
    ['the number 0', 'evt_019ca945-0a7b-8000-8000-00002a7e5c10'],
    ['another version', 'evt_019ca945-0a7b-7000-8000-002a2a7e5c10'],
    ['another variant', 'evt_019ca945-0a7b-8000-9000-002a2a7e5c10'],
    ['one other bit at the end', 'evt_019ca945-0a7b-8000-8000-002a2a7e5c11'],
    ['another prefix', 'trd_019ca945-0a7b-8000-8000-002a2a7e5c10'],
    ['no prefix', '019ca945-0a7b-8000-8000-002a2a7e5c10'],
    ['no hexadecimal number', 'evt_0000000g-002a-8000-8000-002a2a7e5c10'],
    ['a line after it', 'evt_019ca945-0a7b-8000-8000-002a2a7e5c10\n'],
    ['a time that is too long', 'evt_0019ca945-0a7b-8000-8000-002a2a7e5c10'],
    ['nothing', ''],
  ])('ids of events with %s are invalid', (_, text) => {
    expect(readEventId(partner, text)).toBeUndefined();
  });
});

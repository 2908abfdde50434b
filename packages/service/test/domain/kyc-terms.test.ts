import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newUuid } from '../../src/domain/ids.js';
import { blindTerms, nameTerms, numberTerms, termsOf } from '../../src/domain/kyc-terms.js';

describe('a name', () => {
  test.each([
    ['Ayesha  Khan', 'AYESHA khan'],
    ['Khan, Ayesha', 'Ayesha Khan'],
    ['Khān', 'Kha\u0304n'],
    ['Khān', 'khan'],
    ['İbrahim ÖZTÜRK', 'ibrahim ozturk'],
    ['Weiß', 'WEISS'],
    ['Ｋｈａｎ', 'Khan'],
    ['ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς'],
    ['Al-Rashid', 'al rashid'],
    ['Khan Khan', 'Khan'],
  ])('a name %s is found as %s', (stored, searched) => {
    expect(nameTerms(stored).sort()).toEqual(nameTerms(searched).sort());
  });

  test.each([
    ['Khan', 'Kha'],
    ['Khan', 'Khanum'],
    // Signs over letters that have a meaning of their own.
    ['مُحَمَّد', 'محمد'],
    ['किम', 'कम'],
  ])('a name %s is not found as %s', (stored, searched) => {
    expect(nameTerms(stored)).not.toEqual(nameTerms(searched));
  });

  test('a name of neither characters nor digits has no term', () => {
    expect(nameTerms(' - . ')).toEqual([]);
    expect(numberTerms('--/')).toEqual([]);
  });
});

test('a number is found whatever stands between its digits', () => {
  expect(numberTerms('784-1990-1234567-1')).toEqual(numberTerms('784 1990 1234567 1'));
  expect(numberTerms('ab 12/3')).toEqual(numberTerms('AB123'));
  expect(numberTerms('AB123')).not.toEqual(numberTerms('AB1234'));
});

test('a record has a term for each word of its name, and one for its number', () => {
  const record = { fullName: 'Ayesha Khan', kycData: { id_number: 42101, note: 'Karachi' } };
  expect(termsOf(record)).toEqual(['full_name ayesha', 'full_name khan', 'id_number 42101']);
  expect(termsOf({ fullName: 'Ayesha', kycData: null })).toEqual(['full_name ayesha']);
});

test('a stand-in for terms depends on the key and the partner, on what they are, and not on their order', () => {
  const key = createSecretKey(Buffer.alloc(32, 1));
  const partner = newUuid();
  const blind = blindTerms(key, partner, ['full_name ayesha', 'full_name khan']);
  expect(blind).toEqual(blindTerms(key, partner, ['full_name khan', 'full_name ayesha']));
  expect(blind.map((term) => term.length)).toEqual([8, 8]);
  expect(blindTerms(createSecretKey(Buffer.alloc(32, 2)), partner, ['full_name khan'])).not.toEqual(
    blindTerms(key, partner, ['full_name khan']),
  );
  expect(blindTerms(key, newUuid(), ['full_name khan'])).not.toEqual(
    blindTerms(key, partner, ['full_name khan']),
  );
  expect(blindTerms(key, partner, nameTerms('12345'))).not.toEqual(
    blindTerms(key, partner, numberTerms('12345')),
  );
});

import { createHmac, type KeyObject } from 'node:crypto';
import type { Uuid } from './ids.js';
import { type IdDocument, idDocumentOf, type Kyc } from './kyc.js';

/** What somebody searches KYC records for: all of it must match. */
export interface KycSearch {
  /** Words of a name, in any order. */
  fullName?: string | undefined;
  /** A whole number of an identity document. */
  idNumber?: string | undefined;
}

/** Long enough that two terms of one service never have the same, and no use for anything else. */
const indexBytes = 8;

/** Accents over Latin, Greek and Cyrillic letters, which documents often leave out. Those of other scripts are letters. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}*)\p{Mn}/gu;
const notInWords = /[^\p{L}\p{M}\p{N}]+/u;

/** Returns a text without what people write differently: compatibility forms, upper and lower case, accents. */
function folded(text: string): string {
  // Upper case first: `ß` is `SS`, and a final sigma one like the others.
  return text.normalize('NFKD').replace(accents, '').toUpperCase().toLowerCase().normalize('NFKC');
}

const wordsOf = (text: string) => folded(text).split(notInWords).filter(Boolean);

/** Returns the terms of a name: one for each word of it. */
export function nameTerms(fullName: string): string[] {
  return [...new Set(wordsOf(fullName))].map((word) => `full_name ${word}`);
}

/** Returns the term of a number, in which only letters and digits count; none if there are none. */
export function numberTerms(idNumber: string): string[] {
  const number = wordsOf(idNumber).join('');
  return number === '' ? [] : [`id_number ${number}`];
}

/** Returns the terms by which a KYC record is found. */
export function termsOf({ fullName, kycData }: Pick<Kyc, 'fullName' | 'kycData'>): string[] {
  const { idNumber }: Pick<IdDocument, 'idNumber'> = idDocumentOf(kycData);
  return [...nameTerms(fullName), ...(idNumber === null ? [] : numberTerms(idNumber))];
}

/**
 * Returns what stands for terms in the database: HMAC-SHA-256 of each under a key of the partner, cut to 8 bytes. So who
 * can register customers of one partner learns nothing of those of another. Sorted, so that the order of the words in a
 * name is not kept.
 */
export function blindTerms(key: KeyObject, partnerId: Uuid, terms: readonly string[]): Uint8Array[] {
  const keyOfPartner = createHmac('sha256', key).update(partnerId).digest();
  return terms
    .map((term) => createHmac('sha256', keyOfPartner).update(term).digest().subarray(0, indexBytes))
    .sort(Buffer.compare);
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RedemptionId } from './ids.js';

export const pickupDigits = 8;
/** Wrong codes that may be tried until the code is locked and another one has to be issued. */
export const pickupTries = 5;
/** Codes that one person may issue in place of the first one: the others take two, or tries would have no end. */
export const reissuesByOne = 3;

/**
 * A code that was issued, as it is stored: nothing of it can be read without the secret of the service. The code itself is
 * drawn from a random nonce and the secret, so that the partner's customer can be shown it again.
 */
export interface IssuedCode {
  redemptionId: RedemptionId;
  /** 16 random bytes: another code for each issue. */
  nonce: Uint8Array;
  /**
   * HMAC-SHA-256 of the code. Keyed rather than slow: 10^8 codes are tried in seconds by anyone who could read a plain hash, and
   * in days with a slow one, but not at all without the secret, which is not in the database.
   */
  hash: Uint8Array;
}

export function issueCode(secret: string, redemptionId: RedemptionId): IssuedCode {
  const nonce = randomBytes(16);
  return {
    redemptionId,
    nonce,
    hash: hashOf(secret, { redemptionId, nonce }, draw(secret, { redemptionId, nonce })),
  };
}

/** Returns the code that was issued; undefined when it was issued with another secret. */
export function codeOf(secret: string, issued: IssuedCode): string | undefined {
  const code = draw(secret, issued);
  return isCode(secret, issued, code) ? code : undefined;
}

/** Returns what the customer's QR code holds: it names the redemption, so that no code is ever looked up without one. */
export const qrTextOf = (redemptionId: RedemptionId, code: string) => `karat:pickup:${redemptionId}:${code}`;

/** Returns whether a text is the code that was issued, in a time that says nothing about it. */
export function isCode(secret: string, issued: IssuedCode, text: string): boolean {
  return timingSafeEqual(hashOf(secret, issued, text), issued.hash);
}

const codePattern = new RegExp(`^\\d{${pickupDigits}}$`);

/** Returns whether a text has the form of a code, whether or not one was issued. */
export function isCodeText(text: string): boolean {
  return codePattern.test(text);
}

type Issue = Pick<IssuedCode, 'redemptionId' | 'nonce'>;

const codes = 10 ** pickupDigits;
/** Numbers from here on would make some codes likelier than others. */
const unbiasedBelow = Math.floor(2 ** 32 / codes) * codes;

/** Draws the digits, each code as likely as any other. */
function draw(secret: string, issue: Issue): string {
  for (let block = 0; ; block += 1) {
    const bytes = mac(secret, 'code', issue, String(block));
    for (let at = 0; at < bytes.length; at += 4) {
      const number = bytes.readUInt32BE(at);
      if (number < unbiasedBelow) return String(number % codes).padStart(pickupDigits, '0');
    }
  }
}

function hashOf(secret: string, issue: Issue, code: string): Buffer {
  return mac(secret, 'hash', issue, code);
}

function mac(secret: string, use: 'code' | 'hash', { redemptionId, nonce }: Issue, text: string): Buffer {
  const about = `karat pickup ${use}\n${redemptionId}\n${Buffer.from(nonce).toString('hex')}\n${text}`;
  return createHmac('sha256', secret).update(about).digest();
}

import type { Address } from '@solana/kit';
import { addressToBytes } from '../../domain/solana.js';

/**
 * What hardware wallets sign of a text: Solana's off-chain message of version 0, which can be no transaction. Laid out as the
 * specification "Off-chain message signing" has it, and in the shorter form of the command line of Solana.
 */

const signingDomain = Buffer.concat([Buffer.of(0xff), Buffer.from('solana offchain', 'latin1')]);
const version = 0;
/** Printable ASCII, and UTF-8 that a hardware wallet can sign: which one a wallet chooses for ASCII is its own affair. */
const formats = [0, 1];
/** 32 bytes of zeros: none was provided, which is what wallets fill in. */
const noApplicationDomain = Buffer.alloc(32);

/** Returns all that a wallet may sign, alone, for a text of at most 65,535 bytes of UTF-8: its bytes and its envelopes. */
export function signableForms(wallet: Address, text: string): Buffer[] {
  const body = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(body.length);
  const signers = Buffer.concat([Buffer.of(1), addressToBytes(wallet)]);
  const head = Buffer.concat([signingDomain, Buffer.of(version)]);
  const envelopes = formats.flatMap((format) => [
    [head, noApplicationDomain, Buffer.of(format), signers, length, body],
    [head, Buffer.of(format), length, body],
  ]);
  return [body, ...envelopes.map((parts) => Buffer.concat(parts))];
}

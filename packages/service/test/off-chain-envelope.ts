import {
  compileOffchainMessageV0Envelope,
  type OffchainMessageV0,
  offchainMessageApplicationDomain,
  offchainMessageContentRestrictedAsciiOf1232BytesMax,
} from '@solana/kit';
import { noKey } from '../src/chain/program/wallet.js';
import type { Wallet } from './harness.js';

/** What a Ledger signs of a text: by the specification, as kit lays it out, or with the short header of Solana's command line. */
export function envelopeOf(form: 'full' | 'short', { address }: Wallet, text: string): Uint8Array {
  if (form === 'short') {
    const head = Buffer.from('\xffsolana offchain\0\0', 'latin1');
    return Buffer.concat([head, Buffer.of(text.length & 0xff, text.length >> 8), Buffer.from(text)]);
  }
  const message: OffchainMessageV0 = {
    version: 0,
    content: offchainMessageContentRestrictedAsciiOf1232BytesMax(text),
    applicationDomain: offchainMessageApplicationDomain(noKey),
    requiredSignatories: [{ address }],
  };
  return Uint8Array.from(compileOffchainMessageV0Envelope(message).content);
}

import {
  compileOffchainMessageV0Envelope,
  getBase58Encoder,
  getOffchainMessageV0Encoder,
  type OffchainMessageV0,
  offchainMessageApplicationDomain,
  offchainMessageContentRestrictedAsciiOf1232BytesMax,
  offchainMessageContentUtf8Of1232BytesMax,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { isSignedBy, noKey } from '../../../src/chain/program/wallet.js';
import { challengeMessage, newId } from '../../../src/domain/index.js';
import { newWallet, type Wallet } from '../../harness.js';

/** The envelopes of version 0 are made by kit, and for the command line's by its own Rust crate. */

const wallet = newWallet();
const text = challengeMessage('partner', newId('ch'));

type Content = OffchainMessageV0['content'];
const ascii = offchainMessageContentRestrictedAsciiOf1232BytesMax;
const utf8 = offchainMessageContentUtf8Of1232BytesMax;

/** What a wallet signs by the specification. */
function envelopeOf(content: Content, { signers = [wallet], domain = noKey as string } = {}): Uint8Array {
  const message = {
    version: 0,
    content,
    applicationDomain: offchainMessageApplicationDomain(domain),
    requiredSignatories: signers.map(({ address }) => ({ address })),
  } as OffchainMessageV0;
  const { content: bytes } = compileOffchainMessageV0Envelope(message);
  expect([...bytes]).toEqual([...getOffchainMessageV0Encoder().encode(message)]);
  return Uint8Array.from(bytes);
}

/** The short header of the command line of Solana. */
const shortOf = (message: string, { format = 0, version = 0, length = message.length } = {}) =>
  Buffer.concat([
    Buffer.from('\xffsolana offchain', 'latin1'),
    Buffer.of(version, format, length & 0xff, length >> 8),
    Buffer.from(message),
  ]);

const accepts = (signed: Uint8Array, by: Wallet = wallet, message = text) =>
  isSignedBy(wallet.address, message, by.signBytes(signed));

describe('the signature of a challenge', () => {
  test('the signature of a challenge may be of the text, or of its envelopes of version 0', () => {
    expect(accepts(Buffer.from(text))).toBe(true);
    expect(accepts(envelopeOf(ascii(text)))).toBe(true);
    expect(accepts(envelopeOf(utf8(text)))).toBe(true);
    expect(accepts(shortOf(text))).toBe(true);
    expect(accepts(shortOf(text, { format: 1 }))).toBe(true);
  });

  test('the signature of a challenge that the crate solana-offchain-message 3.0.0 made is accepted', () => {
    // Of the key whose seed is the bytes 0 to 31: the pair's address, and `solana sign-offchain-message` of this text.
    const address = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
    const signature =
      '2ijAZLAqLtUbJPbAnvaGNmWSFrUEKtUbqvBjTqfAFobvKxWojZr6MHCeuB9RFgu4WpK4JAKT7MzpijGxAfukbkeP';
    const signed = challengeMessage(
      'partner',
      'ch_01890000-0000-7000-8000-000000000000' as Parameters<typeof challengeMessage>[1],
    );
    const bytes = Uint8Array.from(getBase58Encoder().encode(signature));
    expect(isSignedBy(address as typeof wallet.address, signed, bytes)).toBe(true);
    expect(isSignedBy(wallet.address, signed, bytes)).toBe(false);
    expect(isSignedBy(address as typeof wallet.address, `${signed} `, bytes)).toBe(false);
  });

  test('the signature of a challenge is refused in an envelope of anything else', () => {
    const other = newWallet();
    const longer = `${text} and to pay 1 SOL`;
    const [cut, doubled] = [text.slice(0, -1), `${text}${text}`];
    const version1 = envelopeOf(ascii(text));
    version1[16] = 1;
    const oneMore = Buffer.concat([envelopeOf(ascii(text)), Buffer.of(0)]);
    for (const signed of [
      ...[longer, cut, doubled, challengeMessage('tradebook', newId('ch'))].flatMap((each) => [
        envelopeOf(ascii(each)),
        shortOf(each),
      ]),
      // Of another application, of two signers, of another signer alone, and of another version.
      envelopeOf(ascii(text), { domain: other.address }),
      envelopeOf(ascii(text), { signers: [wallet, other] }),
      envelopeOf(ascii(text), { signers: [other] }),
      ...[version1, oneMore, shortOf(text, { version: 1 }), shortOf(text, { format: 2 })],
      shortOf(text, { length: text.length - 1 }),
    ]) {
      expect(accepts(signed)).toBe(false);
    }
    // Whoever signs, it has to be the wallet.
    expect(accepts(envelopeOf(ascii(text)), other)).toBe(false);
    expect(accepts(shortOf(text), other)).toBe(false);
  });
});

import { address, getProgramDerivedAddress } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import type { Trader } from '../../src/db/trades/traders.js';
import type { TradeRecord } from '../../src/db/trades/trades.js';
import type { User } from '../../src/db/users.js';
import { newId, type UserId } from '../../src/domain/ids.js';
import {
  type Address,
  asAddress,
  asTxSignature,
  asWalletAddress,
  type TxSignature,
  type WalletAddress,
} from '../../src/domain/solana.js';
import { signatureNamed } from '../named-keys.js';

const onCurve = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

describe('a text', () => {
  test.each(['', 'x', `${onCurve}1111`, onCurve.slice(1), `0${onCurve.slice(1)}`, '\0'.repeat(32)])(
    'a text %j is no address',
    (text) => {
      expect([asAddress(text), asWalletAddress(text), asTxSignature(text)]).toEqual(Array(3).fill(undefined));
    },
  );

  test('a text is an address, and that of a wallet only where it is a key', async () => {
    const [derived] = await getProgramDerivedAddress({ programAddress: address(onCurve), seeds: ['a'] });
    expect([asAddress(onCurve), asWalletAddress(onCurve)]).toEqual([onCurve, onCurve]);
    expect([asAddress(derived), asWalletAddress(derived)]).toEqual([derived, undefined]);
  });

  test.each(['0'.repeat(80), '["x", null]'.repeat(7)])('a text %j is not a signature', (text) => {
    expect(asTxSignature(text)).toBeUndefined();
  });

  test('a text is a signature when it is 64 bytes', () => {
    const text: string = signatureNamed('a');
    expect(asTxSignature(text)).toBe(text);
    expect(asTxSignature(onCurve)).toBeUndefined();
    expect(asAddress(text)).toBeUndefined();
  });
});

/** Only the compiler sees these: each line with an expected error is one when its brand is gone. */
export function brands(text: string, userId: UserId, wallet: WalletAddress, signature: TxSignature): void {
  const walletAddress = (_: WalletAddress) => {};
  const anyAddress = (_: Address) => {};
  const txSignature = (_: TxSignature) => {};
  walletAddress(wallet);
  anyAddress(wallet);
  txSignature(signature);
  // @ts-expect-error a text that has not been parsed
  walletAddress(text);
  // @ts-expect-error a text that has not been parsed
  txSignature(text);
  // @ts-expect-error a user's id
  txSignature(userId);
  // @ts-expect-error a signature
  walletAddress(signature);
  // @ts-expect-error an address
  txSignature(wallet);
  // @ts-expect-error the column of a wallet takes no text
  const user: Pick<User, 'walletAddress'> = { walletAddress: text };
  // @ts-expect-error the column of a signature takes no id
  const trade: Pick<TradeRecord, 'txSignature'> = { txSignature: newId('trd') };
  // @ts-expect-error the partner's wallets are no texts
  const trader: Pick<Trader, 'partnerWallets'> = { partnerWallets: [text] };
  void [user, trade, trader];
}

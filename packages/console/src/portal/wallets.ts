import { call, Notice } from '../api/client';
import { session } from '../api/session';
import type { Person } from '../api/surface';
import { wallet as t } from '../text/portal/wallet';
import { api } from './api';
import { type BrowserWallet, connect, findBrowserWallets, sign } from './browser-wallets';
import { toBase64 } from './signature-text';

/** Has a wallet sign a new challenge, by the account of an address or any. Throws a `Notice` when it cannot or does not. */
async function signChallenge(wallet: BrowserWallet, partnerId: string, address?: string) {
  const account = await connect(wallet, address);
  const { challenge_id, message } = await call(
    api.POST('/v1/session/challenge', {
      body: { wallet_address: account.address, partner_id: partnerId },
    }),
  );
  const signature = await sign(wallet, account, message);
  return { challenge_id, signature: toBase64(signature) };
}

/** Opens a session in the name of a wallet. Throws a `Notice` when the wallet cannot or does not sign. */
export async function signInWith(wallet: BrowserWallet, partnerId: string): Promise<Person> {
  const body = await signChallenge(wallet, partnerId);
  const signedIn = await session.begin(call(api.POST('/v1/session', { body })));
  if ('methods' in signedIn) throw new Error('A wallet needs no second factor.');
  return signedIn;
}

/** Confirms the session of a wallet by another signature of it. Throws a `Notice` when no wallet here gives one. */
export async function confirmWithWallet(address: string, partnerId: string): Promise<string> {
  const wallets = findBrowserWallets();
  const connected = wallets.find(({ accounts }) => accounts.some((one) => one.address === address));
  const [first] = wallets;
  const chosen = connected ?? first;
  if (!chosen) throw new Notice(t.none);
  const body = await signChallenge(chosen, partnerId, address);
  return (await call(api.POST('/v1/session/confirm', { body }))).confirmation;
}

import { getWallets } from '@wallet-standard/app';
import type { StandardConnectFeature } from '@wallet-standard/features';
import { useSyncExternalStore } from 'react';
import { Notice } from '../api/client';
import { fill } from '../text/en';
import { wallet as t } from '../text/portal/wallet';
import { shorten } from '../ui/format';

const registry = getWallets();
/** A wallet of this browser, as the Wallet Standard has it. */
export type BrowserWallet = ReturnType<typeof registry.get>[number];
type Account = BrowserWallet['accounts'][number];

/** The feature of the Wallet Standard by which Solana wallets sign messages. */
interface SignMessage {
  signMessage(
    ...inputs: { account: Account; message: Uint8Array }[]
  ): Promise<readonly { signature: Uint8Array }[]>;
}

const watch = (changed: () => void) => {
  const ends = [registry.on('register', changed), registry.on('unregister', changed)];
  return () => {
    for (const end of ends) end();
  };
};

const isOfSolana = (chains: readonly string[]) => chains.some((chain) => chain.startsWith('solana:'));

/** Returns the wallets of this browser that are for Solana. */
export function findBrowserWallets(all = registry.get()): BrowserWallet[] {
  return all.filter(({ chains }) => isOfSolana(chains));
}

/** Likewise in a component, which is shown again when one comes or goes: some come after the page. */
export const useBrowserWallets = (): BrowserWallet[] =>
  findBrowserWallets(useSyncExternalStore(watch, registry.get));

/** Has a wallet show an account: that of an address, or any. Throws a `Notice` when it does not, or cannot sign messages. */
export async function connect({ name, features }: BrowserWallet, address?: string): Promise<Account> {
  if (!('solana:signMessage' in features)) throw new Notice(fill(t.mute, { name }));
  const feature = features['standard:connect'] as StandardConnectFeature['standard:connect'] | undefined;
  const output = await feature?.connect().catch(() => undefined);
  const accounts = output?.accounts.filter(({ chains }) => isOfSolana(chains)) ?? [];
  const account = accounts.find((one) => address === undefined || one.address === address);
  if (account) return account;
  const isOther = address !== undefined && accounts.length > 0;
  throw new Notice(
    isOther ? fill(t.otherAccount, { name, address: shorten(address) }) : fill(t.noAccount, { name }),
  );
}

/** Has an account sign a text. Throws a `Notice` when the wallet does not. */
export async function sign(
  { name, features }: BrowserWallet,
  account: Account,
  message: string,
): Promise<Uint8Array> {
  const feature = features['solana:signMessage'] as SignMessage | undefined;
  const [signed] =
    (await feature
      ?.signMessage({ account, message: new TextEncoder().encode(message) })
      .catch(() => undefined)) ?? [];
  if (!signed) throw new Notice(fill(t.refused, { name }));
  return signed.signature;
}

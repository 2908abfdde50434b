import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { getWallets } from '@wallet-standard/app';
import type { StandardConnectFeature } from '@wallet-standard/features';
import { useState, useSyncExternalStore } from 'react';
import { ApiError, call, Notice } from '../api/client';
import { session } from '../api/session';
import type { Person } from '../api/surface';
import { text } from '../text';
import { fill } from '../text/en';
import { wallet as t } from '../text/portal/wallet';
import { explain } from '../ui/states';
import { api } from './api';
import { encodeBase58 } from './base58';

const registry = getWallets();
type Wallet = ReturnType<typeof registry.get>[number];
type Account = Wallet['accounts'][number];

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

/** Has the wallet show an account. Throws a `Notice` when it does not. */
async function connect({ name, features }: Wallet): Promise<Account> {
  const feature = features['standard:connect'] as StandardConnectFeature['standard:connect'] | undefined;
  const output = await feature?.connect().catch(() => undefined);
  const account = output?.accounts.find(({ chains }) => chains.some((chain) => chain.startsWith('solana:')));
  if (!account) throw new Notice(fill(t.noAccount, { name }));
  return account;
}

/** Has an account sign what opens a session. Throws a `Notice` when the wallet cannot or does not. */
async function sign({ name, features }: Wallet, account: Account, message: string): Promise<string> {
  const feature = features['solana:signMessage'] as SignMessage | undefined;
  if (!feature) throw new Notice(fill(t.mute, { name }));
  const [signed] = await feature
    .signMessage({ account, message: new TextEncoder().encode(message) })
    .catch(() => []);
  if (!signed) throw new Notice(fill(t.refused, { name }));
  return encodeBase58(signed.signature);
}

async function signIn(wallet: Wallet, partnerId: string): Promise<Person> {
  if (!('solana:signMessage' in wallet.features)) throw new Notice(fill(t.mute, { name: wallet.name }));
  const account = await connect(wallet);
  const { challenge_id, message } = await call(
    api.POST('/v1/session/challenge', {
      body: { wallet_address: account.address, partner_id: partnerId },
    }),
  );
  const signature = await sign(wallet, account, message);
  const signedIn = await session.begin(call(api.POST('/v1/session', { body: { challenge_id, signature } })));
  if ('methods' in signedIn) throw new Error('A wallet needs no second factor.');
  return signedIn;
}

function why(error: unknown): string {
  if (!(error instanceof ApiError)) return explain(error);
  if (error.status === 429) return fill(text.signIn.wait, { seconds: error.retryAfterSeconds ?? 60 });
  return error.status >= 400 && error.status < 500 ? t.wrong : explain(error);
}

/** Signs in with a wallet of the partner, by the Wallet Standard. */
export default function WalletSignIn({ onDone }: { onDone: (me: Person) => void }) {
  const wallets = useSyncExternalStore(watch, registry.get);
  const [partnerId, setPartnerId] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<string>();
  const start = async (chosen: Wallet) => {
    setBusy(chosen.name);
    setError(undefined);
    try {
      onDone(await signIn(chosen, partnerId.trim()));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(undefined);
    }
  };
  const usable = wallets.filter(({ chains }) => chains.some((chain) => chain.startsWith('solana:')));
  return (
    <Stack gap="md">
      <Text c="dimmed">{t.lead}</Text>
      {error ? (
        <Alert color="red" role="alert" variant="light">
          {why(error)}
        </Alert>
      ) : null}
      {usable.length === 0 ? (
        <Alert role="status" variant="light" color="gray">
          {t.none}
        </Alert>
      ) : (
        <>
          <TextInput
            label={t.partner}
            description={t.partnerHint}
            autoComplete="off"
            autoFocus
            size="md"
            value={partnerId}
            onChange={({ currentTarget: { value } }) => setPartnerId(value)}
          />
          {usable.map((one) => (
            <Button
              key={one.name}
              variant="default"
              size="md"
              leftSection={<img src={one.icon} alt="" width={20} height={20} />}
              disabled={partnerId.trim() === ''}
              loading={busy === one.name}
              onClick={() => void start(one)}
            >
              {one.name}
            </Button>
          ))}
        </>
      )}
    </Stack>
  );
}

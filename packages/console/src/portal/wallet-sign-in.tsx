import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/client';
import type { Person } from '../api/surface';
import { text } from '../text';
import { fill } from '../text/en';
import { wallet as t } from '../text/portal/wallet';
import { explain } from '../ui/states';
import { type BrowserWallet, useBrowserWallets } from './browser-wallets';
import { signInWith } from './wallets';

function why(error: unknown): string {
  if (!(error instanceof ApiError)) return explain(error);
  if (error.status === 429) return fill(text.signIn.wait, { seconds: error.retryAfterSeconds ?? 60 });
  return error.status >= 400 && error.status < 500 ? t.wrong : explain(error);
}

/** Signs in with a wallet of the partner, by the Wallet Standard. */
export default function WalletSignIn({ onDone }: { onDone: (me: Person) => void }) {
  const usable = useBrowserWallets();
  const [partnerId, setPartnerId] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<string>();
  const start = async (chosen: BrowserWallet) => {
    setBusy(chosen.name);
    setError(undefined);
    try {
      onDone(await signInWith(chosen, partnerId.trim()));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(undefined);
    }
  };
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

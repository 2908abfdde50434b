import { Button, Stack, Title } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { SignIn, useEnter } from '../app/sign-in';
import { SignInFrame } from '../app/sign-in-frame';
import { frame } from '../text/portal/frame';
import { wallet as t } from '../text/portal/wallet';

const WalletSignIn = lazy(() => import('./wallet-sign-in'));

/** Where members of a partner sign in: with email and password, or with a wallet of the partner. */
export function PortalSignIn() {
  const enter = useEnter();
  const [byWallet, setByWallet] = useState(false);
  if (!byWallet) {
    return (
      <SignIn
        lead={frame.lead}
        name={frame.name}
        other={
          <Button variant="subtle" onClick={() => setByWallet(true)}>
            {t.action}
          </Button>
        }
      />
    );
  }
  return (
    <SignInFrame lead={frame.lead} name={frame.name}>
      <Stack gap="md" className="sign-in-form">
        <Title order={1}>{t.action}</Title>
        <Suspense>
          <WalletSignIn onDone={enter} />
        </Suspense>
        <Button variant="subtle" onClick={() => setByWallet(false)}>
          {t.back}
        </Button>
      </Stack>
    </SignInFrame>
  );
}

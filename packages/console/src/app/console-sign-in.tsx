import { Button, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { goToProvider, readSignInMethods, type SignInMethods } from '../api/single-sign-on';
import { text } from '../text';
import { SignIn } from './sign-in';
import { SignInFrame } from './sign-in-frame';

const t = text.signIn;

/** Where operators sign in: with a password, at the identity provider, or with either, as the service says. */
export function ConsoleSignIn() {
  // Not among what the page has read: signing out forgets that when this page is shown already.
  const [methods, setMethods] = useState<SignInMethods>();
  useEffect(() => {
    // Whether the service is reachable, the attempt says.
    void readSignInMethods().then(setMethods, () => setMethods({ password: true, single_sign_on: false }));
  }, []);
  const { next = '/' } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const frame = { lead: t.lead, name: text.console };
  // Otherwise fields appear that may be taken away again.
  if (!methods) return <SignInFrame {...frame}>{null}</SignInFrame>;
  const { password, single_sign_on: atProvider } = methods;
  if (!atProvider) return <SignIn {...frame} />;
  const go = () => {
    setBusy(true);
    setError(undefined);
    void goToProvider({ fresh: false, next }).catch((failure: unknown) => {
      setError(failure);
      setBusy(false);
    });
  };
  return (
    <SignIn
      {...frame}
      withPassword={password}
      failure={error}
      other={
        <>
          {password ? null : <Text c="dimmed">{t.atProvider}</Text>}
          <Button size="md" fullWidth variant={password ? 'default' : 'filled'} loading={busy} onClick={go}>
            {t.singleSignOn}
          </Button>
        </>
      }
    />
  );
}

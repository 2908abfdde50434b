import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { ApiError, api, call, Notice, type Schemas } from '../api/client';
import { meQuery } from '../api/live';
import { session } from '../api/session';
import { text } from '../text';
import { fill } from '../text/en';
import { Mark } from './mark';

const SecondStep = lazy(() => import('./second-step').then((module) => ({ default: module.SecondStep })));

/** Returns where to go on; only paths of this very console, whatever the address says. */
export function pathOf(next: string | undefined): string {
  return next?.startsWith('/') && !next.startsWith('//') && !next.includes('\\') ? next : '/';
}

function explain(error: unknown): string {
  if (error instanceof Notice) return error.message;
  if (!(error instanceof ApiError)) return text.failure.unreachable;
  if (error.status === 429) return fill(text.signIn.wait, { seconds: error.retryAfterSeconds ?? 60 });
  if (error.status === 401 || error.status === 400) return text.signIn.wrong;
  return error.status === 0 ? text.failure.unreachable : error.message;
}

export function SignIn() {
  const { next, ended } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const router = useRouter();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [offer, setOffer] = useState<Schemas['SecondFactorChallenge']>();
  useEffect(() => {
    document.title = `${text.signIn.title} · ${text.product}`;
  }, []);

  const enter = (me: Schemas['SignedInOperator']) => {
    client.clear();
    client.setQueryData(meQuery.queryKey, me);
    router.history.push(pathOf(next));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const signedIn = await session.begin(
        call(api.POST('/operator/v1/session', { body: { email: email.trim(), password } })),
      );
      if ('operator_id' in signedIn) enter(signedIn);
      else setOffer(signedIn);
    } catch (failure) {
      setError(failure);
      setPassword('');
    } finally {
      setBusy(false);
    }
  };

  if (offer) {
    return (
      <Frame>
        <Suspense>
          <SecondStep
            offer={offer}
            onDone={enter}
            onBack={(why) => {
              setOffer(undefined);
              setPassword('');
              setError(why === undefined ? undefined : new Notice(why));
            }}
          />
        </Suspense>
      </Frame>
    );
  }
  return (
    <Frame>
      <form onSubmit={(event) => void submit(event)} aria-label={text.signIn.title}>
        <Stack gap="md">
          <Title order={1}>{text.signIn.title}</Title>
          {ended && !error ? (
            <Text c="dimmed" role="status">
              {text.signIn.ended}
            </Text>
          ) : null}
          {error ? (
            <Alert color="red" role="alert" variant="light">
              {explain(error)}
            </Alert>
          ) : null}
          <TextInput
            label={text.signIn.email}
            type="email"
            name="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            size="md"
            value={email}
            onChange={({ currentTarget: { value } }) => setEmail(value)}
          />
          <PasswordInput
            label={text.signIn.password}
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            size="md"
            value={password}
            onChange={({ currentTarget: { value } }) => setPassword(value)}
          />
          <Button type="submit" size="md" loading={busy} fullWidth>
            {text.signIn.submit}
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="sign-in">
      <aside>
        <Mark size={40} />
        <p>{text.signIn.lead}</p>
        <small>{text.console}</small>
      </aside>
      <main>{children}</main>
    </div>
  );
}

import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type AnyRouter, useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { ApiError, Notice } from '../api/client';
import { meQuery } from '../api/live';
import { session } from '../api/session';
import { type Offer, type Person, surface } from '../api/surface';
import { text } from '../text';
import { fill } from '../text/en';
import { SignInFrame } from './sign-in-frame';

const SecondStep = lazy(() => import('./second-step').then((module) => ({ default: module.SecondStep })));

/** Goes on where the address says; only to paths of this very application. */
export function goOn({ history, basepath }: AnyRouter, next: string | undefined): void {
  const path = next?.startsWith('/') && !next.startsWith('//') && !next.includes('\\') ? next : '/';
  history.push(basepath === '/' ? path : basepath + path);
}

export function explain(error: unknown): string {
  if (error instanceof Notice) return error.message;
  if (!(error instanceof ApiError)) return text.failure.unreachable;
  if (error.status === 429) return fill(text.signIn.wait, { seconds: error.retryAfterSeconds ?? 60 });
  return error.status === 0 ? text.failure.unreachable : error.message;
}

/** Returns what shows the application to someone who has signed in. */
export function useEnter(): (me: Person, to?: string) => void {
  const { next } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const router = useRouter();
  const client = useQueryClient();
  return (me, to = next) => {
    client.clear();
    client.setQueryData(meQuery.queryKey, me);
    goOn(router, to);
  };
}

/** What a wrong email or password gets: which of the two it is stays unknown. */
function explainPassword(error: unknown): string {
  const isWrong = error instanceof ApiError && (error.status === 401 || error.status === 400);
  return isWrong ? text.signIn.wrong : explain(error);
}

/** Asks for email and password, then for the second factor. `other` is another way to sign in, and may be the only one. */
export function SignIn({
  lead,
  name,
  other,
  failure,
  withPassword = true,
}: {
  lead: string;
  name: string;
  other?: ReactNode;
  /** Why the other way failed. */
  failure?: unknown;
  withPassword?: boolean;
}) {
  const { ended } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [offer, setOffer] = useState<Offer>();
  useEffect(() => {
    document.title = `${text.signIn.title} · ${text.product}`;
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const signedIn = await session.begin(surface().account.signIn({ email: email.trim(), password }));
      if ('methods' in signedIn) setOffer(signedIn);
      else enter(signedIn);
    } catch (failure) {
      setError(failure);
      setPassword('');
    } finally {
      setBusy(false);
    }
  };

  const shown = error ? explainPassword(error) : failure ? explain(failure) : undefined;
  if (offer) {
    return (
      <SignInFrame lead={lead} name={name}>
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
      </SignInFrame>
    );
  }
  return (
    <SignInFrame lead={lead} name={name}>
      <form onSubmit={(event) => void submit(event)} aria-label={text.signIn.title}>
        <Stack gap="md">
          <Title order={1}>{text.signIn.title}</Title>
          {ended && !shown ? (
            <Text c="dimmed" role="status">
              {text.signIn.ended}
            </Text>
          ) : null}
          {shown ? (
            <Alert color="red" role="alert" variant="light">
              {shown}
            </Alert>
          ) : null}
          {withPassword ? (
            <>
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
            </>
          ) : null}
          {other}
        </Stack>
      </form>
    </SignInFrame>
  );
}

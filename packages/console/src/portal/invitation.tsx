import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError, call } from '../api/client';
import { session } from '../api/session';
import { SignInFrame } from '../app/sign-in-frame';
import { frame } from '../text/portal/frame';
import { invitation as t } from '../text/portal/team';
import { explainChange } from '../ui/states';
import { api } from './api';

/** Takes the token out of the address, so that it is in no history, no screenshot and no link that is copied. */
function takeToken(): string | undefined {
  const token = location.hash.slice(1);
  if (token === '') return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

// Before the page is drawn for the first time; a page that is drawn twice finds it gone from the address.
let token: string | undefined;

/** Where the link of an invitation leads: opens the account, and goes on to its second factor. */
export function AcceptInvitation() {
  const router = useRouter();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  token = takeToken() ?? token;
  const [own] = useState(token);
  useEffect(() => {
    document.title = `${t.title} · ${frame.product}`;
  }, []);
  const isInvalid = error instanceof ApiError && error.code === 'invalid_invitation';
  const faulty = error instanceof ApiError ? error.field : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (own === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const { email } = await call(
        api.POST('/v1/members/invitations/accept', { body: { token: own, name: name.trim(), password } }),
      );
      token = undefined;
      await session.begin(call(api.POST('/v1/session', { body: { email, password } })));
      client.clear();
      await router.navigate({ to: '/second-factor', replace: true });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SignInFrame lead={frame.lead} name={frame.name}>
      {own === undefined || isInvalid ? (
        <Stack gap="md">
          <Title order={1}>{t.title}</Title>
          <Alert color={isInvalid ? 'red' : 'gray'} role={isInvalid ? 'alert' : 'status'} variant="light">
            {isInvalid ? t.invalid : t.missing}
          </Alert>
          <Button variant="default" onClick={() => void router.navigate({ to: '/sign-in' })}>
            {t.signIn}
          </Button>
        </Stack>
      ) : (
        <form onSubmit={(event) => void submit(event)} aria-label={t.title}>
          <Stack gap="md">
            <Title order={1}>{t.title}</Title>
            <Text c="dimmed">{t.lead}</Text>
            {error && faulty !== 'name' && faulty !== 'password' ? (
              <Alert color="red" role="alert" variant="light">
                {explainChange(error)}
              </Alert>
            ) : null}
            <TextInput
              label={t.name}
              autoComplete="name"
              required
              withAsterisk={false}
              autoFocus
              size="md"
              value={name}
              error={faulty === 'name' ? (error as ApiError).message : undefined}
              onChange={({ currentTarget: { value } }) => setName(value)}
            />
            <PasswordInput
              label={t.password}
              description={t.hint}
              autoComplete="new-password"
              required
              withAsterisk={false}
              size="md"
              value={password}
              error={faulty === 'password' ? (error as ApiError).message : undefined}
              onChange={({ currentTarget: { value } }) => setPassword(value)}
            />
            <Button type="submit" size="md" loading={busy} fullWidth>
              {t.action}
            </Button>
          </Stack>
        </form>
      )}
    </SignInFrame>
  );
}

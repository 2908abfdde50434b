import { PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/client';
import { useChange } from '../api/live';
import { surface } from '../api/surface';
import { useSignOut } from '../app/session';
import { text } from '../text';
import { ActionButton } from '../ui/action';
import { explainChange, notifyDone } from '../ui/states';

const t = text.account.password;

/** Changes one's own password, which ends all sessions. */
export function PasswordForm() {
  const factors = useQuery({ queryKey: ['factors'], queryFn: () => surface().account.readFactors() });
  if (factors.data?.password === false) return <Text c="dimmed">{t.none}</Text>;
  return <ChangePassword />;
}

function ChangePassword() {
  const signOut = useSignOut();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useChange(
    () => surface().account.changePassword({ current_password: current, new_password: next }),
    () => {
      notifyDone(t.done);
      void signOut();
    },
  );
  const { error } = change;
  const wrong = error instanceof ApiError && error.field === 'current_password';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <PasswordInput
          label={t.current}
          autoComplete="current-password"
          required
          withAsterisk={false}
          error={wrong ? error.message : undefined}
          value={current}
          onChange={({ currentTarget: { value } }) => setCurrent(value)}
        />
        <PasswordInput
          label={t.next}
          description={t.hint}
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={next}
          onChange={({ currentTarget: { value } }) => setNext(value)}
        />
        {error && !wrong ? (
          <Text role="alert" c="var(--mantine-color-error)">
            {explainChange(error)}
          </Text>
        ) : null}
        <ActionButton type="submit" loading={change.isPending} variant="default">
          {t.action}
        </ActionButton>
      </Stack>
    </form>
  );
}

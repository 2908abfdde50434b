import { Alert, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { startAuthentication } from '@simplewebauthn/browser';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Notice } from '../api/client';
import { readMe } from '../api/live';
import { type ChallengeRequest, type Offer, type Permit, type Proof, surface } from '../api/surface';
import { text } from '../text';
import { secondFactor } from '../text/second-factor';

const t = secondFactor;

type Method = Offer['methods'][number];

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** Has the browser show a passkey. Throws a `Notice` when it does not. */
async function showPasskey({ token, passkey_options: options }: Offer): Promise<Proof> {
  const shown = await startAuthentication({ optionsJSON: options as unknown as RequestOptions }).catch(
    () => undefined,
  );
  if (!shown) throw new Notice(t.notShown);
  return { token, passkey: { ...shown } };
}

/** Takes one of the second factors that are offered. */
export function FactorForm({
  offer,
  busy,
  why,
  onProof,
}: {
  offer: Offer;
  busy: boolean;
  /** Why it is asked for again. */
  why?: string | undefined;
  onProof: (proof: Proof) => void;
}) {
  const { token, methods } = offer;
  const [method, setMethod] = useState<Method | undefined>(methods[0]);
  const [code, setCode] = useState('');
  const [error, setError] = useState(why);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    if (method === 'passkey') {
      void showPasskey(offer).then(onProof, ({ message }: Error) => setError(message));
    } else if (method === 'totp') onProof({ token, totp_code: code.replace(/\s/g, '') });
    else onProof({ token, recovery_code: code.trim() });
  };
  if (!method) return <Text>{t.nothingHere}</Text>;
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text c="dimmed">{t.how[method]}</Text>
        {error ? (
          <Alert color="red" role="alert" variant="light">
            {error}
          </Alert>
        ) : null}
        {method === 'passkey' ? null : (
          <TextInput
            key={method}
            label={t.codes[method]}
            autoComplete={method === 'totp' ? 'one-time-code' : 'off'}
            inputMode={method === 'totp' ? 'numeric' : 'text'}
            size="md"
            required
            withAsterisk={false}
            data-autofocus
            autoFocus
            value={code}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
        )}
        <Button type="submit" size="md" loading={busy} data-autofocus={method === 'passkey' || undefined}>
          {t.show[method]}
        </Button>
        <Group gap="sm">
          {methods
            .filter((other) => other !== method)
            .map((other) => (
              <Button
                key={other}
                variant="subtle"
                size="compact-sm"
                onClick={() => {
                  setMethod(other);
                  setCode('');
                  setError(undefined);
                }}
              >
                {t.instead[other]}
              </Button>
            ))}
        </Group>
      </Stack>
    </form>
  );
}

function PasswordForm({ onPassword }: { onPassword: (password: string) => void }) {
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onPassword(password);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text c="dimmed">{t.how.password}</Text>
        <PasswordInput
          label={t.password}
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
          data-autofocus
          value={password}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
        />
        <Button type="submit" size="md">
          {t.show.password}
        </Button>
      </Stack>
    </form>
  );
}

/** What a dialog takes: a second factor, or the password before the first one. */
type Asked = { reject: (error: Error) => void } & (
  | { offer: Offer; why: string | undefined; resolve: (proof: Proof) => void }
  | { offer?: undefined; resolve: (password: string) => void }
);

/**
 * Returns what asks for a fresh second factor before something is done, and the dialog of those that have to be typed. A
 * person without one is not asked; the API decides.
 */
export function useFactor() {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const ask = async (request: ChallengeRequest, why?: string): Promise<Proof> => {
    const offer = await surface().account.challenge(request);
    if (offer.methods.length === 0) throw new Notice(t.nothingHere);
    if (offer.methods[0] === 'passkey') {
      const proof = await showPasskey(offer).catch((error: Error) => {
        // Those who have lost the passkey may have another second factor.
        if (offer.methods.length === 1) throw error;
        return undefined;
      });
      if (proof) return proof;
    }
    return new Promise<Proof>((resolve, reject) => setAsked({ offer, why, resolve, reject }));
  };
  const show = async (request: ChallengeRequest): Promise<{ second_factor?: Proof }> => {
    const me = await readMe(client);
    return me.second_factor_enrolled ? { second_factor: await ask(request) } : {};
  };
  /** For what adds a second factor: without a passkey, it takes the password if there is one, and so the app. */
  const showOrPassword = async (hasPasskey: boolean, hasPassword: boolean): Promise<Permit> => {
    if (hasPasskey || !hasPassword) return show({ purpose: 'account' });
    const password = await new Promise<string>((resolve, reject) => setAsked({ resolve, reject }));
    return { current_password: password, ...(await show({ purpose: 'account' })) };
  };
  const dialog = asked ? (
    <Modal
      opened
      title={t.confirm}
      onClose={() => {
        asked.reject(new Notice(t.notShown));
        setAsked(undefined);
      }}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      {asked.offer ? (
        <FactorForm
          offer={asked.offer}
          why={asked.why}
          busy={false}
          onProof={(proof) => {
            asked.resolve(proof);
            setAsked(undefined);
          }}
        />
      ) : (
        <PasswordForm
          onPassword={(password) => {
            asked.resolve(password);
            setAsked(undefined);
          }}
        />
      )}
    </Modal>
  ) : null;
  return { ask, show, showOrPassword, dialog };
}

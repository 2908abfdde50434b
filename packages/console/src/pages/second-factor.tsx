import { Alert, Button, CopyButton, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { Notice } from '../api/client';
import { meQuery, useChange, usePerson } from '../api/live';
import { session } from '../api/session';
import { type Passkey, type Permit, surface } from '../api/surface';
import { Mark } from '../app/mark';
import { useSignOut } from '../app/session';
import { goOn } from '../app/sign-in';
import { text } from '../text';
import { fill } from '../text/en';
import { secondFactor } from '../text/second-factor';
import { ActionButton } from '../ui/action';
import { DialogButton, FormDialog } from '../ui/form';
import { Panel, Time } from '../ui/parts';
import { Qr } from '../ui/qr';
import { useFactor } from '../ui/second-factor';
import { explainChange, Loaded, notifyDone, notifyFailure } from '../ui/states';

const t = secondFactor;
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

/** Browsers make passkeys for names of hosts, and not for addresses such as 127.0.0.1. */
const isNamed = !/^\[|^[\d.]+$/.test(location.hostname);
const takesPasskeys = isNamed && browserSupportsWebAuthn();

const ofAccount = { purpose: 'account' } as const;

/** One's own passkeys, authenticator app and recovery codes. `onEnrolled` is called to go on, where there is more to do. */
export function SecondFactors({ onEnrolled }: { onEnrolled?: () => void }) {
  const client = useQueryClient();
  const factor = useFactor();
  const [codes, setCodes] = useState<string[]>();
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: () => surface().account.readFactors(),
  });
  /** After a change: recovery codes are shown, which is possible once. */
  const changed = (result: object) => {
    if ('recovery_codes' in result && Array.isArray(result.recovery_codes)) setCodes(result.recovery_codes);
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <Panel title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <Loaded of={factors}>
        {({ passkeys, totp, totp_available, password, recovery_codes_left: left }) => (
          <>
            <ul className="factors">
              {passkeys.map((passkey) => (
                <PasskeyRow key={passkey.passkey_id} passkey={passkey} show={factor.show} changed={changed} />
              ))}
              {totp ? (
                <li>
                  <div>
                    <strong>{t.totp.title}</strong>
                    <Text size="sm" c="dimmed">
                      {t.totp.is}
                    </Text>
                  </div>
                  <DialogButton label={t.remove} size="xs">
                    {(close) => (
                      <FormDialog
                        title={t.totp.removeTitle}
                        lead={t.removeLead}
                        action={t.remove}
                        danger
                        done={t.removed}
                        fields={[]}
                        submit={async () => surface().account.removeTotp(await factor.show(ofAccount))}
                        onDone={changed}
                        onClose={close}
                      />
                    )}
                  </DialogButton>
                </li>
              ) : null}
              {passkeys.length > 0 || totp ? (
                <li>
                  <div>
                    <strong>{t.recovery.title}</strong>
                    <Text size="sm" c="dimmed">
                      {fill(t.recovery.left, { left })}
                    </Text>
                  </div>
                  <DialogButton label={t.recovery.renew} size="xs">
                    {(close) => (
                      <FormDialog
                        title={t.recovery.renewTitle}
                        lead={t.recovery.renewLead}
                        action={t.recovery.renew}
                        done={t.recovery.renewed}
                        fields={[]}
                        submit={async () =>
                          surface().account.renewRecoveryCodes(await factor.show(ofAccount))
                        }
                        onDone={changed}
                        onClose={close}
                      />
                    )}
                  </DialogButton>
                </li>
              ) : null}
            </ul>
            {takesPasskeys ? null : (
              <Alert mb="md" role="note" variant="light">
                {isNamed ? t.unsupported : fill(t.unnamed, { address: `localhost:${location.port}` })}
              </Alert>
            )}
            <Group gap="sm">
              {takesPasskeys ? (
                <DialogButton label={t.passkey.add} primary={passkeys.length === 0}>
                  {(close) => (
                    <FormDialog
                      title={t.passkey.add}
                      lead={t.passkey.addLead}
                      action={t.passkey.add}
                      done={t.passkey.added}
                      fields={[{ name: 'name', label: t.passkey.name, hint: t.passkey.nameHint }]}
                      submit={async ({ name }) =>
                        addPasskey(String(name), await factor.showOrPassword(passkeys.length > 0, password))
                      }
                      onDone={changed}
                      onClose={close}
                    />
                  )}
                </DialogButton>
              ) : null}
              {totp || !totp_available ? null : (
                <DialogButton label={t.totp.add} primary={!takesPasskeys}>
                  {(close) => (
                    <AddTotp
                      show={() => factor.showOrPassword(passkeys.length > 0, password)}
                      onDone={changed}
                      onClose={close}
                    />
                  )}
                </DialogButton>
              )}
              {/* One may have been added in another window. */}
              {onEnrolled && (passkeys.length > 0 || totp) ? (
                <Button onClick={onEnrolled}>{t.continue}</Button>
              ) : null}
            </Group>
          </>
        )}
      </Loaded>
      {factor.dialog}
      {codes ? (
        <RecoveryCodes
          codes={codes}
          onClose={() => {
            setCodes(undefined);
            onEnrolled?.();
          }}
        />
      ) : null}
    </Panel>
  );
}

type Show = ReturnType<typeof useFactor>['show'];

async function addPasskey(name: string, permit: Permit) {
  const { token, passkey_options: options } = await surface().account.startPasskey(permit);
  const passkey = await startRegistration({ optionsJSON: options as unknown as CreationOptions }).catch(
    () => undefined,
  );
  if (!passkey) throw new Notice(t.passkey.notMade);
  return session.begin(surface().account.addPasskey({ token, name, passkey: { ...passkey } }));
}

function PasskeyRow({
  passkey: { passkey_id, name, host, last_used_at },
  show,
  changed,
}: {
  passkey: Passkey;
  show: Show;
  changed: (result: object) => void;
}) {
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <Text size="sm" c="dimmed">
          {fill(t.passkey.of, { host })}
          {last_used_at ? (
            <>
              {' · '}
              {t.passkey.used} <Time at={last_used_at} />
            </>
          ) : null}
        </Text>
      </div>
      <Group gap="xs">
        <DialogButton label={t.passkey.rename} size="xs">
          {(close) => (
            <FormDialog
              title={fill(t.passkey.renameTitle, { name })}
              action={text.common.save}
              done={t.passkey.renamed}
              fields={[{ name: 'name', label: t.passkey.name, initial: name }]}
              submit={(values) => surface().account.renamePasskey(passkey_id, { name: String(values.name) })}
              onClose={close}
            />
          )}
        </DialogButton>
        <DialogButton label={t.remove} size="xs">
          {(close) => (
            <FormDialog
              title={fill(t.passkey.removeTitle, { name })}
              lead={t.removeLead}
              action={t.remove}
              danger
              done={t.removed}
              fields={[]}
              submit={async () => surface().account.removePasskey(passkey_id, await show(ofAccount))}
              onDone={changed}
              onClose={close}
            />
          )}
        </DialogButton>
      </Group>
    </li>
  );
}

/** Shows the key for an authenticator app, and takes its first code. */
function AddTotp({
  show,
  onDone,
  onClose,
}: {
  show: () => Promise<Permit>;
  onDone: (result: object) => void;
  onClose: () => void;
}) {
  const [key, setKey] = useState<{ key: string; uri: string }>();
  const [code, setCode] = useState('');
  // Once a dialog: every key that is requested voids the one before it.
  useEffect(() => {
    let closed = false;
    void (async () => {
      try {
        const begun = await surface().account.startTotp(await show());
        if (!closed) setKey(begun);
      } catch (error) {
        onClose();
        notifyFailure(error);
      }
    })();
    return () => {
      closed = true;
    };
  }, []);
  const confirm = useChange(
    () => session.begin(surface().account.confirmTotp({ totp_code: code.replace(/\s/g, '') })),
    (result) => {
      onClose();
      notifyDone(t.totp.added);
      onDone(result);
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate(undefined);
  };
  if (!key) return null;
  return (
    <Modal opened onClose={onClose} title={t.totp.add} closeButtonProps={{ 'aria-label': text.common.close }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text>{t.totp.scan}</Text>
          <div className="totp-qr">
            <Qr value={key.uri} label={t.totp.qr} />
          </div>
          <Text size="sm" className="factor-code">
            {key.key.match(/.{1,4}/g)?.join(' ')}
          </Text>
          <TextInput
            label={t.codes.totp}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            value={code}
            error={confirm.error ? explainChange(confirm.error) : undefined}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.common.cancel}
            </Button>
            <ActionButton type="submit" loading={confirm.isPending}>
              {t.totp.add}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Shows recovery codes, once; only the button closes them. */
function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.recovery.shown}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>{t.recovery.shownLead}</Text>
        <ol className="factor-code">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        <Group justify="flex-end">
          <CopyButton value={codes.join('\n')}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? text.common.copied : text.common.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{t.recovery.stored}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** What people see whose role needs a second factor, until they have one. */
export function EnrolPage() {
  // Keeps the person in the cache: without one there, the end of the session would not be noticed on this page.
  const { second_factor_required: isRequired } = usePerson();
  const { next } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const router = useRouter();
  const signOut = useSignOut();
  const leave = () => void router.invalidate().then(() => goOn(router, next));
  useEffect(() => {
    document.title = `${t.required} · ${text.product}`;
  }, []);
  return (
    <main className="enrol">
      <Mark size={40} />
      <Title order={1}>{t.required}</Title>
      <Text c="dimmed" mb="lg">
        {isRequired ? t.requiredLead : t.optionalLead}
      </Text>
      <SecondFactors onEnrolled={leave} />
      {isRequired ? null : (
        <Button variant="default" mt="md" mr="xs" onClick={leave}>
          {t.later}
        </Button>
      )}
      <Button variant="subtle" mt="md" onClick={() => void signOut()}>
        {text.nav.signOut}
      </Button>
    </main>
  );
}

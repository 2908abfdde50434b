import { Checkbox, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, api, call } from '../api/client';
import { useChange, useMay, useMe } from '../api/live';
import { useSignOut } from '../app/session';
import { text } from '../text';
import { ActionButton } from '../ui/action';
import { hasNotifications, useNotifyChoice, useNotifyPermission } from '../ui/notify-choice';
import { Facts, Id, PageHead, Panel } from '../ui/parts';
import { explainChange, notifyDone } from '../ui/states';
import { useWeightUnit, type WeightUnit } from '../ui/weight';
import { TokenList } from './operators';
import { SecondFactors } from './second-factor';
import { SessionList } from './sessions';

const t = text.account;

export function Account() {
  const me = useMe();
  const administers = useMay('administer');
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <div className="columns even">
        <Panel title={t.who}>
          <Facts
            rows={[
              [text.operators.columns.name, me.name],
              [text.operators.columns.email, me.email],
              [text.operators.columns.role, text.roles[me.role]],
              [t.id, <Id key="i" value={me.operator_id} />],
            ]}
          />
          <Text size="sm" c="dimmed" mt="sm">
            {t.roleText[me.role]}
          </Text>
        </Panel>
        <Panel title={t.password.title}>
          <PasswordForm />
        </Panel>
      </div>
      <div className="columns even below">
        <Panel title={t.weights.title}>
          <WeightChoice />
        </Panel>
        <Panel title={text.notifications.title}>
          <NotifyChoice />
        </Panel>
      </div>
      <div className="below">
        <SecondFactors />
      </div>
      <div className="below">
        <Panel title={text.sessions.label}>
          <SessionList />
        </Panel>
      </div>
      {administers ? (
        <div className="below">
          <Panel title={text.operators.tokens.label}>
            <TokenList operatorId={me.operator_id} />
          </Panel>
        </div>
      ) : null}
    </>
  );
}

function WeightChoice() {
  const [unit, choose] = useWeightUnit();
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {t.weights.lead}
      </Text>
      <SegmentedControl
        aria-label={t.weights.title}
        value={unit}
        onChange={(value) => choose(value as WeightUnit)}
        data={Object.entries(t.weights.units).map(([value, label]) => ({ value, label }))}
      />
    </>
  );
}

/** Asks the browser only once the operator has chosen to be notified. */
function NotifyChoice() {
  const [chosen, choose] = useNotifyChoice();
  const permission = useNotifyPermission();
  const { lead, turnOn, refused, missing } = text.notifications;
  const problem = hasNotifications ? (permission === 'denied' ? refused : undefined) : missing;
  const turn = async (on: boolean) => {
    choose(on && (await Notification.requestPermission()) === 'granted');
  };
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {lead}
      </Text>
      <Checkbox
        label={turnOn}
        checked={chosen && permission === 'granted'}
        disabled={problem !== undefined}
        onChange={({ currentTarget: { checked } }) => void turn(checked)}
      />
      {problem ? (
        <Text size="sm" mt="sm" role="status">
          {problem}
        </Text>
      ) : null}
    </>
  );
}

function PasswordForm() {
  const signOut = useSignOut();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useChange(
    () =>
      call(api.PUT('/operator/v1/me/password', { body: { current_password: current, new_password: next } })),
    () => {
      notifyDone(t.password.done);
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
          label={t.password.current}
          autoComplete="current-password"
          required
          withAsterisk={false}
          error={wrong ? error.message : undefined}
          value={current}
          onChange={({ currentTarget: { value } }) => setCurrent(value)}
        />
        <PasswordInput
          label={t.password.next}
          description={t.password.hint}
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
          {t.password.action}
        </ActionButton>
      </Stack>
    </form>
  );
}

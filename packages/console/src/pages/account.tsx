import { Checkbox, SegmentedControl, Text } from '@mantine/core';
import { useMay, useMe } from '../api/operator';
import { text } from '../text';
import { hasNotifications, useNotifyChoice, useNotifyPermission } from '../ui/notify-choice';
import { Facts, Id, PageHead, Panel } from '../ui/parts';
import { useWeightUnit, type WeightUnit } from '../ui/weight';
import { TokenList } from './operators';
import { PasswordForm } from './password-form';
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

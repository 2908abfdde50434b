import { Text } from '@mantine/core';
import { PasswordForm } from '../pages/password-form';
import { SecondFactors } from '../pages/second-factor';
import { text } from '../text';
import { account as t } from '../text/portal/account';
import { frame } from '../text/portal/frame';
import { Facts, Id, PageHead, Panel } from '../ui/parts';
import { useMe } from './api';

export function Account() {
  const me = useMe();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <div className="columns even">
        <Panel title={t.who}>
          <Facts
            rows={[
              [t.name, me.name],
              [t.email, me.email ?? text.common.none],
              [t.role, frame.roles[me.role]],
              [t.partner, <Id key="p" value={me.partner_id} />],
              [t.id, <Id key="m" value={me.member_id} />],
            ]}
          />
          <Text size="sm" c="dimmed" mt="sm">
            {t.roleText[me.role]}
          </Text>
        </Panel>
        {me.email === null ? (
          <Panel>
            <Text>{t.wallet}</Text>
          </Panel>
        ) : (
          <Panel title={text.account.password.title}>
            <PasswordForm />
          </Panel>
        )}
      </div>
      {me.email === null ? null : (
        <div className="below">
          <SecondFactors />
        </div>
      )}
    </>
  );
}

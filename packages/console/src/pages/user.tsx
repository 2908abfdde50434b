import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call } from '../api/client';
import { useLive } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { countryName, humanize } from '../ui/format';
import { PartnerLink } from '../ui/names';
import { Back, Badge, ChainId, Facts, Id, PageHead, Panel, TextLink, Time } from '../ui/parts';
import { Loaded } from '../ui/states';

const t = text.users;
type User = Schemas['User'];

/** Reads a user as the list shows it: a single user is read with KYC data, and each such read is audited. */
async function readUser(id: string): Promise<User> {
  const { users } = await call(api.GET('/operator/v1/users', { params: { query: { q: id } } }));
  const user = users.find(({ service_user_id }) => service_user_id === id);
  if (!user) throw new ApiError(404, { error: 'user_not_found' });
  return user;
}

export function UserDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const user = useLive(['users', id], () => readUser(id));
  return (
    <>
      <Back to="/users">{t.title}</Back>
      <Loaded of={user}>
        {(found) => (
          <>
            <PageHead
              title={found.user_id}
              lead={
                <Group gap="sm">
                  <Badge tone={found.status === 'active' ? 'good' : 'bad'}>{t.status[found.status]}</Badge>
                  <Id value={found.service_user_id} head={16} />
                </Group>
              }
              actions={<Actions user={found} />}
            />
            <div className="columns">
              <Panel title={t.identity}>
                <Identity id={id} />
              </Panel>
              <Panel title={t.facts}>
                <Facts
                  rows={[
                    [t.columns.partner, <PartnerLink key="p" id={found.partner_id} />],
                    [t.columns.wallet, <ChainId key="w" kind="address" value={found.wallet_address} />],
                    [t.columns.created, <Time key="c" at={found.created_at} />],
                    [t.changed, <Time key="u" at={found.updated_at} />],
                    [
                      t.records,
                      <Group key="r" gap="sm">
                        <TextLink to="/trades" search={{ service_user_id: id }}>
                          {text.nav.trades}
                        </TextLink>
                        <TextLink to="/redemptions" search={{ service_user_id: id }}>
                          {text.nav.redemptions}
                        </TextLink>
                      </Group>,
                    ],
                  ]}
                />
              </Panel>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

/** What the role may see of the person, after it is asked for: each look is an entry of the audit log. */
function Identity({ id }: { id: string }) {
  const reads = useMay('read_kyc');
  const [shown, setShown] = useState(false);
  // Not read again by itself, and not kept.
  const identity = useQuery({
    queryKey: ['identity', id],
    queryFn: () =>
      call(api.GET('/operator/v1/users/{service_user_id}', { params: { path: { service_user_id: id } } })),
    enabled: shown,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (!reads) return <Text c="dimmed">{t.hidden}</Text>;
  if (shown) return <Loaded of={identity}>{({ kyc }) => <Kyc kyc={kyc} />}</Loaded>;
  return (
    <>
      <Text c="dimmed">{t.covered}</Text>
      <Button variant="default" my="md" onClick={() => setShown(true)}>
        {t.reveal}
      </Button>
      <Text size="sm" c="dimmed">
        {t.audited}
      </Text>
    </>
  );
}

function Kyc({ kyc }: { kyc: Schemas['UserWithKyc']['kyc'] }) {
  if (!kyc) return <Text c="dimmed">{t.noKyc}</Text>;
  return (
    <Facts
      rows={[
        [t.name, kyc.full_name],
        [
          t.level,
          <Badge key="l" tone={kyc.kyc_level === 'full' ? 'good' : 'bad'}>
            {kyc.kyc_level}
          </Badge>,
        ],
        [t.country, countryName(kyc.country)],
        [t.provider, kyc.kyc_provider],
        [t.verified, <Time key="v" at={kyc.kyc_verified_at} />],
        ...Object.entries(kyc.kyc_data ?? {}).map(([name, value]): [string, string] => [
          humanize(name),
          typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]),
      ]}
    />
  );
}

function Actions({ user }: { user: User }) {
  const complies = useMay('comply');
  if (!complies) return null;
  const params = { path: { service_user_id: user.service_user_id } };
  const suspended = user.status === 'suspended';
  return (
    <>
      <DialogButton label={t.setLevel.action}>
        {(close) => (
          <FormDialog
            title={t.setLevel.title}
            lead={t.setLevel.lead}
            action={text.common.save}
            done={t.setLevel.done}
            fields={[{ name: 'kyc_level', label: t.level, hint: t.setLevel.hint }, reasonField]}
            submit={({ kyc_level, reason }) =>
              call(
                api.POST('/operator/v1/users/{service_user_id}/kyc-level', {
                  params,
                  body: { kyc_level: String(kyc_level), reason: String(reason) },
                }),
              )
            }
            onClose={close}
          />
        )}
      </DialogButton>
      <DialogButton label={suspended ? t.resume.action : t.suspend.action}>
        {(close) => {
          const words = suspended ? t.resume : t.suspend;
          return (
            <FormDialog
              title={words.title}
              lead={words.lead}
              action={words.action}
              danger={!suspended}
              done={words.done}
              fields={[{ ...reasonField, optional: suspended }]}
              submit={({ reason }) =>
                suspended
                  ? call(
                      api.POST('/operator/v1/users/{service_user_id}/resume', {
                        params,
                        body: reason ? { reason: String(reason) } : {},
                      }),
                    )
                  : call(
                      api.POST('/operator/v1/users/{service_user_id}/suspend', {
                        params,
                        body: { reason: String(reason) },
                      }),
                    )
              }
              onClose={close}
            />
          );
        }}
      </DialogButton>
    </>
  );
}

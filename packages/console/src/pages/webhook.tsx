import { Alert, Group, Text } from '@mantine/core';
import { call } from '../api/client';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { DetailPage } from '../ui/detail-page';
import { Choice, useFilters } from '../ui/filters';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { shorten } from '../ui/format';
import { List } from '../ui/list';
import { Badge, Facts, Id, PageHead, Panel, TextLink, Time, type Tone } from '../ui/parts';
import { EndpointStatus } from './webhooks';

const t = text.webhooks;
type Endpoint = Schemas['PartnerWebhookEndpoint'];
type Delivery = Schemas['PartnerWebhookDelivery'];

export function WebhookDetail() {
  return (
    <DetailPage
      list="/webhooks"
      title={t.title}
      kind="webhook-endpoints"
      read={(id) =>
        call(
          api.GET('/operator/v1/webhook-endpoints/{endpoint_id}', { params: { path: { endpoint_id: id } } }),
        )
      }
    >
      {(found) => <Detail endpoint={found} />}
    </DetailPage>
  );
}

function Detail({ endpoint }: { endpoint: Endpoint }) {
  const administers = useMay('administer');
  const disables = administers && endpoint.status === 'active';
  return (
    <>
      <PageHead
        title={new URL(endpoint.url).host}
        lead={
          <Group gap="sm">
            <EndpointStatus endpoint={endpoint} />
            <Id value={endpoint.endpoint_id} head={12} />
          </Group>
        }
        actions={disables ? <Disable endpoint={endpoint} /> : null}
      />
      {endpoint.failing_since ? (
        <Alert color="red" variant="light" mb="lg" role="status">
          {t.failingSince} <Time at={endpoint.failing_since} />.
        </Alert>
      ) : null}
      <div className="columns">
        <Panel title={t.deliveries}>
          <Text size="sm" c="dimmed" mb="md">
            {t.resend}
          </Text>
          <Deliveries id={endpoint.endpoint_id} />
        </Panel>
        <Panel title={t.facts}>
          <Facts
            rows={[
              [t.columns.url, <Id key="u" value={endpoint.url} head={30} />],
              [
                t.columns.partner,
                <TextLink key="p" to={`/partners/${endpoint.partner_id}`}>
                  {shorten(endpoint.partner_id)}
                </TextLink>,
              ],
              [t.columns.types, endpoint.types?.join(', ') ?? t.all],
              [t.description, endpoint.description ?? text.common.none],
              [t.columns.created, <Time key="c" at={endpoint.created_at} />],
              [t.changed, <Time key="ch" at={endpoint.updated_at} />],
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

function Disable({ endpoint }: { endpoint: Endpoint }) {
  return (
    <DialogButton label={t.disable.action}>
      {(close) => (
        <FormDialog
          title={t.disable.title}
          lead={t.disable.lead}
          action={t.disable.action}
          danger
          done={t.disable.done}
          fields={[reasonField]}
          submit={({ reason }) =>
            call(
              api.POST('/operator/v1/webhook-endpoints/{endpoint_id}/disable', {
                params: { path: { endpoint_id: endpoint.endpoint_id } },
                body: { reason: String(reason) },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

const tones: Record<Delivery['status'], Tone> = { pending: 'calm', delivered: 'good', failed: 'bad' };

function Deliveries({ id }: { id: string }) {
  const filters = useFilters();
  const { status } = filters.values;
  return (
    <List
      filters={filters}
      path={`webhook-endpoints/${id}/deliveries`}
      unsearched
      query={{ status: status as Delivery['status'] }}
      read={({ q: _, ...query }) =>
        call(
          api.GET('/operator/v1/webhook-endpoints/{endpoint_id}/deliveries', {
            params: { path: { endpoint_id: id }, query },
          }),
        )
      }
      label={t.deliveries}
      rows={({ deliveries }) => deliveries}
      keyOf={({ delivery_id }) => delivery_id}
      columns={[
        { header: t.delivery.type, cell: ({ type }) => <strong>{type}</strong> },
        {
          header: t.delivery.status,
          cell: ({ status: now }) => <Badge tone={tones[now]}>{t.delivery.statuses[now]}</Badge>,
        },
        { header: t.delivery.attempts, right: true, cell: ({ attempts }) => attempts.length },
        { header: t.delivery.last, cell: ({ attempts }) => <Time at={attempts.at(-1)?.at} /> },
        { header: t.delivery.result, cell: ({ attempts }) => resultOf(attempts.at(-1)) },
        { header: t.delivery.next, wide: true, cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
        { header: t.delivery.id, wide: true, cell: ({ event_id }) => <Id value={event_id} head={10} /> },
      ]}
      empty={{ title: t.noDeliveries, body: t.noDeliveriesBody }}
    >
      <Choice filters={filters} name="status" label={t.delivery.status} options={t.delivery.statuses} />
    </List>
  );
}

function resultOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return text.common.none;
  const { status_code: status, duration_ms: ms, error } = attempt;
  return status === null ? (error ?? text.common.none) : fill(t.delivery.http, { status, ms });
}

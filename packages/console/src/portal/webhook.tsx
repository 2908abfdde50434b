import { Alert, Group, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client';
import { useChange } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { webhooks as t } from '../text/portal/webhooks';
import { ActionButton } from '../ui/action';
import { DetailPage } from '../ui/detail-page';
import { DialogButton, FormDialog } from '../ui/form';
import { formatTime } from '../ui/format';
import { Facts, Id, PageHead, Panel, Time } from '../ui/parts';
import { ShownOnce } from '../ui/shown-once';
import { notifyFailure } from '../ui/states';
import { readableJson, TextBlock } from '../ui/text-block';
import { api, type Schemas, useMay } from './api';
import { AskButton } from './ask';
import { Deliveries } from './deliveries';
import { type Endpoint, EndpointForm, type WithSecret } from './endpoint-form';
import { EndpointStatus } from './webhooks';

const ofEndpoint = ({ endpoint_id }: Endpoint) => ({ path: { endpoint_id } });

export function Webhook() {
  return (
    <DetailPage
      list="/webhooks"
      title={t.title}
      kind="webhook-endpoints"
      read={(id) =>
        call(api.GET('/v1/webhook-endpoints/{endpoint_id}', { params: { path: { endpoint_id: id } } }))
      }
    >
      {(found) => <Detail endpoint={found} />}
    </DetailPage>
  );
}

function Detail({ endpoint }: { endpoint: Endpoint }) {
  const manages = useMay('manage_webhooks');
  const until = endpoint.previous_secret_until;
  const overlaps = until !== null && Date.parse(until) > Date.now();
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
        actions={manages ? <Actions endpoint={endpoint} /> : null}
      />
      {endpoint.failing_since ? (
        <Alert color="red" variant="light" mb="lg" role="status">
          {t.failingSince} <Time at={endpoint.failing_since} />. {t.failingHint}
        </Alert>
      ) : null}
      {overlaps ? (
        <Alert color="yellow" variant="light" mb="lg" role="status">
          {t.overlapUntil} <Time at={until} />.
        </Alert>
      ) : null}
      <div className="stack">
        <Panel title={t.facts}>
          <Facts
            rows={[
              [t.url, <Id key="u" value={endpoint.url} head={40} />],
              [t.columns.types, endpoint.types?.join(', ') ?? t.all],
              [t.note, endpoint.description ?? text.common.none],
              [t.columns.created, <Time key="c" at={endpoint.created_at} />],
              [t.changed, <Time key="ch" at={endpoint.updated_at} />],
            ]}
          />
        </Panel>
        <Panel title={t.deliveries}>
          <Deliveries endpoint={endpoint} />
        </Panel>
      </div>
    </>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  return (
    <>
      <Test endpoint={endpoint} />
      <DialogButton label={t.change.action}>
        {(close) => <EndpointForm endpoint={endpoint} onClose={close} />}
      </DialogButton>
      <Switch endpoint={endpoint} />
      <Rotate endpoint={endpoint} />
      <Remove endpoint={endpoint} />
    </>
  );
}

type Tested = Schemas['TestWebhookEndpointResult'];

function Test({ endpoint }: { endpoint: Endpoint }) {
  const [result, setResult] = useState<Tested>();
  const test = useChange(
    () => call(api.POST('/v1/webhook-endpoints/{endpoint_id}/test', { params: ofEndpoint(endpoint) })),
    setResult,
  );
  return (
    <>
      <ActionButton
        loading={test.isPending}
        onClick={() => test.mutate(undefined, { onError: notifyFailure })}
      >
        {t.test.action}
      </ActionButton>
      {result ? (
        <Modal
          opened
          size="lg"
          onClose={() => setResult(undefined)}
          title={fill(t.test.title, { host: new URL(endpoint.url).host })}
          closeButtonProps={{ 'aria-label': text.common.close }}
        >
          <TestResult result={result} />
        </Modal>
      ) : null}
    </>
  );
}

function TestResult({ result }: { result: Tested }) {
  const { delivered, status_code: status, duration_ms: ms, error, body, response_body } = result;
  return (
    <Stack gap="md">
      <Alert color={delivered ? 'teal' : 'red'} variant="light" role="status">
        {delivered ? t.test.delivered : t.test.failed}{' '}
        {status === null ? '' : `${fill(t.delivery.http, { status, ms })}. `}
        {error}
      </Alert>
      <Text fw={600}>{t.test.received}</Text>
      {response_body ? (
        <TextBlock label={t.test.received} value={response_body} />
      ) : (
        <Text c="dimmed">{t.test.nothing}</Text>
      )}
      <Text fw={600}>{t.test.sent}</Text>
      <TextBlock label={t.test.sent} value={readableJson(body)} />
    </Stack>
  );
}

/** Pauses an endpoint, or has it go on. */
function Switch({ endpoint }: { endpoint: Endpoint }) {
  const words = endpoint.status === 'active' ? t.pause : t.resume;
  const status = endpoint.status === 'active' ? 'disabled' : 'active';
  return (
    <AskButton
      words={words}
      act={() =>
        call(
          api.PATCH('/v1/webhook-endpoints/{endpoint_id}', {
            params: ofEndpoint(endpoint),
            body: { status },
          }),
        )
      }
    />
  );
}

function Remove({ endpoint }: { endpoint: Endpoint }) {
  const navigate = useNavigate();
  return (
    <AskButton
      words={t.remove}
      danger
      act={() => call(api.DELETE('/v1/webhook-endpoints/{endpoint_id}', { params: ofEndpoint(endpoint) }))}
      onDone={() => void navigate({ to: '/webhooks' })}
    />
  );
}

function Rotate({ endpoint }: { endpoint: Endpoint }) {
  const [made, setMade] = useState<WithSecret>();
  const until = made?.previous_secret_until;
  return (
    <>
      <DialogButton label={t.rotate.action}>
        {(close) => (
          <FormDialog
            title={t.rotate.title}
            lead={t.rotate.lead}
            action={t.rotate.submit}
            done={t.rotate.done}
            fields={[
              {
                name: 'overlap_hours',
                label: t.rotate.overlap,
                kind: 'choice',
                options: t.rotate.overlaps,
                initial: '24',
              },
            ]}
            submit={({ overlap_hours }) =>
              call(
                api.POST('/v1/webhook-endpoints/{endpoint_id}/rotate-secret', {
                  params: ofEndpoint(endpoint),
                  body: { overlap_hours: Number(overlap_hours) },
                }),
              )
            }
            onDone={(result) => setMade(result as WithSecret)}
            onClose={close}
          />
        )}
      </DialogButton>
      {made ? (
        <ShownOnce
          title={t.secret.title}
          lead={`${t.secret.lead} ${until ? fill(t.secret.until, { at: formatTime(until) }) : t.secret.replaced}`}
          label={t.secret.label}
          value={made.secret}
          copy={t.secret.copy}
          close={t.secret.done}
          onClose={() => setMade(undefined)}
        />
      ) : null}
    </>
  );
}

import { Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { fill } from '../text/en';
import { webhooks as t } from '../text/portal/webhooks';
import { ActionButton } from '../ui/action';
import { Back, Badge, Facts, Id, PageHead, Panel, Time } from '../ui/parts';
import { Loaded, notifyFailure } from '../ui/states';
import { readableJson, TextBlock } from '../ui/text-block';
import { api, type Schemas, useMay } from './api';
import { resultOf, tones, useResend } from './deliveries';

type Delivery = Schemas['WebhookDeliveryWithBody'];

export function DeliveryDetail() {
  const { id, delivery } = useParams({ strict: false }) as { id: string; delivery: string };
  const found = useLive(['webhook-endpoints', id, 'deliveries', delivery], () =>
    call(
      api.GET('/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}', {
        params: { path: { endpoint_id: id, delivery_id: delivery } },
      }),
    ),
  );
  return (
    <>
      <Back to={`/webhooks/${id}`}>{t.delivery.back}</Back>
      <Loaded of={found}>{(one) => <Detail endpointId={id} delivery={one} />}</Loaded>
    </>
  );
}

/** An attempt that was made, with what came back. */
function Made({ attempt, number }: { attempt: Delivery['attempts'][number]; number: number }) {
  const name = fill(t.delivery.attempt, { number });
  return (
    <li>
      <Text fw={600}>
        {name} · <Time at={attempt.at} />
      </Text>
      <Badge tone={attempt.error === null ? 'good' : 'bad'}>{resultOf(attempt)}</Badge>
      {attempt.response_body ? (
        <TextBlock label={`${t.delivery.response}: ${name}`} value={readableJson(attempt.response_body)} />
      ) : (
        <Text c="dimmed">
          {attempt.status_code === null ? t.delivery.noResponse : t.delivery.emptyResponse}
        </Text>
      )}
    </li>
  );
}

function Detail({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const { type, status, attempts, body, event_id, created_at, next_attempt_at } = delivery;
  const resend = useResend({ endpoint_id: endpointId });
  return (
    <>
      <PageHead
        title={type}
        lead={
          <Group gap="sm">
            <Badge tone={tones[status]}>{t.delivery.statuses[status]}</Badge>
            <Id value={event_id} head={12} />
          </Group>
        }
        actions={
          useMay('manage_webhooks') && status !== 'pending' ? (
            <ActionButton
              loading={resend.isPending}
              onClick={() => resend.mutate([event_id], { onError: notifyFailure })}
            >
              {t.resend.action}
            </ActionButton>
          ) : null
        }
      />
      <div className="columns even">
        <Panel title={t.delivery.body}>
          {body === null ? (
            <Text>{t.delivery.bodyGone}</Text>
          ) : (
            <>
              <TextBlock label={t.delivery.body} value={body} />
              <Text size="sm" c="dimmed" mt="sm">
                {t.delivery.bodyHint}
              </Text>
            </>
          )}
        </Panel>
        <Panel title={t.delivery.attempts}>
          <Facts
            rows={[
              [t.delivery.at, <Time key="a" at={created_at} />],
              [t.delivery.next, <Time key="n" at={next_attempt_at} />],
            ]}
          />
          {attempts.length === 0 ? <Text mt="md">{t.delivery.noAttempts}</Text> : null}
          <ol className="plain attempts">
            {attempts
              .map((attempt, index) => <Made key={attempt.at} attempt={attempt} number={index + 1} />)
              .reverse()}
          </ol>
        </Panel>
      </div>
    </>
  );
}

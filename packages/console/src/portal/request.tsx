import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { call } from '../api/client';
import { text } from '../text';
import { fill } from '../text/en';
import { requests as t } from '../text/portal/requests';
import { DetailPage } from '../ui/detail-page';
import { withUnit } from '../ui/format';
import { Facts, Id, PageHead, Panel, Time } from '../ui/parts';
import { readableJson, TextBlock } from '../ui/text-block';
import { api, type Schemas, useMay } from './api';
import { madeBy, RequestStatus } from './requests';

type Logged = Schemas['LoggedRequestDetail'];

export function RequestDetail() {
  return (
    <DetailPage
      list="/requests"
      title={t.title}
      kind="requests"
      read={(id) => call(api.GET('/v1/requests/{request_id}', { params: { path: { request_id: id } } }))}
    >
      {(request) => <Detail request={request} />}
    </DetailPage>
  );
}

function Detail({ request }: { request: Logged }) {
  const { method, path, status, request_id, request_body, response_body } = request;
  return (
    <>
      <PageHead
        title={`${method} ${path}`}
        lead={
          <Group gap="sm">
            <RequestStatus status={status} />
            <Id value={request_id} head={12} />
          </Group>
        }
      />
      <div className="stack">
        {request.error_code === null ? null : <Why request={request} />}
        <Panel title={t.facts}>
          <Facts rows={factsOf(request)} />
        </Panel>
        <div className="columns even">
          <Body title={t.requestBody} body={request_body} />
          <Body title={t.responseBody} body={response_body} />
        </div>
      </div>
    </>
  );
}

function factsOf(request: Logged): [string, ReactNode][] {
  const { usdc_amount: usdc, gold_amount: gold, object_id, service_user_id } = request;
  const amount = usdc === null ? gold && withUnit(gold, 'GOLD') : withUnit(usdc, 'USDC');
  const facts: [string, ReactNode][] = [
    [t.at, <Time key="a" at={request.created_at} />],
    [t.duration, fill(t.ms, { ms: request.duration_ms })],
    [t.columns.by, madeBy(request) ?? text.common.none],
    [t.requestId, <Id key="x" value={request.x_request_id} head={20} />],
  ];
  if (object_id) facts.push([t.object, <Id key="o" value={object_id} head={12} />]);
  if (service_user_id) facts.push([t.user, <Id key="u" value={service_user_id} head={12} />]);
  if (amount) facts.push([t.amount, amount]);
  return facts;
}

/** The message of an error response, for those who see bodies; of one that was cut, there is none. */
function messageOf(body: string | null): string | undefined {
  try {
    const { message } = JSON.parse(body ?? '{}');
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** What went wrong, in words, and what helps. */
function Why({ request }: { request: Logged }) {
  const { error_code: error, reason, meaning, advice } = request;
  const message = messageOf(request.response_body);
  const [name, path] = reason ? [reason, `/reasons/${reason}`] : [error ?? '', `/errors/${error}`];
  return (
    <Panel title={t.why}>
      {message === undefined ? null : (
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      )}
      <Text>{meaning}</Text>
      <Text fw={600} mt="sm">
        {t.advice}
      </Text>
      <Text>{advice}</Text>
      <Text mt="sm">
        <a href={path} target="_blank" rel="noreferrer" className="text-link">
          {fill(t.page, { name })}
        </a>
      </Text>
    </Panel>
  );
}

function Body({ title, body }: { title: string; body: string | null }) {
  const reads = useMay('read_bodies');
  return (
    <Panel title={title}>
      {body === null ? (
        <Text c="dimmed">{reads ? t.noBody : t.noBodies}</Text>
      ) : (
        <TextBlock label={title} value={readableJson(body)} />
      )}
    </Panel>
  );
}

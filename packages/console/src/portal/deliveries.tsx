import { Checkbox, Group } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useChange, useRows } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { webhooks as t } from '../text/portal/webhooks';
import { ActionButton } from '../ui/action';
import { Choice, FilterBar, TextFilter, useFilters } from '../ui/filters';
import { DialogButton, FormDialog } from '../ui/form';
import { formatTime } from '../ui/format';
import { Badge, Id, TextLink, Time, type Tone } from '../ui/parts';
import { notifyDone, notifyFailure } from '../ui/states';
import { Pages, Table } from '../ui/table';
import { api, type Schemas, useMay } from './api';
import { type Endpoint, eventTypes } from './endpoint-form';

export type Delivery = Schemas['WebhookDelivery'];
type Attempt = Delivery['attempts'][number];
export const tones: Record<Delivery['status'], Tone> = { pending: 'calm', delivered: 'good', failed: 'bad' };
const maxChosen = 100;

/** What was and will be sent to an endpoint; those that are chosen can be sent again. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const id = endpoint.endpoint_id;
  const filters = useFilters();
  const { status, type, event_id } = filters.values;
  const query = { status: status as Delivery['status'], type: type as Delivery['type'], event_id };
  const list = useRows(['webhook-endpoints', id, 'deliveries', query], (cursor) =>
    call(
      api.GET('/v1/webhook-endpoints/{endpoint_id}/deliveries', {
        params: { path: { endpoint_id: id }, query: { ...query, cursor, limit: '50' } },
      }),
    ),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const reads = useMay('read_bodies');
  const resends = useMay('manage_webhooks') && endpoint.status === 'active';
  const toggle = (event: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(event);
    else next.delete(event);
    setChosen(next);
  };
  return (
    <>
      <FilterBar filters={filters} end={resends ? <ResendSpan endpoint={endpoint} /> : null}>
        <Choice filters={filters} name="status" label={t.delivery.status} options={t.delivery.statuses} />
        <Choice filters={filters} name="type" label={t.delivery.type} options={typeOptions} />
        <TextFilter filters={filters} name="event_id" label={t.delivery.event} />
      </FilterBar>
      <Pages of={list} rows={({ deliveries }) => deliveries} empty={nothing}>
        {(rows) => (
          <>
            {resends ? <Chosen endpoint={endpoint} rows={rows} chosen={chosen} set={setChosen} /> : null}
            <Table
              rows={rows}
              label={t.deliveries}
              keyOf={({ delivery_id }) => delivery_id}
              columns={[
                {
                  header: t.delivery.type,
                  cell: (one) => (
                    <Group gap="xs" wrap="nowrap">
                      {resends ? (
                        <Checkbox
                          aria-label={fill(t.delivery.select, {
                            type: one.type,
                            at: formatTime(one.created_at),
                          })}
                          checked={chosen.has(one.event_id)}
                          disabled={chosen.size >= maxChosen && !chosen.has(one.event_id)}
                          onChange={({ currentTarget: { checked } }) => toggle(one.event_id, checked)}
                        />
                      ) : null}
                      {reads ? (
                        <TextLink to={`/webhooks/${id}/${one.delivery_id}`}>{one.type}</TextLink>
                      ) : (
                        <strong>{one.type}</strong>
                      )}
                    </Group>
                  ),
                },
                {
                  header: t.delivery.status,
                  cell: ({ status: now }) => <Badge tone={tones[now]}>{t.delivery.statuses[now]}</Badge>,
                },
                { header: t.delivery.result, cell: ({ attempts }) => resultOf(attempts.at(-1)) },
                { header: t.delivery.attempts, right: true, cell: ({ attempts }) => attempts.length },
                { header: t.delivery.at, cell: ({ created_at }) => <Time at={created_at} /> },
                { header: t.delivery.next, wide: true, cell: ({ next_attempt_at: at }) => <Time at={at} /> },
                {
                  header: t.delivery.event,
                  wide: true,
                  cell: ({ event_id: event }) => <Id value={event} head={10} />,
                },
              ]}
            />
          </>
        )}
      </Pages>
    </>
  );
}

const nothing = { title: t.noDeliveries, body: t.noDeliveriesBody };
const typeOptions = Object.fromEntries(eventTypes.map((type) => [type, type]));

/** The choice of all that are shown, and the button for those that are chosen. */
function Chosen({
  endpoint,
  rows,
  chosen,
  set,
}: {
  endpoint: Endpoint;
  rows: Delivery[];
  chosen: ReadonlySet<string>;
  set: (chosen: ReadonlySet<string>) => void;
}) {
  const shown = rows.slice(0, maxChosen).map(({ event_id }) => event_id);
  const areAll = shown.every((event) => chosen.has(event));
  const resend = useResend(endpoint, () => set(new Set()));
  return (
    <Group gap="md" mb="sm">
      <Checkbox
        label={t.delivery.selectAll}
        checked={areAll}
        indeterminate={chosen.size > 0 && !areAll}
        onChange={() => set(new Set(areAll ? [] : shown))}
      />
      {chosen.size > 0 ? (
        <ActionButton
          size="xs"
          loading={resend.isPending}
          onClick={() => resend.mutate([...chosen], { onError: notifyFailure })}
        >
          {fill(t.resend.many, { count: chosen.size })}
        </ActionButton>
      ) : null}
    </Group>
  );
}

/** Sends events to an endpoint again. */
export const useResend = ({ endpoint_id }: Endpoint | { endpoint_id: string }, done?: () => void) =>
  useChange(
    (event_ids: string[]) =>
      call(
        api.POST('/v1/webhook-endpoints/{endpoint_id}/resend', {
          params: { path: { endpoint_id } },
          body: { event_ids },
        }),
      ),
    ({ resent }) => {
      notifyDone(fill(t.resend.done, { count: resent }));
      done?.();
    },
  );

function ResendSpan({ endpoint: { endpoint_id } }: { endpoint: Endpoint }) {
  const day = (atMs: number) => new Date(atMs).toLocaleString('sv-SE').slice(0, 16);
  return (
    <DialogButton label={t.resend.span}>
      {(close) => (
        <FormDialog
          title={t.resend.span}
          lead={t.resend.spanLead}
          action={t.resend.action}
          done={t.resend.action}
          fields={[
            {
              name: 'from',
              label: t.resend.from,
              hint: t.resend.spanHint,
              initial: day(Date.now() - 3_600_000),
            },
            { name: 'to', label: t.resend.to, hint: t.resend.spanHint, initial: day(Date.now()) },
          ]}
          submit={({ from, to }) =>
            call(
              api.POST('/v1/webhook-endpoints/{endpoint_id}/resend', {
                params: { path: { endpoint_id } },
                body: { from: momentOf(from), to: momentOf(to) },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

/** A time of the reader's zone as the API takes it; what is none is left to the API to refuse. */
function momentOf(typed: string | number | boolean | undefined): string {
  const at = new Date(String(typed).replace(' ', 'T'));
  return Number.isNaN(at.getTime()) ? String(typed) : at.toISOString();
}

export function resultOf(attempt: Attempt | undefined): string {
  if (!attempt) return t.delivery.waiting;
  const { status_code: status, duration_ms: ms, error } = attempt;
  return status === null ? (error ?? text.common.none) : fill(t.delivery.http, { status, ms });
}

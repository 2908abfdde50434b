import { Group, Stack, Text } from '@mantine/core';
import { call } from '../api/client';
import { text } from '../text';
import { records } from '../text/portal/records';
import { DetailPage } from '../ui/detail-page';
import { Choice, TextFilter, useFilters } from '../ui/filters';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { List } from '../ui/list';
import { Amount, ChainId, Facts, Id, PageHead, Panel, StepList, Time, Weight } from '../ui/parts';
import { Qr } from '../ui/qr';
import { api, type Schemas, useMay } from './api';
import { Events, ReceiptButton, type Redemption, RedemptionBadge, redemptionColumns } from './record-parts';

const t = records.redemptions;
const words = text.redemptions;

export function Redemptions() {
  const filters = useFilters();
  const { status, city, user_id, service_user_id } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <List
        filters={filters}
        path="redemptions"
        unsearched
        query={{ status: status as Redemption['status'], city, user_id, service_user_id }}
        read={(query) => call(api.GET('/v1/redemptions', { params: { query } }))}
        label={t.title}
        rows={({ redemptions }) => redemptions}
        keyOf={({ redemption_id }) => redemption_id}
        href={({ redemption_id }) => `/redemptions/${redemption_id}`}
        columns={[
          ...redemptionColumns,
          {
            header: words.columns.redemption,
            wide: true,
            cell: ({ redemption_id }) => <Id value={redemption_id} />,
          },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="status" label={words.filters.status} options={t.status} />
        <TextFilter filters={filters} name="city" label={words.columns.city} />
        <TextFilter filters={filters} name="user_id" label={records.trades.customer} />
      </List>
    </>
  );
}

export function RedemptionDetail() {
  return (
    <DetailPage
      list="/redemptions"
      title={t.title}
      kind="redemptions"
      read={(id) =>
        call(api.GET('/v1/redemptions/{redemption_id}', { params: { path: { redemption_id: id } } }))
      }
    >
      {(one) => <Detail one={one} />}
    </DetailPage>
  );
}

const steps = Object.keys(words.steps) as Redemption['status'][];

function Detail({ one }: { one: Schemas['RedemptionWithCode'] }) {
  const trades = useMay('trade');
  const path = `/v1/redemptions/${one.redemption_id}/receipt`;
  return (
    <>
      <PageHead
        title={`${one.denomination}, ${one.city}`}
        lead={
          <Group gap="sm">
            <RedemptionBadge status={one.status} />
            <Id value={one.redemption_id} head={16} />
          </Group>
        }
        actions={
          <>
            {one.status === 'collected' ? <ReceiptButton path={path} label={t.receipt} /> : null}
            {trades && one.status === 'submitted' ? <Cancel id={one.redemption_id} /> : null}
          </>
        }
      />
      {steps.includes(one.status) ? (
        <StepList
          label={words.steps.submitted}
          names={Object.values(words.steps)}
          reached={steps.indexOf(one.status)}
        />
      ) : null}
      <div className="columns">
        <Stack gap="lg">
          <Panel title={t.events}>
            <Events id={one.redemption_id} place="redemptions" />
          </Panel>
          {one.pickup_code ? <Code code={one.pickup_code} qr={one.pickup_qr} /> : null}
          {one.bar ? <Bar bar={one.bar} /> : null}
        </Stack>
        <Panel title={t.facts}>
          <Facts
            rows={[
              [words.weight, <Weight key="w" grams={one.weight_g} />],
              [words.value, <Amount key="v" value={one.quote.gold_value_usd} unit="USD" />],
              [words.fee, <Amount key="f" value={one.quote.fee_usd} unit="USD" />],
              [words.total, <Amount key="t" value={one.quote.total_usd} unit="USD" />],
              [t.tokens, <Amount key="k" value={one.quote.tokens_required} unit="GOLD" />],
              [words.spot, <Amount key="s" value={one.quote.spot_price_usd} unit="USD" />],
              [words.payment, <ChainId key="p" kind="tx" value={one.submitted_tx_hash} />],
              [words.created, <Time key="c" at={one.created_at} />],
              [words.updated, <Time key="u" at={one.updated_at} />],
              ...(one.cancellation_reason
                ? [[words.cancellationReason, one.cancellation_reason] as [string, string]]
                : []),
              ...(one.message ? [[words.failureReason, one.message] as [string, string]] : []),
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

function Code({ code, qr }: { code: string; qr: string | undefined }) {
  return (
    <Panel title={t.code}>
      <Text c="dimmed" mb="sm">
        {t.codeLead}
      </Text>
      <p className="figure">
        <span className="amount">{code}</span>
      </p>
      {qr ? (
        <div className="totp-qr">
          <Qr value={qr} label={t.code} />
        </div>
      ) : null}
    </Panel>
  );
}

function Bar({ bar }: { bar: Schemas['CollectedBar'] }) {
  return (
    <Panel title={t.bar}>
      <Facts
        rows={[
          [t.refiner, bar.refiner],
          [
            t.serial,
            <span key="s" className="mono">
              {bar.serial}
            </span>,
          ],
          [words.weight, <Weight key="w" grams={bar.weight_g} />],
          [t.fineness, String(bar.fineness)],
        ]}
      />
    </Panel>
  );
}

function Cancel({ id }: { id: string }) {
  return (
    <DialogButton label={t.cancel.action}>
      {(close) => (
        <FormDialog
          title={t.cancel.title}
          lead={t.cancel.lead}
          action={t.cancel.action}
          keep={t.cancel.keep}
          danger
          done={t.cancel.done}
          fields={[{ ...reasonField, optional: true }]}
          submit={({ reason }) =>
            call(
              api.POST('/v1/redemptions/{redemption_id}/cancel', {
                params: { path: { redemption_id: id } },
                body: reason ? { reason: String(reason) } : {},
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

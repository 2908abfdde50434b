import { Button, Tabs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { Choice, useFilters } from '../ui/filters';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { formatCount, shorten } from '../ui/format';
import { CsvBar, List } from '../ui/list';
import { CityFilter, ItemFilter, useCatalogue } from '../ui/names';
import { Badge, PageHead, TextLink, Time, type Tone, Weight } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';
import { type Column, Table } from '../ui/table';

const t = text.stock;
type Bar = Schemas['Bar'];

const tones: Record<Bar['status'], Tone> = {
  in_stock: 'good',
  reserved: 'calm',
  handed_over: 'quiet',
  withdrawn: 'quiet',
};

export function Stock() {
  const filters = useFilters();
  const fulfils = useMay('fulfil');
  const tab = filters.values.tab ?? 'stock';
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          fulfils ? (
            <Button component={Link} to="/stock/import">
              {t.import.action}
            </Button>
          ) : null
        }
      />
      <Tabs
        value={tab}
        onChange={(value) => filters.set({ tab: value === 'bars' ? 'bars' : undefined })}
        mb="lg"
      >
        <Tabs.List>
          <Tabs.Tab value="stock">{t.byCity}</Tabs.Tab>
          <Tabs.Tab value="bars">{t.bars}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'bars' ? <Bars /> : <ByCity />}
    </>
  );
}

function ByCity() {
  const stock = useLive(['stock'], () => call(api.GET('/operator/v1/stock')));
  return (
    <Loaded of={stock}>
      {({ stock: rows }) =>
        rows.length === 0 ? (
          <Empty title={t.noStock} body={t.noStockBody} />
        ) : (
          <>
            <CsvBar path="stock" />
            <Table
              label={t.byCity}
              rows={rows}
              keyOf={({ city, denomination_id }) => `${city} ${denomination_id}`}
              columns={[
                { header: t.columns.city, cell: ({ city }) => city },
                {
                  header: t.columns.item,
                  cell: ({ denomination, denomination_id }) => (
                    <TextLink to="/stock" search={{ tab: 'bars', denomination_id }}>
                      {denomination}
                    </TextLink>
                  ),
                },
                { header: t.columns.inStock, right: true, cell: ({ in_stock }) => formatCount(in_stock) },
                { header: t.columns.reserved, right: true, cell: ({ reserved }) => formatCount(reserved) },
                { header: t.columns.waiting, right: true, cell: ({ waiting }) => formatCount(waiting) },
                {
                  header: t.columns.short,
                  right: true,
                  cell: ({ short_by }) =>
                    short_by > 0 ? <Badge tone="bad">{short_by}</Badge> : text.common.none,
                },
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}

function Bars() {
  const filters = useFilters();
  const fulfils = useMay('fulfil');
  const { status, city, denomination_id, serial } = filters.values;
  const { items } = useCatalogue();
  const columns: Column<Bar>[] = [
    {
      header: t.columns.serial,
      cell: ({ serial, refiner }) => (
        <div className="two-lines">
          <span className="mono">{serial}</span>
          <span>{refiner}</span>
        </div>
      ),
    },
    {
      header: t.columns.status,
      cell: ({ status }) => <Badge tone={tones[status]}>{t.status[status]}</Badge>,
    },
    { header: t.columns.city, cell: ({ city }) => city },
    {
      header: t.columns.item,
      wide: true,
      cell: ({ denomination_id }) => (
        <span className="name">
          {items.find(({ id }) => id === denomination_id)?.label ?? denomination_id}
        </span>
      ),
    },
    { header: t.columns.weight, right: true, cell: ({ weight_g }) => <Weight grams={weight_g} /> },
    { header: t.columns.fineness, right: true, wide: true, cell: ({ fineness }) => fineness },
    {
      header: t.columns.redemption,
      cell: ({ redemption_id }) =>
        redemption_id ? (
          <TextLink to={`/redemptions/${redemption_id}`}>{shorten(redemption_id, 10)}</TextLink>
        ) : (
          text.common.none
        ),
    },
    { header: t.columns.added, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  if (fulfils) columns.push({ header: t.columns.action, cell: (bar) => <Withdraw bar={bar} /> });
  return (
    <List
      filters={filters}
      path="bars"
      query={{ status: status as Bar['status'], city, denomination_id, serial }}
      read={(query) => call(api.GET('/operator/v1/bars', { params: { query } }))}
      label={t.bars}
      rows={({ bars }) => bars}
      columns={columns}
      keyOf={({ bar_id }) => bar_id}
      empty={{ title: t.noBars, body: t.noStockBody }}
    >
      <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
      <CityFilter filters={filters} />
      <ItemFilter filters={filters} />
    </List>
  );
}

function Withdraw({ bar }: { bar: Bar }) {
  if (bar.status !== 'in_stock') return null;
  return (
    <DialogButton
      label={t.withdraw.action}
      size="xs"
      waits={{ action: ['bar.withdraw', 'bar.change'], object: bar.bar_id }}
    >
      {(close) => (
        <FormDialog
          title={t.withdraw.title.replace('{serial}', bar.serial)}
          lead={t.withdraw.lead}
          action={t.withdraw.action}
          danger
          fields={[reasonField]}
          done={t.withdraw.done}
          onClose={close}
          submit={({ reason }) =>
            call(
              api.PATCH('/operator/v1/bars/{bar_id}', {
                params: { path: { bar_id: bar.bar_id } },
                body: { status: 'withdrawn', reason: String(reason) },
              }),
            )
          }
        />
      )}
    </DialogButton>
  );
}

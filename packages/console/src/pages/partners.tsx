import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { Choice, useFilters } from '../ui/filters';
import { DialogButton, FormDialog } from '../ui/form';
import { List } from '../ui/list';
import { Badge, PageHead, Time } from '../ui/parts';
import { feeField, feeFraction } from './partner-parts';

const t = text.partners;
type Status = Schemas['Partner']['status'];

export function Partners() {
  const filters = useFilters();
  const administers = useMay('administer');
  const { status } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={administers ? <Create /> : null} />
      <List
        filters={filters}
        path="partners"
        query={{ status: status as Status }}
        read={(query) => call(api.GET('/operator/v1/partners', { params: { query } }))}
        label={t.title}
        rows={({ partners }) => partners}
        keyOf={({ partner_id }) => partner_id}
        href={({ partner_id }) => `/partners/${partner_id}`}
        columns={[
          { header: t.columns.name, cell: ({ name }) => name },
          {
            header: t.columns.status,
            cell: ({ status }) => (
              <Badge tone={status === 'active' ? 'good' : 'bad'}>{t.status[status]}</Badge>
            ),
          },
          { header: t.columns.fee, right: true, cell: ({ fee_percentage: fee }) => percent(fee) },
          {
            header: t.columns.wallets,
            right: true,
            cell: ({ wallets }) => wallets.filter(({ status }) => status === 'active').length,
          },
          { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
      </List>
    </>
  );
}

const percent = (fee: number) => <span className="amount">{`${Number((fee * 100).toFixed(4))} %`}</span>;

/** The first step of onboarding; the page of the partner shows the next ones. */
function Create() {
  const navigate = useNavigate();
  return (
    <DialogButton label={t.create.action} primary act="add">
      {(close) => (
        <FormDialog
          title={t.create.title}
          lead={t.create.lead}
          action={t.create.submit}
          done={t.create.done}
          fields={[
            { name: 'name', label: t.create.name },
            feeField(1.5),
            { name: 'wallet_address', label: t.create.wallet, hint: t.create.walletHint, optional: true },
          ]}
          submit={({ name, fee_percentage, wallet_address }) =>
            call(
              api.POST('/operator/v1/partners', {
                body: {
                  name: String(name),
                  fee_percentage: feeFraction(fee_percentage),
                  ...(wallet_address ? { wallet_address: String(wallet_address) } : {}),
                },
              }),
            )
          }
          onDone={(result) => {
            if ('partner_id' in result)
              void navigate({ to: `/partners/${String(result.partner_id)}` as string });
          }}
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

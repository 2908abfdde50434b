import { Button, Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { api, call, type Schemas } from '../api/client';
import { useLive } from '../api/live';
import { Mark } from '../app/mark';
import { text } from '../text';
import { Amount, Back, Facts, PageHead, Time } from '../ui/parts';
import { Qr } from '../ui/qr';
import { Loaded } from '../ui/states';

const t = text.redemptions.print;
type Receipt = Schemas['Receipt'];

/** What is printed at the counter: the receipt of the hand-over, and the label of the shelf. */
export function ReceiptPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const receipt = useLive(['redemptions', id, 'receipt'], () =>
    call(
      api.GET('/operator/v1/redemptions/{redemption_id}/receipt', {
        params: { path: { redemption_id: id } },
      }),
    ),
  );
  return (
    <>
      <div className="no-print">
        <Back to={`/redemptions/${id}`}>{text.redemptions.title}</Back>
        <PageHead
          title={t.title}
          lead={t.lead}
          actions={
            <Group gap="xs">
              <Button variant="default" onClick={() => printOnly('label')}>
                {t.label}
              </Button>
              <Button onClick={() => printOnly('receipt')}>{t.receipt}</Button>
            </Group>
          }
        />
      </div>
      <Loaded of={receipt}>
        {(found) => (
          <>
            <Paper receipt={found} />
            <Label receipt={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Prints one of the two sheets; the style sheet leaves out all else. */
function printOnly(sheet: 'label' | 'receipt') {
  document.documentElement.dataset.print = sheet;
  print();
}

function Paper({ receipt }: { receipt: Receipt }) {
  const { bar, customer } = receipt;
  return (
    <section className="sheet receipt" aria-label={t.receiptTitle}>
      <header>
        <Mark size={32} /> <h2>{t.receiptTitle}</h2>
      </header>
      <Facts
        rows={[
          [t.item, receipt.denomination],
          [t.weight, <Amount key="w" value={receipt.weight_g} unit="g" />],
          [t.fineness, bar?.fineness ?? text.common.none],
          [t.bar, bar ? `${bar.serial}, ${bar.refiner}` : text.common.none],
          [t.city, receipt.city],
          [t.customer, customer?.full_name ?? text.common.none],
          [t.document, customer?.id_number_masked ?? text.common.none],
          [t.partner, receipt.partner_name],
          [t.tokens, <Amount key="t" value={receipt.tokens} unit="GOLD" />],
          [t.paid, <Time key="p" at={receipt.paid_at} />],
          [t.ready, <Time key="r" at={receipt.ready_at} />],
          [t.collected, <Time key="c" at={receipt.collected_at} />],
          [t.handedOverBy, receipt.handed_over_by ?? text.common.none],
          [
            t.transaction,
            <span key="x" className="mono">
              {receipt.tx_hash}
            </span>,
          ],
          [
            t.id,
            <span key="i" className="mono">
              {receipt.redemption_id}
            </span>,
          ],
        ]}
      />
      <div className="signatures">
        <span>{t.signCustomer}</span>
        <span>{t.signClerk}</span>
      </div>
    </section>
  );
}

function Label({ receipt }: { receipt: Receipt }) {
  return (
    <section className="sheet label" aria-label={t.labelTitle}>
      <Qr value={receipt.redemption_id} />
      <div>
        <strong>{receipt.denomination}</strong>
        <span>{receipt.city}</span>
        <span className="mono">{receipt.bar?.serial ?? text.common.none}</span>
        <span className="mono small">{receipt.redemption_id}</span>
      </div>
    </section>
  );
}

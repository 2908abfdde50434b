import '../app/counter.css';
import { Button, Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { api } from '../api/operator';
import { text } from '../text';
import { LanguageChoice, Localized, useLanguage } from '../ui/language';
import { Back, PageHead } from '../ui/parts';
import { printOnly } from '../ui/print';
import { Loaded } from '../ui/states';
import { fileNameOf, Label, Paper } from './receipt-paper';

const t = text.redemptions.print;

/** Reads what stands on the receipt of a redemption. */
export const useReceipt = (id: string) =>
  useLive(['redemptions', id, 'receipt'], () =>
    call(
      api.GET('/operator/v1/redemptions/{redemption_id}/receipt', {
        params: { path: { redemption_id: id } },
      }),
    ),
  );

/** What is printed at the counter: the receipt of the hand-over, and the label of the shelf. */
export function ReceiptPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const [language, setLanguage] = useLanguage();
  const receipt = useReceipt(id);
  const { data } = receipt;
  const name = data ? fileNameOf(data) : id;
  return (
    <Localized language={language}>
      <div className="no-print" lang="en" dir="ltr">
        <Back to={`/redemptions/${id}`}>{text.redemptions.title}</Back>
        <PageHead
          title={t.title}
          lead={t.lead}
          actions={
            <Group gap="xs">
              <LanguageChoice choose={setLanguage} />
              <Button variant="default" disabled={!data} onClick={() => printOnly('label', `label-${id}`)}>
                {t.label}
              </Button>
              <Button disabled={!data} onClick={() => printOnly('receipt', name)}>
                {t.receipt}
              </Button>
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
    </Localized>
  );
}

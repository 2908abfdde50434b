import type { ReactNode } from 'react';
import type { Schemas } from '../api/operator';
import { Mark } from '../app/mark';
import { useLocal } from '../text/counter';
import { gramsPerTola } from '../text/language.js';
import { documentName } from '../ui/format';
import { Facts } from '../ui/parts';
import { Qr } from '../ui/qr';
import { type Signature, Signed } from '../ui/signature';

export type Receipt = Schemas['Receipt'];

/** The name of the file that a receipt is saved as. */
export const fileNameOf = ({ redemption_id, collected_at }: Receipt) =>
  `receipt-${(collected_at ?? 'draft').slice(0, 10)}-${redemption_id}`;

/** What is never translated and reads from left to right: names of things, numbers of documents, ids. */
function Exact({ children, mono }: { children: ReactNode; mono?: boolean }) {
  return <bdi className={mono ? 'mono' : undefined}>{children}</bdi>;
}

/** The receipt of a hand-over, in the language that is chosen around it. */
export function Paper({ receipt, signature }: { receipt: Receipt; signature?: Signature }) {
  const { t } = useLocal();
  const { receipt: r } = t;
  const { collected_at, redemption_id } = receipt;
  return (
    <section className="sheet receipt" aria-label={r.title}>
      <Issuer receipt={receipt} />
      <h2>{r.title}</h2>
      <p className="paper-number">
        {r.number} <Exact mono>{redemption_id}</Exact>
      </p>
      {collected_at === null ? <p className="draft">{r.draft}</p> : null}
      <Goods receipt={receipt} />
      <Money receipt={receipt} />
      <Parties receipt={receipt} />
      <div className="signatures">
        <div>
          {signature ? <Signed of={signature} /> : null}
          <span>{r.signCustomer}</span>
        </div>
        <div>
          <span>{r.signClerk}</span>
        </div>
      </div>
    </section>
  );
}

function Issuer({ receipt: { issuer } }: { receipt: Receipt }) {
  const { t, fill } = useLocal();
  return (
    <header>
      <Mark size={32} />
      {issuer ? (
        <div>
          <strong>{issuer.name}</strong>
          <span>{issuer.address}</span>
          <span>{fill(t.receipt.registration, { number: issuer.registration_number })}</span>
        </div>
      ) : (
        <p className="no-print draft">{t.receipt.noIssuer}</p>
      )}
    </header>
  );
}

function Part({ title, rows }: { title: string; rows: [string, ReactNode][] }) {
  return (
    <>
      <h3>{title}</h3>
      <Facts rows={rows} />
    </>
  );
}

function Goods({ receipt }: { receipt: Receipt }) {
  const { t, formats, fill } = useLocal();
  const { receipt: r } = t;
  const { bar, weight_g: grams } = receipt;
  const weight = fill(r.weightValue, {
    grams: formats.number(grams),
    tola: formats.number(grams / gramsPerTola, 4),
    ounces: formats.number(receipt.weight_troy_oz, 6),
  });
  return (
    <Part
      title={r.goods}
      rows={[
        [r.item, <Exact key="i">{receipt.denomination}</Exact>],
        [r.weight, weight],
        [r.fineness, bar ? fill(r.finenessValue, { value: formats.number(bar.fineness) }) : t.none],
        [r.serial, bar ? <Exact key="s">{bar.serial}</Exact> : t.none],
        [r.refiner, bar ? <Exact key="r">{bar.refiner}</Exact> : t.none],
        [r.city, <Exact key="c">{receipt.city}</Exact>],
      ]}
    />
  );
}

function Money({ receipt: { quote, tokens, tx_hash } }: { receipt: Receipt }) {
  const { t, formats, fill } = useLocal();
  const { receipt: r } = t;
  return (
    <Part
      title={r.money}
      rows={[
        [r.goldValue, formats.usd(quote.gold_value_usd)],
        [r.fee, formats.usd(quote.fee_usd)],
        [r.total, <strong key="t">{formats.usd(quote.total_usd)}</strong>],
        [r.tokens, fill(r.tokensValue, { value: formats.number(tokens, 6) })],
        [
          r.transaction,
          <Exact key="x" mono>
            {tx_hash ?? t.none}
          </Exact>,
        ],
      ]}
    />
  );
}

function Parties({ receipt }: { receipt: Receipt }) {
  const { t, formats } = useLocal();
  const { receipt: r } = t;
  const { customer } = receipt;
  const time = (at: string | null) => (at === null ? t.none : formats.time(at));
  const document = [customer?.id_type && documentName(customer.id_type), customer?.id_number_masked];
  return (
    <Part
      title={r.parties}
      rows={[
        [r.customer, customer?.full_name ?? t.none],
        [r.document, <Exact key="d">{document.filter(Boolean).join(' ') || t.none}</Exact>],
        [r.partner, receipt.partner_name],
        [r.paid, time(receipt.paid_at)],
        [r.collected, time(receipt.collected_at)],
        [r.handedOverBy, receipt.handed_over_by ?? t.none],
      ]}
    />
  );
}

/** The label of the shelf, a sheet of its own. */
export function Label({ receipt }: { receipt: Receipt }) {
  const { t } = useLocal();
  return (
    <section className="sheet label" aria-label={t.label.title}>
      <Qr value={receipt.redemption_id} />
      <div>
        <strong>
          <Exact>{receipt.denomination}</Exact>
        </strong>
        <span>
          <Exact>{receipt.city}</Exact>
        </span>
        <span>
          <Exact mono>{receipt.bar?.serial ?? t.none}</Exact>
        </span>
        <span className="small">
          <Exact mono>{receipt.redemption_id}</Exact>
        </span>
      </div>
    </section>
  );
}

import '../app/counter.css';
import { Alert, Button, Select, TextInput, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client';
import { readAll, useLive } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { useLocal } from '../text/counter';
import { plainDigits } from '../text/language.js';
import { LanguageChoice, Localized, useLanguage } from '../ui/language';
import { PageHead } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';
import { HandOver } from './counter-hand-over';
import { Step, useScanner } from './counter-step';

/** Whom a clerk serves: the redemption, and its code where that was scanned with it. */
interface Served {
  id: string;
  code: string;
}

/** Full screen, for those who hand over gold: from the customer's code to the receipt. */
export function Counter() {
  const [language, setLanguage] = useLanguage();
  return (
    <Localized language={language} className="counter">
      <Desk chooseLanguage={setLanguage} />
    </Localized>
  );
}

function Desk({ chooseLanguage }: { chooseLanguage: Parameters<typeof LanguageChoice>[0]['choose'] }) {
  const { t } = useLocal();
  const [city, setCity] = useLocalStorage<string | null>({
    key: 'karat-counter-city',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const [served, setServed] = useState<Served>();
  const mayFulfil = useMay('fulfil');
  const isDropped = useScanner();
  const cities = useCities();
  const only = cities.data?.length === 1 ? cities.data[0] : undefined;
  useEffect(() => {
    if (city === null && only) setCity(only);
  });
  useEffect(() => {
    document.title = t.title;
  }, [t]);
  return (
    <>
      <div className="counter-head no-print">
        {city === null ? null : (
          <Select
            size="md"
            aria-label={t.city}
            data={cities.data ?? [city]}
            value={city}
            disabled={served !== undefined}
            allowDeselect={false}
            onChange={setCity}
          />
        )}
        <LanguageChoice choose={chooseLanguage} />
        <Link to="/" className="text-link">
          {t.leave}
        </Link>
      </div>
      {isDropped ? (
        <Alert color="yellow" role="status" mb="md">
          {t.stray}
        </Alert>
      ) : null}
      {mayFulfil ? (
        city === null ? (
          <Loaded of={cities}>{(names) => <WhereIsIt cities={names} choose={setCity} />}</Loaded>
        ) : served ? (
          <HandOver
            key={served.id}
            id={served.id}
            scanned={served.code}
            city={city}
            onLeave={() => setServed(undefined)}
          />
        ) : (
          <WhoIsHere key={city} city={city} serve={setServed} />
        )
      ) : (
        <>
          <PageHead title={t.title} />
          <Empty title={t.notAllowed} body={t.notAllowedBody} />
        </>
      )}
    </>
  );
}

/** All cities of the catalogue. */
const useCities = () =>
  useQuery({
    queryKey: ['denominations', 'cities'],
    queryFn: async () => {
      const pages = await readAll((cursor) =>
        call(
          api.GET('/operator/v1/denominations', {
            params: { query: { limit: '100', ...(cursor && { cursor }) } },
          }),
        ),
      );
      return [...new Set(pages.flatMap(({ denominations }) => denominations.map(({ city }) => city)))].sort();
    },
  });

/** Comes before the first customer, once: the device remembers the city. */
function WhereIsIt({ cities, choose }: { cities: string[]; choose: (city: string) => void }) {
  const { t } = useLocal();
  return (
    <div className="counter-step">
      <h1>{t.place.title}</h1>
      <p className="lead">{t.place.lead}</p>
      <div className="counter-actions">
        {cities.map((city) => (
          <Button key={city} size="xl" variant="default" onClick={() => choose(city)}>
            {city}
          </Button>
        ))}
      </div>
    </div>
  );
}

const pickup = /^karat:pickup:(red_[0-9a-f-]{36}):(\d{8})$/i;
const shelf = /^red_[0-9a-f-]{36}$/i;
const digits = /^\d{4}[ -]?\d{4}$/;

/** Reads a customer's pickup code, or the label of a shelf, which has no code. */
function readScan(text: string): Served | undefined {
  const typed = plainDigits(text.trim());
  const [, id, code] = pickup.exec(typed) ?? [];
  if (id && code) return { id: id.toLowerCase(), code };
  return shelf.test(typed) ? { id: typed.toLowerCase(), code: '' } : undefined;
}

/** The first step: a scan, or a choice of those whose gold is ready here. */
function WhoIsHere({ city, serve }: { city: string; serve: (served: Served) => void }) {
  const { t } = useLocal();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  return (
    <>
      <Step
        at="customer"
        title={t.customer.title}
        lead={t.customer.lead}
        action={t.continue}
        disabled={typed.trim() === ''}
        onSubmit={() => {
          const scan = readScan(typed);
          setTyped('');
          if (scan) return serve(scan);
          const isCode = digits.test(plainDigits(typed.trim()));
          setError(isCode ? t.customer.digits : t.customer.unreadable);
        }}
      >
        <TextInput
          size="lg"
          label={t.customer.scan}
          description={t.customer.scanHint}
          error={error}
          value={typed}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          data-first
          data-scan
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            if (value !== '') setError(undefined);
          }}
        />
      </Step>
      <Waiting city={city} serve={serve} />
    </>
  );
}

/** How many customers are shown, each with a request of its own for the name. */
const maxShown = 24;

function Waiting({ city, serve }: { city: string; serve: (served: Served) => void }) {
  const { t, fill } = useLocal();
  const query = { status: 'ready', city, order: 'asc', limit: String(maxShown) } as const;
  const ready = useLive(['redemptions', 'counter', query], () =>
    call(api.GET('/operator/v1/redemptions', { params: { query } })),
  );
  return (
    <section className="waiting" aria-label={fill(t.customer.waiting, { city })}>
      <h2>{fill(t.customer.waiting, { city })}</h2>
      <Loaded of={ready}>
        {({ redemptions, next_cursor }) =>
          redemptions.length === 0 ? (
            <p className="dimmed">{fill(t.customer.noOne, { city })}</p>
          ) : (
            <>
              <ul>
                {redemptions.map((one) => (
                  <li key={one.redemption_id}>
                    <Person one={one} choose={() => serve({ id: one.redemption_id, code: '' })} />
                  </li>
                ))}
              </ul>
              {next_cursor === null ? null : <p className="dimmed">{t.customer.more}</p>}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function Person({ one, choose }: { one: Schemas['Redemption']; choose: () => void }) {
  const { t, formats, fill } = useLocal();
  const { redemption_id } = one;
  // A name does not change while a customer waits, so that it is read once.
  const { data } = useQuery({
    queryKey: ['counter', 'name', redemption_id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const params = { path: { redemption_id } };
      const found = await call(api.GET('/operator/v1/redemptions/{redemption_id}', { params }));
      return found.customer?.full_name ?? null;
    },
  });
  return (
    <UnstyledButton className="person" type="button" onClick={choose}>
      <strong>{data === undefined ? '…' : (data ?? t.customer.unnamed)}</strong>
      <span>
        <bdi>{one.denomination}</bdi>
      </span>
      <small>{fill(t.customer.since, { time: formats.time(one.updated_at) })}</small>
    </UnstyledButton>
  );
}

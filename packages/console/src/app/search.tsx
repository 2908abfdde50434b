import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client';
import { api, useMay } from '../api/operator';
import { FindDialog } from '../pages/find-customer';
import { text } from '../text';
import { fill } from '../text/en';
import { shorten } from '../ui/format';
import { type Icon, IconArrowRight, IconHandGrab, IconSearch } from '../ui/icons';
import { useCatalogue, usePartnerNames } from '../ui/names';
import { items } from './nav';

const t = text.search;
const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Ids that lead to a page of their own. */
const ids: [RegExp, label: string, path: (id: string) => string][] = [
  [new RegExp(`^red_${uuid}$`), t.openRedemption, (id) => `/redemptions/${id}`],
  [new RegExp(`^gu_${uuid}$`), t.openUser, (id) => `/users/${id}`],
  [new RegExp(`^${uuid}$`), t.openPartner, (id) => `/partners/${id}`],
];

/** How long typing pauses before what is typed is searched for, and how many of each kind are shown. */
const pauseMs = 200;
const limit = '5';

/** Fewer letters would find anything. */
const isLongEnough = (wanted: string) => wanted.length >= 2;

/** Whether a text may be the name of a person: it is sent in no address then. Serials and ids have digits. */
const mayBeName = (wanted: string) => !/[\d_]/.test(wanted);

interface Hit {
  id: string;
  label: string;
  description?: string;
  icon?: Icon;
  /** Where it leads. */
  to?: string;
  search?: Record<string, string>;
  run?: () => void;
}

const has = (label: string, wanted: string) => label.toLowerCase().includes(wanted.toLowerCase());

/** Finds pages, actions, cities, partners, customers, redemptions and bars: all that a person would look for. */
export default function Search() {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [person, setPerson] = useState<string>();
  // It is loaded when it is opened for the first time.
  useEffect(() => spotlight.open(), []);
  const wanted = query.trim();
  const things = useThings(wanted);
  const cities = useCities(wanted);
  const acts = useActs(wanted, setPerson);
  const pages = items
    .filter(({ label }) => has(label, wanted))
    .map(({ to, label, icon }) => ({ id: to, to, label, icon }));
  const groups: [name: string, hits: Hit[]][] = [
    [t.groups.found, [...direct(wanted), ...things.hits, ...cities]],
    [t.groups.pages, pages],
    [t.groups.actions, acts],
  ];
  return (
    <>
      <Spotlight
        actions={groups
          .filter(([, hits]) => hits.length > 0)
          .map(([group, hits]) => ({
            group,
            actions: hits.map(({ id, label, description, icon: Icon = IconArrowRight, to, search, run }) => ({
              id,
              label,
              ...(description ? { description } : {}),
              leftSection: <Icon size={18} stroke={1.6} />,
              onClick:
                run ??
                (() => void navigate({ to: to as string, search: (search ?? {}) as Record<string, string> })),
            })),
          }))}
        query={query}
        onQueryChange={setQuery}
        filter={(_query, actions) => actions}
        nothingFound={things.searching ? t.searching : t.nothing}
        shortcut={null}
        clearQueryOnClose
        scrollable
        maxHeight="min(70vh, 520px)"
        searchProps={{
          leftSection: <IconSearch size={18} />,
          placeholder: t.placeholder,
          'aria-label': t.placeholder,
          maxLength: 100,
        }}
      />
      {person === undefined ? null : <FindDialog name={person} onClose={() => setPerson(undefined)} />}
    </>
  );
}

/** What a whole id leads to, without a search for it. */
const direct = (wanted: string): Hit[] =>
  ids.flatMap(([pattern, label, path]) =>
    pattern.test(wanted) ? [{ id: wanted, label: fill(label, { id: wanted }), to: path(wanted) }] : [],
  );

/** The things that a text finds: partners by name, the rest in the lists of the API. */
function useThings(wanted: string): { hits: Hit[]; searching: boolean } {
  const [settled] = useDebouncedValue(wanted, pauseMs);
  const partnerNames = usePartnerNames() ?? {};
  const enabled = isLongEnough(settled) && !mayBeName(settled) && direct(settled).length === 0;
  const found = useQuery({
    queryKey: ['search', settled],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const params = { query: { q: settled, limit } };
      const [users, redemptions, bars] = await Promise.all([
        call(api.GET('/operator/v1/users', { params })),
        call(api.GET('/operator/v1/redemptions', { params })),
        call(api.GET('/operator/v1/bars', { params })),
      ]);
      return { ...users, ...redemptions, ...bars };
    },
  });
  const partners = Object.entries(partnerNames)
    .filter(([id, name]) => isLongEnough(wanted) && (has(name, wanted) || id.startsWith(wanted)))
    .slice(0, Number(limit))
    .map(([id, label]): Hit => ({ id, label, description: t.partner, to: `/partners/${id}` }));
  const searching = isLongEnough(wanted) && !mayBeName(wanted) && (wanted !== settled || found.isFetching);
  if (!enabled || !found.data) return { hits: partners, searching };
  const { users, redemptions, bars } = found.data;
  const hits: Hit[] = [
    ...redemptions.map(({ redemption_id: id, denomination, city, status }) => ({
      id,
      label: `${denomination}, ${city}`,
      description: fill(t.redemption, { status: text.redemptions.status[status], id: shorten(id, 16) }),
      icon: IconHandGrab,
      to: `/redemptions/${id}`,
    })),
    ...bars.map(({ bar_id: id, serial, refiner, city, status, redemption_id }) => ({
      id,
      label: `${serial}, ${refiner}`,
      description: fill(t.bar, { city, status: text.stock.status[status] }),
      ...(redemption_id
        ? { to: `/redemptions/${redemption_id}` }
        : { to: '/stock', search: { tab: 'bars', q: serial } }),
    })),
    ...users.map(({ service_user_id: id, user_id, partner_id }) => ({
      id,
      label: user_id,
      description: fill(t.customer, { partner: partnerNames[partner_id] ?? shorten(partner_id) }),
      to: `/users/${id}`,
    })),
    ...partners,
  ];
  return { hits, searching };
}

/** The cities of the catalogue that match: what waits there, and what the vault there holds. */
function useCities(wanted: string): Hit[] {
  const { cities } = useCatalogue();
  if (!isLongEnough(wanted)) return [];
  return cities
    .filter((city) => has(city, wanted))
    .flatMap((city): Hit[] => [
      {
        id: `redemptions ${city}`,
        label: fill(t.redemptionsIn, { city }),
        to: '/redemptions',
        search: { city },
      },
      { id: `bars ${city}`, label: fill(t.barsIn, { city }), to: '/stock', search: { tab: 'bars', city } },
    ]);
}

/** What the operator may do that matches; last, the search by name, which the audit log records. */
function useActs(wanted: string, findPerson: (name: string) => void): Hit[] {
  const [administers, fulfils, readsKyc] = [useMay('administer'), useMay('fulfil'), useMay('read_kyc')];
  const chain = useQuery({
    queryKey: ['chain'],
    queryFn: () => call(api.GET('/operator/v1/chain/status')),
    enabled: administers,
  });
  const paused = chain.data?.paused.trade;
  const acts: (Hit | false)[] = [
    fulfils && { id: 'import', label: text.stock.import.action, to: '/stock/import' },
    administers &&
      paused !== undefined && {
        id: 'trading',
        label: paused ? t.resumeTrading : t.pauseTrading,
        to: '/treasury',
        search: { act: paused ? 'resume' : 'pause' },
      },
    administers && {
      id: 'partner',
      label: text.partners.create.action,
      to: '/partners',
      search: { act: 'add' },
    },
  ];
  const matching = acts.filter((act): act is Hit => act !== false && has(act.label, wanted));
  if (!readsKyc) return matching;
  const isName = isLongEnough(wanted) && mayBeName(wanted);
  const label = isName ? fill(t.findNamed, { name: wanted }) : text.findCustomer.action;
  return isName || has(label, wanted)
    ? [
        ...matching,
        { id: 'person', label, description: t.recorded, run: () => findPerson(isName ? wanted : '') },
      ]
    : matching;
}

import '@mantine/spotlight/styles.css';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { text } from '../text';
import { fill } from '../text/en';
import { IconArrowRight, IconSearch } from '../ui/icons';
import { items } from './nav';

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Ids that lead to a page of their own. */
const ids: [RegExp, label: string, path: (id: string) => string][] = [
  [new RegExp(`^red_${uuid}$`), text.search.openRedemption, (id) => `/redemptions/${id}`],
  [new RegExp(`^gu_${uuid}$`), text.search.openUser, (id) => `/users/${id}`],
  [new RegExp(`^${uuid}$`), text.search.openPartner, (id) => `/partners/${id}`],
];

/** Finds pages by name, and things by their id. */
export default function Search() {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  // It is loaded when it is opened for the first time.
  useEffect(() => spotlight.open(), []);
  const wanted = query.trim();
  const direct = ids.flatMap(([pattern, label, path]) =>
    pattern.test(wanted)
      ? [
          {
            id: wanted,
            label: fill(label, { id: wanted }),
            onClick: () => void navigate({ to: path(wanted) }),
          },
        ]
      : [],
  );
  const pages = items
    .filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
    .map(({ to, label, icon: Icon }) => ({
      id: to,
      label,
      onClick: () => void navigate({ to }),
      leftSection: <Icon size={18} stroke={1.6} />,
    }));
  return (
    <Spotlight
      actions={[...direct.map((one) => ({ ...one, leftSection: <IconArrowRight size={18} /> })), ...pages]}
      query={query}
      onQueryChange={setQuery}
      filter={(_query, actions) => actions}
      nothingFound={text.search.nothing}
      shortcut={null}
      clearQueryOnClose
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: text.search.placeholder,
        'aria-label': text.search.placeholder,
      }}
    />
  );
}

import {
  ActionIcon,
  Alert,
  Burger,
  Drawer,
  Kbd,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { api, call, Notice } from '../api/client';
import { useLive, useMe, useStream } from '../api/live';
import { session, type Unsigned } from '../api/session';
import { text } from '../text';
import { DialogHost } from '../ui/dialog-host';
import { IconKeyboard, IconLogout, IconMoon, IconSearch, IconSun } from '../ui/icons';
import { ConnectionBanner } from './connection-banner';
import { useKeys } from './keys';
import { Mark } from './mark';
import { groups } from './nav';
import { useNotifications } from './notifications';
import { useSignOut } from './session';

const load = {
  search: () => import('./search'),
  spotlight: () => import('@mantine/spotlight'),
  keyList: () => import('./key-list'),
  confirmSession: () => import('./confirm-session'),
  unsigned: () => import('./unsigned'),
};
/** What the frame loads when it is needed. */
export const shellParts = Object.values(load);

const Search = lazy(load.search);
const KeyList = lazy(load.keyList);
const ConfirmSession = lazy(load.confirmSession);
const UnsignedTransaction = lazy(load.unsigned);

/** Opens the search, which is loaded then. */
function useSearchField() {
  const [wanted, setWanted] = useState(false);
  const open = useCallback(() => {
    if (wanted) void load.spotlight().then(({ spotlight }) => spotlight.open());
    setWanted(true);
  }, [wanted]);
  return { wanted, open };
}

/** Has the operator confirm the session where a request of any page needs it. */
function useConfirmations() {
  const [asked, setAsked] = useState<{
    resolve: (confirmation: string) => void;
    reject: (error: unknown) => void;
  }>();
  useEffect(() => {
    let giveUp = (_error: Error) => {};
    session.watchConfirmation(
      () =>
        new Promise((resolve, reject) => {
          giveUp = reject;
          setAsked({ resolve, reject });
        }),
    );
    return () => {
      session.watchConfirmation(undefined);
      // Otherwise the request would wait forever for a dialog that is gone, as would every later one that needs confirmation.
      giveUp(new Notice(text.failure.ended));
    };
  }, []);
  if (!asked) return null;
  return (
    <ConfirmSession
      onDone={(confirmation) => {
        asked.resolve(confirmation);
        setAsked(undefined);
      }}
      onFailure={(error) => {
        asked.reject(error);
        setAsked(undefined);
      }}
    />
  );
}

/** Shows a transaction that a change of any page left to be signed elsewhere. */
function useUnsigned() {
  const [unsigned, setUnsigned] = useState<Unsigned>();
  useEffect(() => {
    session.showUnsigned = setUnsigned;
  }, []);
  return unsigned ? <UnsignedTransaction of={unsigned} onClose={() => setUnsigned(undefined)} /> : null;
}

export function Shell() {
  const [opened, drawer] = useDisclosure(false);
  const [keysOpened, keys] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => drawer.close(), [path]);
  const search = useSearchField();
  // The counter takes the whole screen.
  const full = path === '/counter';
  useKeys({ openList: keys.open, openSearch: search.open, enabled: !full });
  const paused = useStream();
  useNotifications();
  useFocusOnPage(path);
  const confirmation = useConfirmations();
  const unsigned = useUnsigned();
  return (
    <div className={full ? 'shell full' : 'shell'}>
      <a href="#content" className="skip">
        {text.nav.skip}
      </a>
      <ConnectionBanner />
      <div className="topbar">
        <Burger opened={opened} onClick={drawer.toggle} aria-label={text.nav.open} size="sm" />
        <Mark />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={search.open}
          aria-label={text.nav.search}
        >
          <IconSearch size={18} />
        </ActionIcon>
      </div>
      <div className="sidebar">
        <Navigation openKeys={keys.open} openSearch={search.open} />
      </div>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        size={280}
        title={text.product}
        closeButtonProps={{ 'aria-label': text.common.close }}
      >
        <Navigation openKeys={keys.open} openSearch={search.open} />
      </Drawer>
      <main className="content" id="content" tabIndex={-1}>
        {paused ? (
          <Alert mb="lg" role="status">
            {text.common.paused}
          </Alert>
        ) : null}
        <DialogHost page={path}>
          <Outlet />
        </DialogHost>
      </main>
      <Suspense>
        {search.wanted ? <Search /> : null}
        {confirmation}
        {unsigned}
        {keysOpened ? <KeyList opened onClose={keys.close} /> : null}
      </Suspense>
    </div>
  );
}

/** After a change of page, readers of screens and keyboards begin at its content. */
function useFocusOnPage(path: string) {
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) document.getElementById('content')?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
}

function Navigation({ openKeys, openSearch }: { openKeys: () => void; openSearch: () => void }) {
  const me = useMe();
  const signOut = useSignOut();
  // Has a query key of its own: the summary's is read again at every trade.
  const waiting = useLive(['approvals', 'waiting'], async () => {
    const { approvals_waiting } = await call(api.GET('/operator/v1/summary'));
    return approvals_waiting;
  });
  return (
    <nav aria-label={text.nav.label}>
      <Link to="/" className="brand">
        <Mark /> <span>{text.product}</span>
      </Link>
      <UnstyledButton className="nav-search" onClick={openSearch}>
        <IconSearch size={16} /> <span>{text.nav.search}</span> <Kbd size="xs">/</Kbd>
      </UnstyledButton>
      {groups.map(({ name, items }) => (
        <div key={name} className="nav-group">
          <h2>{name}</h2>
          {items.map(({ to, label, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              className="nav-item"
              activeOptions={{ exact: to === '/', includeSearch: false }}
            >
              <Icon size={18} stroke={1.6} />
              <span>{label}</span>
              {to === '/approvals' && waiting.data ? <span className="count">{waiting.data}</span> : null}
            </Link>
          ))}
        </div>
      ))}
      <div className="nav-foot">
        <div className="who">
          <strong>{me.name}</strong>
          <span>{text.roles[me.role]}</span>
        </div>
        <Scheme />
        <Tip label={text.nav.keys}>
          <ActionIcon variant="subtle" color="gray" onClick={openKeys} aria-label={text.nav.keys}>
            <IconKeyboard size={18} stroke={1.6} />
          </ActionIcon>
        </Tip>
        <Tip label={text.nav.signOut}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => void signOut()}
            aria-label={text.nav.signOut}
          >
            <IconLogout size={18} stroke={1.6} />
          </ActionIcon>
        </Tip>
      </div>
    </nav>
  );
}

function Tip({ label, children }: { label: string; children: React.ReactElement }) {
  return (
    <Tooltip label={label} openDelay={400}>
      {children}
    </Tooltip>
  );
}

function Scheme() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme('light');
  const label = current === 'dark' ? text.nav.light : text.nav.dark;
  return (
    <Tip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        onClick={() => setColorScheme(current === 'dark' ? 'light' : 'dark')}
      >
        {current === 'dark' ? <IconSun size={18} stroke={1.6} /> : <IconMoon size={18} stroke={1.6} />}
      </ActionIcon>
    </Tip>
  );
}

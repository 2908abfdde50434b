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
import {
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Notice } from '../api/client';
import { useStream } from '../api/live';
import { session } from '../api/session';
import { text } from '../text';
import { DialogHost } from '../ui/dialog-host';
import { IconKeyboard, IconLogout, IconMoon, IconSearch, IconSun } from '../ui/icons';
import { ConnectionBanner } from './connection-banner';
import { useKeys } from './keys';
import { Mark } from './mark';
import type { NavGroup } from './nav-item';
import { useSignOut } from './session';

const load = {
  keyList: () => import('./key-list'),
  confirmSession: () => import('./confirm-session'),
};
/** What the frame loads when it is needed. */
export const frameParts = Object.values(load);

const KeyList = lazy(load.keyList);
const ConfirmSession = lazy(load.confirmSession);

interface FrameProps {
  /** What stands next to the mark. */
  title: string;
  groups: NavGroup[];
  /** Who is signed in, and what this person may do. */
  who: string;
  role: string;
  /** Figures next to pages of the navigation, by their paths. */
  counts?: Record<string, number | undefined>;
  /** Opens the search; without it there is none. */
  openSearch?: () => void;
  /** Whether the page takes the whole screen: a scanner types there, wherever the focus is. */
  full?: boolean;
  /** What stands above each page until it no longer holds. */
  notice?: ReactNode;
  /** What is shown over the page, and loaded when it is needed. */
  children?: ReactNode;
}

/** Has the person confirm the session where a request of any page needs it. */
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

/** What is around every page: the navigation, the banner of a lost connection, and the dialogs of all pages. */
export function Frame(props: FrameProps) {
  const { title, groups, full = false, notice, children, openSearch } = props;
  const [opened, drawer] = useDisclosure(false);
  const [keysOpened, keys] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => drawer.close(), [path]);
  const items = useMemo(() => groups.flatMap(({ items }) => items), [groups]);
  useKeys({ items, openList: keys.open, openSearch, enabled: !full });
  const paused = useStream();
  useFocusOnPage(path);
  const confirmation = useConfirmations();
  return (
    <div className={full ? 'shell full' : 'shell'}>
      <a href="#content" className="skip">
        {text.nav.skip}
      </a>
      <ConnectionBanner />
      <div className="topbar">
        <Burger opened={opened} onClick={drawer.toggle} aria-label={text.nav.open} size="sm" />
        <Mark />
        {openSearch ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={openSearch}
            aria-label={text.nav.search}
          >
            <IconSearch size={18} />
          </ActionIcon>
        ) : (
          <span />
        )}
      </div>
      <div className="sidebar">
        <Navigation {...props} openKeys={keys.open} />
      </div>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        size={280}
        title={title}
        closeButtonProps={{ 'aria-label': text.common.close }}
      >
        <Navigation {...props} openKeys={keys.open} />
      </Drawer>
      <main className="content" id="content" tabIndex={-1}>
        {paused ? (
          <Alert mb="lg" role="status">
            {text.common.paused}
          </Alert>
        ) : null}
        {notice}
        <DialogHost page={path}>
          <Outlet />
        </DialogHost>
      </main>
      <Suspense>
        {children}
        {confirmation}
        {keysOpened ? (
          <KeyList opened onClose={keys.close} items={items} hasSearch={openSearch !== undefined} />
        ) : null}
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

function Navigation({
  title,
  groups,
  who,
  role,
  counts = {},
  openSearch,
  openKeys,
}: FrameProps & { openKeys: () => void }) {
  const signOut = useSignOut();
  return (
    <nav aria-label={text.nav.label}>
      <Link to="/" className="brand">
        <Mark /> <span>{title}</span>
      </Link>
      {openSearch ? (
        <UnstyledButton className="nav-search" onClick={openSearch}>
          <IconSearch size={16} /> <span>{text.nav.search}</span> <Kbd size="xs">/</Kbd>
        </UnstyledButton>
      ) : null}
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
              {counts[to] ? <span className="count">{counts[to]}</span> : null}
            </Link>
          ))}
        </div>
      ))}
      <div className="nav-foot">
        <div className="who">
          <strong>{who}</strong>
          <span>{role}</span>
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

function Tip({ label, children }: { label: string; children: ReactElement }) {
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

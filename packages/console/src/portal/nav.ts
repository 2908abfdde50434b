import type { NavGroup, NavItem } from '../app/nav-item';
import { frame } from '../text/portal/frame';
import {
  IconBuildingBank,
  IconGauge,
  IconHandGrab,
  IconHistory,
  IconHome,
  IconKey,
  IconReceipt,
  IconShieldCheck,
  IconTransfer,
  IconUserCircle,
  IconUsers,
  IconWebhook,
} from '../ui/icons';
import type { Permission } from './api';

/** A page that is shown to those who may do what it is for. */
interface PortalItem extends NavItem {
  needs?: Permission;
}

const { nav } = frame;

/** Every page of the navigation, in its order. */
const groups: { name: string; items: PortalItem[] }[] = [
  {
    name: nav.business,
    items: [
      { to: '/', label: nav.home, icon: IconHome, key: 'h' },
      { to: '/trades', label: nav.trades, icon: IconTransfer, key: 't' },
      { to: '/redemptions', label: nav.redemptions, icon: IconHandGrab, key: 'r' },
      { to: '/customers', label: nav.customers, icon: IconUsers, key: 'c' },
      { to: '/vault', label: nav.vault, icon: IconBuildingBank, key: 'o' },
      {
        to: '/statements',
        label: nav.statements,
        icon: IconReceipt,
        key: 's',
        needs: 'read_statements',
      },
      { to: '/limits', label: nav.limits, icon: IconGauge, key: 'l' },
    ],
  },
  {
    name: nav.integration,
    items: [
      { to: '/keys', label: nav.keys, icon: IconKey, key: 'k', needs: 'manage_keys' },
      { to: '/webhooks', label: nav.webhooks, icon: IconWebhook, key: 'w' },
      { to: '/requests', label: nav.requests, icon: IconHistory, key: 'q', needs: 'read_requests' },
    ],
  },
  {
    name: nav.people,
    items: [
      { to: '/team', label: nav.team, icon: IconShieldCheck, key: 'm', needs: 'manage_members' },
      { to: '/account', label: nav.account, icon: IconUserCircle, key: 'a' },
    ],
  },
];

/** Returns the pages of the navigation that a member with these permissions may open. */
export function groupsFor(permissions: readonly Permission[]): NavGroup[] {
  return groups
    .map(({ name, items }) => ({
      name,
      items: items.filter(({ needs }) => needs === undefined || permissions.includes(needs)),
    }))
    .filter(({ items }) => items.length > 0);
}

import { IconChecks, IconHandGrab, IconHome, type TablerIcon } from '@tabler/icons-react';
import { text } from '../text';

export interface NavItem {
  to: string;
  label: string;
  icon: TablerIcon;
  /** The key after `g` that leads there. */
  key: string;
}

/** Every page of the navigation, in its order. */
export const groups: { name: string; items: NavItem[] }[] = [
  {
    name: text.nav.work,
    items: [
      { to: '/', label: text.nav.today, icon: IconHome, key: 't' },
      { to: '/redemptions', label: text.nav.redemptions, icon: IconHandGrab, key: 'r' },
      { to: '/approvals', label: text.nav.approvals, icon: IconChecks, key: 'a' },
    ],
  },
];

export const items = groups.flatMap(({ items }) => items);

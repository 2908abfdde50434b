import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { NavItem } from './nav-item';

/** After `g`, the next key leads to a page if it comes within this time. */
const sequenceMs = 1_500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null;

const inDialog = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('[role=dialog]') !== null;

/** Listens for the keys of an application, except where text is typed. */
export function useKeys({
  items,
  openList,
  openSearch,
  enabled,
}: {
  items: NavItem[];
  openList: () => void;
  openSearch: (() => void) | undefined;
  /** A scanner types too, wherever the focus is. */
  enabled: boolean;
}) {
  const navigate = useNavigate();
  useEffect(() => {
    if (!enabled) return;
    let leaderAt = 0;
    const listen = (event: KeyboardEvent) => {
      // Also where text is typed, but not over a dialog: what it is about would be left behind it.
      if (openSearch && event.key === 'k' && (event.ctrlKey || event.metaKey) && !inDialog(event.target)) {
        event.preventDefault();
        openSearch();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const after = Date.now() - leaderAt < sequenceMs;
      leaderAt = 0;
      if (event.key === '/') openSearch?.();
      else if (event.key === '?') openList();
      else if (event.key === 'g' && !after) leaderAt = Date.now();
      else {
        const item = after && items.find(({ key }) => key === event.key);
        if (!item) return;
        void navigate({ to: item.to });
      }
      event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [navigate, items, openList, openSearch, enabled]);
}

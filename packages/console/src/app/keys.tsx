import { Kbd, Modal, Table } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { text } from '../text';
import { items } from './nav';
import { openSearch } from './search';

/** After `g`, the next key leads to a page if it comes within this time. */
const sequenceMs = 1_500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null;

/** Listens for the keys of the console, except where text is typed. */
export function useKeys(openList: () => void) {
  const navigate = useNavigate();
  useEffect(() => {
    let leaderAt = 0;
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const after = Date.now() - leaderAt < sequenceMs;
      leaderAt = 0;
      if (event.key === '/') openSearch();
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
  }, [navigate, openList]);
}

export function KeyList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const rows: [string[], string][] = [
    [['/'], text.keys.search],
    [['?'], text.keys.list],
    [['Esc'], text.keys.escape],
    [['Enter'], text.keys.submit],
    ...items.map(({ key, label }): [string[], string] => [['g', key], label]),
  ];
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={text.keys.title}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <Table>
        <Table.Tbody>
          {rows.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Td w={110}>
                {keys.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

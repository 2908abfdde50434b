import { Kbd, Modal, Table } from '@mantine/core';
import { text } from '../text';
import type { NavItem } from './nav-item';

export default function KeyList({
  opened,
  onClose,
  items,
  hasSearch,
}: {
  opened: boolean;
  onClose: () => void;
  items: NavItem[];
  hasSearch: boolean;
}) {
  const rows: [string[], string][] = [
    ...(hasSearch
      ? ([
          [['/'], text.keys.search],
          [['Ctrl', 'K'], text.keys.searchAnywhere],
        ] as [string[], string][])
      : []),
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
              <Table.Td w={130}>
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

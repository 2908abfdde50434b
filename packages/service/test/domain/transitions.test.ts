import { expect, test } from 'vitest';
import { moveOf } from '../../src/domain/transitions.js';

type Light = 'red' | 'green' | 'dark';

test('a move has every status that its event leads out of, and the one it leads to', () => {
  const transitions = { red: { go: 'green' }, green: {}, dark: { go: 'green' } } as const;
  expect(moveOf<Light, 'go'>(transitions, 'go')).toEqual({ from: ['red', 'dark'], to: 'green' });
});

test('an event that leads nowhere, or to two statuses, is a mistake in the table', () => {
  const transitions = { red: { go: 'green' }, green: {}, dark: { go: 'red' } } as const;
  expect(() => moveOf<Light, 'go' | 'stop'>(transitions, 'stop')).toThrow('stop does not lead to one status');
  expect(() => moveOf<Light, 'go'>(transitions, 'go')).toThrow('go does not lead to one status');
});

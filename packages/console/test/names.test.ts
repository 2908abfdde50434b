import { expect, test } from 'vitest';
import { auditActions } from '../../service/src/domain/audit.js';
import { en } from '../src/text/en.js';

test('every action of the audit log has a name, and no other', () => {
  expect(Object.keys(en.actions).sort()).toEqual([...auditActions].sort());
  const names = Object.values(en.actions);
  expect(new Set(names).size).toBe(names.length);
});

import { expect, test } from 'vitest';
import { Scenario } from './fixture.js';

test('a buy lands', async () => {
  const scenario = await Scenario.create();
  expect(scenario.send([scenario.buy()]).error).toBe(undefined);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientNetwork } from '../../../src/http/server/client-network.js';
import { clientOf, type Harness, harness } from '../../harness.js';

describe('the network that a request counts for', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['::', '::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b::/64'],
    ['', ''],
    ['unix:', 'unix:'],
  ])('the network of %s is %s', (ip, network) => {
    expect(clientNetwork(ip)).toBe(network);
  });
});

describe('budgets of open routes', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await harness({ config: { authRateLimitPerMinute: 3, openRateLimitPerMinute: 3 } });
  });
  afterAll(() => service.close());

  const from = (remoteAddress: string) => clientOf(service.app, {}, { remoteAddress });
  const statuses = async (addresses: string[], ask: (ip: string) => Promise<{ status: number }>) => {
    const found: number[] = [];
    for (const ip of addresses) found.push((await ask(ip)).status === 429 ? 429 : 0);
    return found;
  };
  const routes: [string, (ip: string) => Promise<{ status: number }>][] = [
    ['challenges', (ip) => from(ip).post('/v1/auth/challenge', {})],
    ['submit', (ip) => from(ip).post('/api/transactions/submit', {})],
  ];

  test.each(routes)('%s: one for all addresses of a /64', async (_, ask) => {
    const addresses = [1, 2, 3, 4].map((host) => `2001:db8:5:6::${host}`);
    expect(await statuses(addresses, ask)).toEqual([0, 0, 0, 429]);
    expect(await statuses(['2001:db8:5:7::1'], ask)).toEqual([0]);
  });

  test.each(routes)('%s: one for an IPv4 address, however it is written', async (_, ask) => {
    const addresses = ['198.51.100.1', '::ffff:198.51.100.1', '::ffff:c633:6401', '198.51.100.1'];
    expect(await statuses(addresses, ask)).toEqual([0, 0, 0, 429]);
    expect(await statuses(['::ffff:198.51.100.2'], ask)).toEqual([0]);
  });

  test.each(routes)('%s: one for a /48, ten times that of a /64', async (name, ask) => {
    const site = name === 'challenges' ? 'a' : 'b';
    const addresses = Array.from({ length: 31 }, (_, net) => `2001:db8:${site}:${net.toString(16)}::1`);
    expect((await statuses(addresses, ask)).filter((status) => status === 429)).toHaveLength(1);
    expect(await statuses([`2001:db8:${site}:99::1`, `2001:db8:${site}1:99::1`], ask)).toEqual([429, 0]);
  });
});

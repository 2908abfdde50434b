import { afterAll, beforeAll, expect, test } from 'vitest';
import { RefusedDestination, resolveDestination } from '../../../src/events/delivery/destination.js';
import { sendWebhook } from '../../../src/events/delivery/send.js';
import { type Harness, harness } from '../../harness.js';
import { type Receiver, startReceiver } from '../../webhooks.js';

/** Where webhooks may go: to the internet, and in a sandbox to this machine. */

let h: Harness;
let receiver: Receiver;
beforeAll(async () => {
  h = await harness();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await h.close();
});

const refused = [
  ...['http://example.com/', 'ftp://example.com/', 'nonsense', 'https://user:pw@93.184.216.34/'],
  ...[
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://localhost/',
  ],
  ...[
    'https://a.localhost./',
    'https://0.0.0.0/',
    'https://0.1.2.3/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
  ],
  ...[
    'https://192.168.1.1/',
    'https://169.254.169.254/latest',
    'https://100.64.0.1/',
    'https://100.100.100.200/',
  ],
  ...['https://224.0.0.1/', 'https://255.255.255.255/', 'https://240.0.0.1/', 'https://168.63.129.16/'],
  ...['https://[::1]/', 'https://[::]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:a9fe:a9fe]/'],
  ...[
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[::7f00:1]/',
  ],
  ...[
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
  ],
  ...['https://[2001::1]/', 'https://[2001:db8::1]/', 'https://no-such-host.invalid/'],
  // Services of machines listen there, which take what a webhook sends for a request of theirs.
  ...[22, 25, 53, 80, 111, 442, 444, 465, 587, 853, 993, 1023].map(
    (port) => `https://93.184.216.34:${port}/`,
  ),
];

test.each(['', ':443', ':1024', ':8443', ':65535'])('a webhook may go to the port in "%s"', async (port) => {
  const { url } = await resolveDestination(`https://93.184.216.34${port}/`, { allowLocal: false });
  expect(url.port).toBe(port === ':443' ? '' : port.slice(1));
});

test.each(refused)('%s is refused at creation, and when it is delivered to', async (url) => {
  const response = await h.partner.post('/v1/webhook-endpoints', { url });
  expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', field: 'url' } });
  const outcome = await sendWebhook(
    { url, secrets: ['whsec_AAAA'], id: 'evt_x', body: '{}' },
    { allowLocal: false },
  );
  expect(outcome).toMatchObject({ status_code: null, error: expect.stringMatching(/^The url /) });
});

test('addresses of the internet are accepted, and each that a name leads to has to be one', async () => {
  const to = (...addresses: string[]) =>
    resolveDestination('https://hooks.example/', { allowLocal: false, resolve: async () => addresses });
  expect((await to('93.184.216.34', '2606:2800:220:1::1')).addresses).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800:220:1::1', family: 6 },
  ]);
  await expect(to('93.184.216.34', '10.0.0.1')).rejects.toThrow(RefusedDestination);
  await expect(to()).rejects.toThrow('does not resolve');
  await expect(
    resolveDestination('https://hooks.example/', {
      allowLocal: false,
      resolve: () => Promise.reject(new Error()),
    }),
  ).rejects.toThrow('does not resolve');
});

test('a name is resolved once, and the connection goes to the address that was checked', async () => {
  let requested = 0;
  const port = new URL(receiver.url).port;
  const outcome = await sendWebhook(
    { url: `http://rebind.example:${port}/`, secrets: ['whsec_AAAA'], id: 'evt_x', body: '{}' },
    {
      allowLocal: true,
      resolve: async () => {
        requested += 1;
        return requested === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
      },
    },
  );
  expect([outcome.status_code, requested]).toEqual([200, 1]);
  expect(receiver.received[0]?.headers.host).toBe(`rebind.example:${port}`);
});

test('a sandbox accepts this machine, and nothing else that is not public', async () => {
  const to = (url: string) => resolveDestination(url, { allowLocal: true });
  for (const url of ['http://127.0.0.1:1024/', 'http://localhost:1024/', 'https://[::1]/']) await to(url);
  for (const url of ['http://10.0.0.1:1024/', 'http://169.254.169.254:1024/', 'http://93.184.216.34:1024/']) {
    await expect(to(url)).rejects.toThrow(RefusedDestination);
  }
});

test('a sandbox in a container accepts private networks, and no metadata service or carrier’s network', async () => {
  const to = (url: string) => resolveDestination(url, { allowLocal: 'private' });
  const near = ['http://172.17.0.1:1024/', 'http://192.168.65.254:9000/', 'http://[fd00::1]:1024/'];
  for (const url of [...near, 'http://127.0.0.1:1024/', 'https://93.184.216.34/']) await to(url);
  const metadata = [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
  ];
  for (const host of [...metadata, '100.64.0.1', '[fe80::1]', '0.0.0.0', '224.0.0.1', '93.184.216.34']) {
    await expect(to(`http://${host}:1024/`), host).rejects.toThrow(RefusedDestination);
  }
  // However a name server writes it.
  const resolve = async () => ['FD00:0EC2:0::254'];
  const named = resolveDestination('http://a.example:1024/', { allowLocal: 'private', resolve });
  await expect(named).rejects.toThrow(RefusedDestination);
});

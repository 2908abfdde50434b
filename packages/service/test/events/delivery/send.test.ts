import { afterEach, expect, test } from 'vitest';
import { sendWebhook } from '../../../src/events/delivery/send.js';
import { type Receiver, type Respond, startReceiver } from '../../webhooks.js';

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function sendTo(how: Respond, withinMs = 30_000) {
  const receiver = await startReceiver(how);
  receivers.push(receiver);
  const sending = { url: receiver.url, secrets: ['whsec_AAAA'], id: 'evt_x', body: '{}' };
  return sendWebhook(sending, { allowLocal: true, withinMs });
}

test('an endpoint that does not respond in time has failed, and one that goes on with its body has not', async () => {
  expect(await sendTo(() => {}, 300)).toMatchObject({
    status_code: null,
    error: 'No response within 0.3 s.',
  });
  const endless = await sendTo((response) => void response.writeHead(200).write('x'));
  expect(endless).toMatchObject({ status_code: 200, error: null, response_body: 'x' });
});

test('the first 1 KiB of a body without end is kept, and no more is read', async () => {
  const flood = await sendTo((response) => {
    response.writeHead(200);
    const more = () => {
      while (response.write('y'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  expect(flood).toMatchObject({ status_code: 200, response_body: 'y'.repeat(1_024) });
});

test('an endpoint that switches protocols, or hangs up, has failed at once', async () => {
  const switching = await sendTo((response) => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    response.socket?.write(head);
  });
  expect(switching).toMatchObject({
    status_code: null,
    error: expect.stringContaining('switched protocols'),
  });
  const gone = await sendTo((response) => void response.socket?.destroy());
  expect(gone).toMatchObject({ status_code: null, error: expect.any(String) });
});

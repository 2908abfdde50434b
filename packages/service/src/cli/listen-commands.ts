import type { Command } from './command.js';
import { option, optional } from './options.js';

export const listenCommands: Command[] = [
  {
    name: 'listen',
    summary: "forward a partner's events, signed as webhooks, to an address such as one of this machine",
    details: [
      'For a partner who develops a receiver: prints each event with the response to it. Ctrl-C ends it.',
      "Needs a partner's key of scope PARTNER in KARAT_API_KEY. Signs with KARAT_WEBHOOK_SECRET, or with a secret that it makes",
      'and prints. What the address does not take is not repeated: GET /v1/events still has it.',
    ],
    options: [
      option(
        'forward-to',
        'KARAT_FORWARD_TO',
        'URL',
        'where every event is posted, such as http://localhost:3000/hook',
      ),
      option('api-url', 'KARAT_API_URL', 'URL', 'the partner API', { default: 'http://127.0.0.1:8080' }),
      option(
        'types',
        'KARAT_EVENT_TYPES',
        'LIST',
        'only these types of events, separated by commas',
        optional,
      ),
    ],
    isEndless: true,
    run: async (call) => (await import('./listen.js')).listen(call),
  },
];

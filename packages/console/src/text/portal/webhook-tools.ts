/** Texts of the tail of events, and of the check of a signature. */
export const webhookTools = {
  tail: {
    title: 'Live events',
    lead: 'Events as they happen, straight from the log. Nothing is sent to your endpoints for it.',
    start: 'Follow',
    stop: 'Stop',
    clear: 'Clear',
    waiting: 'Waiting for the next event …',
    idle: 'Press Follow, then do something: register a customer, or quote and submit a trade.',
    lost: 'The connection was lost; it is opened again.',
    type: 'Only events of',
    everything: 'All types',
    show: 'Show {type}',
    more: 'The latest {count} are shown.',
  },
  check: {
    title: 'Check a signature',
    lead: 'Paste what your server received. The check runs in this page: the secret is sent nowhere.',
    secret: 'Secret of the endpoint',
    id: 'Header webhook-id',
    timestamp: 'Header webhook-timestamp',
    signature: 'Header webhook-signature',
    body: 'Body, exactly as it came',
    action: 'Check',
    results: {
      valid: 'The signature is right.',
      old: 'The signature is right, but it was made {age} ago. Receivers refuse webhooks older than 5 minutes: check the clock of your server, or whether you handle them too late.',
      future: 'The signature is right, but it is dated {age} in the future: check the clock of your server.',
      secretForm: 'This is no secret of an endpoint: it begins with whsec_ and goes on in base64.',
      timestampForm:
        'webhook-timestamp is no time: it is a number of seconds since 1970, such as 1772366400.',
      milliseconds:
        'webhook-timestamp was changed to milliseconds: it is signed in seconds, exactly as the header has it.',
      signatureForm:
        'webhook-signature holds no signature: it has one or two of the form v1,<base64>, with a space between them.',
      id: 'webhook-id belongs to another event: the body is of {id}.',
      serialised:
        'The body was parsed and written again: the order is the same, but spaces or escapes are not. Sign the raw bytes, before any JSON parser reads them.',
      spaces: 'The body has white space or line ends around it that were not sent. Sign the raw bytes.',
      changed:
        'The body was changed. It differs from what was sent at character {at}: sent {sent}, pasted {pasted}.',
      otherSecret:
        'The body is what was sent, but another secret signed it. Check that the secret is of this endpoint, and the one after its last rotation.',
      unknown:
        'The signature does not fit. Either another secret signed it, or the id, the time or the body is not what was sent. Compare them with the delivery of this event.',
    },
  },
};

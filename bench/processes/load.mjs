// Requests without a pause over a number of connections, for as long as its parent wants. One process for the whole run,
// so that no measurement begins with code that is not compiled yet. Each connection has one response first; then it says so,
// and load and measurement begin: Node accepts one connection in each turn of its event loop, so that a process at full load
// takes a second for 500 of them, and twenty for 1,000.
import autocannon from 'autocannon';

process.on('message', async ({ url, requests, connections, seconds, apart }) => {
  const latencies = [];
  const statuses = {};
  const clients = [];
  const served = new Set();
  const held = [];
  let errors = 0;
  /** Undefined until it measures. */
  let since;
  const run = autocannon({
    url,
    connections,
    duration: 3_600,
    timeout: 20,
    // The connections begin evenly spread, so that all of them are made before one is made again. With `apart` each has some
    // of its own.
    setupClient: (client) => {
      const startOf = (place) => Math.floor((place * requests.length) / connections) % requests.length;
      const own = startOf(clients.length);
      client.setRequests(
        apart
          ? requests.slice(own, startOf(clients.length + 1) || requests.length)
          : [...requests.slice(own), ...requests.slice(0, own)],
      );
      clients.push(client);
      const request = client._doRequest.bind(client);
      client._doRequest = () => {
        if (since || !served.has(client)) request();
        else held.push(request);
      };
    },
  });
  run.on('response', (client, status, _bytes, ms) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (since) latencies.push(ms);
    else if (served.add(client).size === connections) begin();
  });
  run.on('reqError', () => {
    errors += 1;
    // Of no use any more, and its parent need not wait for the other connections.
    if (!since) begin();
  });

  function begin() {
    since = { ms: performance.now(), cpu: process.cpuUsage() };
    process.send({ begun: true });
    setTimeout(end, seconds * 1_000);
    for (const request of held) request();
  }

  function end() {
    const elapsed = (performance.now() - since.ms) / 1_000;
    const { user, system } = process.cpuUsage(since.cpu);
    const taken = Float64Array.from(latencies).sort();
    const at = (share) => taken[Math.max(0, Math.ceil(share * taken.length) - 1)];
    process.send({
      responses: taken.length,
      elapsed,
      p50: at(0.5),
      p99: at(0.99),
      statuses,
      errors,
      cpuShare: (user + system) / 1e6 / elapsed,
    });
    // autocannon itself would go on for up to a second, into the turn of the next process.
    for (const client of clients) client.destroy();
    run.stop();
  }
});
process.on('disconnect', () => process.exit());

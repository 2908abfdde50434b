// Requests that arrive at fixed rates, whatever became of those before them (an open loop). A latency counts from when its
// request was due, so that neither a service that stands still nor this process hides a delay; how late requests were sent is
// reported as well. autocannon's `overallRate` is no open loop: a connection waits for its response before it sends again, and
// sends all that is due in a second at the beginning of that second.
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';

// It stands for other machines: PostgreSQL and the node, which share its core, must not hold it up.
try {
  setPriority(constants.priority.PRIORITY_HIGH);
} catch {
  // Only root may. How late requests were sent shows whether it was needed.
}

/** As from the servers of several partners, which take turns. */
const connections = 100;
/** Before anything counts. */
const leadInMs = 1_000;
const timeoutMs = 10_000;

process.on('message', async ({ url, streams, seconds }) => {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    maxFreeSockets: connections,
    scheduling: 'fifo',
  });
  const to = requestsTo(url, agent);
  // Node accepts one connection in a turn of its event loop: all of them are there before the first request is due.
  const [{ requests: first }] = streams;
  await Promise.all(Array.from({ length: connections }, (_, place) => to(first[place % first.length])));

  const begunMs = performance.now();
  const now = () => performance.now() - begunMs;
  const arrivals = streams.map((stream) => new Arrivals(stream, leadInMs + seconds * 1_000));
  while (arrivals.some(({ isOver }) => !isOver)) {
    for (const each of arrivals) each.sendDue(now, to);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  agent.destroy();
  process.send(Object.fromEntries(arrivals.map((each) => [each.name, each.measured()])));
});
process.on('disconnect', () => process.exit());

/** Requests of one kind, which are due at equal distances. */
class Arrivals {
  #latencies = [];
  #lags = [];
  #statuses = {};
  #sent = 0;
  #open = 0;

  constructor({ name, rate, requests }, ms) {
    this.name = name;
    this.requests = requests;
    this.everyMs = 1_000 / rate;
    this.total = Math.floor(ms / this.everyMs);
  }

  get isOver() {
    return this.#sent === this.total && this.#open === 0;
  }

  sendDue(now, to) {
    for (
      let dueMs = this.#sent * this.everyMs;
      this.#sent < this.total && dueMs <= now();
      dueMs += this.everyMs
    ) {
      const next = this.requests[this.#sent % this.requests.length];
      this.#sent += 1;
      this.#open += 1;
      const lagMs = now() - dueMs;
      void to(next).then((status) => {
        this.#open -= 1;
        if (dueMs >= leadInMs) this.#count(status, now() - dueMs, lagMs);
      });
    }
  }

  #count(status, ms, lagMs) {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#latencies.push(ms);
    this.#lags.push(lagMs);
  }

  measured() {
    const [latencies, lags] = [this.#latencies, this.#lags].map((values) => Float64Array.from(values).sort());
    const at = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    return {
      responses: latencies.length,
      statuses: this.#statuses,
      p50: at(latencies, 0.5),
      p95: at(latencies, 0.95),
      p99: at(latencies, 0.99),
      p999: at(latencies, 0.999),
      most: latencies.at(-1),
      lag: { p50: at(lags, 0.5), p99: at(lags, 0.99), most: lags.at(-1) },
    };
  }
}

/** Returns what sends a request and resolves to the status of its response once all of it is there; 0: there is none. */
function requestsTo(url, agent) {
  const { hostname, port } = new URL(url);
  return ({ method, path, headers, body = '' }) =>
    new Promise((resolve) => {
      const length = Buffer.byteLength(body);
      const options = { agent, hostname, port, method, path, timeout: timeoutMs };
      const sending = request(
        { ...options, headers: length > 0 ? { ...headers, 'content-length': length } : headers },
        (response) => {
          response.resume();
          response.once('close', () => resolve(response.complete ? response.statusCode : 0));
        },
      );
      sending.once('timeout', () => sending.destroy());
      sending.once('error', () => resolve(0));
      sending.end(body);
    });
}

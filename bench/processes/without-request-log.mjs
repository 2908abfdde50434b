// Loaded before `karat`: its requests are not logged, as if the service had no such log.
const { RequestRecorder } = await import(
  new URL('http/server/request-recorder.js', process.env.BENCH_SERVICE)
);
RequestRecorder.prototype.attach = (app) => {
  app.decorateRequest('quoted', undefined);
};

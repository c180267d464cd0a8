// Whether the supervisor of this container answers, for HEALTHCHECK.
const { WEIR_METRICS_PORT: metricsPort, PORT: port = "3000" } = process.env;
try {
  const { ok } = await fetch(`http://127.0.0.1:${metricsPort || port}/healthz`, { signal: AbortSignal.timeout(2_500) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}

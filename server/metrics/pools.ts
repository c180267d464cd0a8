import { readPools } from "@/db/pool-watch";
import { counter, type Family, gauge } from "@/lib/metrics/family";

/** The pools of connections to PostgreSQL of this process; `watchPools` has to come before they are opened. */
export function poolFamilies(): Family[] {
  const pools = readPools();
  const values = (read: (pool: (typeof pools)[number]) => number) =>
    pools.map((pool) => ({ labels: { pool: pool.name }, value: read(pool) }));
  return [
    gauge("weir_pool_connections", "Connections to PostgreSQL by what they do", [
      ...pools.map(({ name, inUse }) => ({ labels: { pool: name, state: "in_use" }, value: inUse })),
      ...pools.map(({ name, inUse, max }) => ({ labels: { pool: name, state: "idle" }, value: max - inUse })),
    ]),
    gauge(
      "weir_pool_connections_max",
      "Connections to PostgreSQL that a pool may have",
      values(({ max }) => max),
    ),
    gauge(
      "weir_pool_waiting",
      "Statements and transactions that wait for a connection",
      values(({ waiting }) => waiting),
    ),
    counter(
      "weir_pool_waits_total",
      "Statements and transactions that had to wait for a connection",
      values(({ waits }) => waits),
    ),
  ].map((family) => ({ ...family, isPerRole: true }));
}

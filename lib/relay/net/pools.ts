import type { Connections } from "./connections";
import { type Destination, openConnections } from "./open-connections";

const poolsMax = 1_000;

/** Connections to upstreams: one pool per destination, so that no connection serves a channel it was not checked for. */
export function createPools() {
  const pools = new Map<string, Connections>();

  return {
    /** Throws when the address or the proxy is invalid or not allowed. */
    get({ origin, proxy, trust }: Destination): Connections {
      const key = proxy === "" && trust === "operator" ? origin : `${origin} ${trust} ${proxy}`;
      let pool = pools.get(key);
      if (!pool) {
        if (pools.size >= poolsMax) dropOldest(pools);
        pool = openConnections({ origin, proxy, trust });
        pools.set(key, pool);
      }
      return pool;
    },
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function dropOldest(pools: Map<string, Connections>): void {
  const oldest = pools.entries().next().value;
  if (!oldest) return;
  pools.delete(oldest[0]);
  // Requests in flight can still finish.
  oldest[1].close().catch(() => {});
}

export type Pools = ReturnType<typeof createPools>;

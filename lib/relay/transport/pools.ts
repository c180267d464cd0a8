import { ProxyAgent } from "undici";
import { ConnectionStack, type Connections, sharedConnection } from "./connections";
import { isSocks, socksConnector } from "./socks-connector";

const connectMs = 10_000;
/** Shorter than the usual keep-alive timeout of servers, so that requests rarely hit a connection that is being closed. */
const keepAliveMs = 15_000;
const poolsMax = 1_000;

/** Connections to upstreams: one pool per origin and proxy. */
export function createPools() {
  const pools = new Map<string, Connections>();

  function open(origin: string, proxy: string): Connections {
    const isTunnel = isSocks(proxy);
    if (proxy !== "" && !isTunnel) {
      return sharedConnection(new ProxyAgent({ uri: proxy, connectTimeout: connectMs }));
    }
    return new ConnectionStack(origin, {
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: 60_000,
      connect: isTunnel ? socksConnector(proxy, connectMs) : { timeout: connectMs, noDelay: true },
    });
  }

  return {
    /** Throws when the proxy's address is invalid. */
    get(origin: string, proxy: string): Connections {
      const key = proxy === "" ? origin : `${origin} ${proxy}`;
      let pool = pools.get(key);
      if (!pool) {
        if (pools.size >= poolsMax) dropOldest(pools);
        pool = open(origin, proxy);
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

import { SocksClient } from "socks";
import { buildConnector } from "undici";

const PORT_DEFAULT = 1080;

/** Whether the proxy is a SOCKS5 proxy. Such a proxy also resolves the upstream's name. */
export function isSocks(proxy: string): boolean {
  return /^socks5h?:\/\//i.test(proxy);
}

/** Connects to upstreams through a SOCKS5 proxy, with TLS for https. Throws on a malformed proxy address. */
export function socksConnector(proxy: string, timeoutMs: number): buildConnector.connector {
  const url = new URL(proxy);
  if (url.hostname === "") throw new Error("the proxy's address has no host");
  const userId = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const secure = buildConnector({ timeout: timeoutMs });
  return (options, callback) => {
    const isSecure = options.protocol === "https:";
    SocksClient.createConnection({
      command: "connect",
      timeout: timeoutMs,
      set_tcp_nodelay: true,
      proxy: {
        type: 5,
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: Number(url.port) || PORT_DEFAULT,
        ...(userId === "" ? {} : { userId, password }),
      },
      destination: { host: options.hostname, port: Number(options.port) || (isSecure ? 443 : 80) },
    }).then(
      ({ socket }) => {
        if (isSecure) secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

import type { SocketConnectOpts } from "node:net";
import type { buildConnector } from "undici";
import { type ProxyConnector, ProxyFailure, type ProxySettings } from "./http-proxy-connector";

const PORT_DEFAULT = 1080;

type Options = Parameters<typeof import("socks").SocksClient.createConnection>[0];

/** Most installations have no such proxy, so both libraries are loaded with the first connection. */
async function connectThrough(options: Options) {
  const [{ SocksClient }, { buildConnector }] = await Promise.all([import("socks"), import("undici")]);
  return { ...(await SocksClient.createConnection(options)), buildConnector };
}

/** Whether the proxy is a SOCKS5 proxy. Such a proxy also resolves the upstream's name. */
export function isSocks(proxy: string): boolean {
  return /^socks5h?:\/\//i.test(proxy);
}

/**
 * Connects to upstreams through a SOCKS5 proxy, with TLS for https. `lookup` resolves the proxy's own name. Throws on a
 * malformed proxy address.
 */
export function socksConnector(proxy: string, { lookup, timeout }: ProxySettings): ProxyConnector {
  const url = new URL(proxy);
  if (url.hostname === "") throw new Error("the proxy's address has no host");
  const userId = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  let secure: buildConnector.connector | undefined;
  return (options, hostname, callback) => {
    const isSecure = options.protocol === "https:";
    connectThrough({
      command: "connect",
      timeout,
      set_tcp_nodelay: true,
      // The library adds host and port.
      socket_options: (lookup ? { lookup } : {}) as SocketConnectOpts,
      proxy: {
        type: 5,
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: Number(url.port) || PORT_DEFAULT,
        ...(userId === "" ? {} : { userId, password }),
      },
      destination: { host: hostname.replace(/^\[|\]$/g, ""), port: Number(options.port) || (isSecure ? 443 : 80) },
    }).then(
      ({ socket, buildConnector }) => {
        secure ??= buildConnector({ timeout });
        if (isSecure) secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      // The library's error has the proxy's password among its properties, and its cause is only in its text.
      (error: unknown) =>
        callback(new ProxyFailure(`the proxy: ${error instanceof Error ? error.message : error}`), null),
    );
  };
}

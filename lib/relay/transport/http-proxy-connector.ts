import type { LookupFunction, Socket } from "node:net";
import { buildConnector, Client } from "undici";

type Guarded = { lookup: LookupFunction; timeout: number };

/** The proxy said no. */
class ProxyRefused extends Error {
  readonly code = "UND_ERR_SOCKET";
}

/**
 * Connects to upstreams through an HTTP proxy's CONNECT, with TLS for https. For what needs the socket itself; undici's
 * ProxyAgent does the same for HTTP. `lookup` resolves the proxy's own name.
 */
export function httpProxyConnector(proxy: string, guarded: Guarded): buildConnector.connector {
  const url = new URL(proxy);
  const authorization = authorizationOf(url);
  const { timeout } = guarded;
  const secure = buildConnector({ timeout });
  return (options, callback) => {
    const isSecure = options.protocol === "https:";
    const host = `${options.hostname}:${options.port || (isSecure ? 443 : 80)}`;
    const client = new Client(url.origin, { connect: guarded, headersTimeout: timeout });
    client.connect({ path: host, headers: { host, ...authorization } }).then(
      ({ socket: duplex, statusCode }) => {
        const socket = duplex as Socket;
        if (statusCode !== 200) {
          socket.on("error", () => {}).destroy();
          callback(new ProxyRefused(`the proxy answered ${statusCode}`), null);
        } else if (isSecure) secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => {
        client.destroy().catch(() => {});
        callback(error instanceof Error ? error : new Error(String(error)), null);
      },
    );
  };
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

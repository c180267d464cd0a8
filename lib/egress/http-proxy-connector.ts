import type { LookupFunction, Socket } from "node:net";
import { buildConnector, Client } from "undici";

/** `lookup` resolves the proxy's own name; absent = the system does. */
export type ProxySettings = { lookup?: LookupFunction; timeout: number };

/** Connects to `host`, which may be an address of the name that the options have. */
export type ProxyConnector = (options: buildConnector.Options, host: string, callback: buildConnector.Callback) => void;

/** The proxy said no. */
class ProxyRefused extends Error {
  readonly code = "UND_ERR_SOCKET";
}

/** Connects through an HTTP proxy's CONNECT, with TLS for https. */
export function httpProxyConnector(proxy: string, settings: ProxySettings): ProxyConnector {
  const url = new URL(proxy);
  const authorization = authorizationOf(url);
  const { timeout } = settings;
  const secure = buildConnector({ timeout });
  return (options, hostname, callback) => {
    const isSecure = options.protocol === "https:";
    const bare = hostname.replace(/^\[|\]$/g, "");
    const host = `${bare.includes(":") ? `[${bare}]` : bare}:${options.port || (isSecure ? 443 : 80)}`;
    const client = new Client(url.origin, { connect: settings, headersTimeout: timeout });
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
  if (username === "" && password === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

import { STATUS_CODES } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { buildConnector } from "undici";

/** `lookup` resolves the proxy's own name; absent = the system does. */
export type ProxySettings = { lookup?: LookupFunction; timeout: number };

/** Connects to `host`, which may be an address of the name that the options have. */
export type ProxyConnector = (options: buildConnector.Options, host: string, callback: buildConnector.Callback) => void;

/**
 * The proxy could not be used, or said no: nothing got to the target. Its text is for administrators, and it carries nothing else: the
 * errors of libraries hold the proxy's user and password.
 */
export class ProxyFailure extends Error {
  readonly code = "EPROXY";
}

/** Connects through an HTTP proxy's CONNECT, with TLS for https. */
export function httpProxyConnector(proxy: string, settings: ProxySettings): ProxyConnector {
  const url = new URL(proxy);
  const authorization = authorizationOf(url);
  const { timeout } = settings;
  let secure: buildConnector.connector | undefined;

  /** The library is loaded with the first connection: a page that only judges addresses opens none. */
  async function connectThrough(host: string) {
    const { buildConnector, Client } = await import("undici");
    secure ??= buildConnector({ timeout });
    const client = new Client(url.origin, { connect: settings, headersTimeout: timeout });
    try {
      const { socket, statusCode } = await client.connect({ path: host, headers: { host, ...authorization } });
      return { socket: socket as Socket, statusCode, secure };
    } catch (error) {
      client.destroy().catch(() => {});
      throw failureOf(error);
    }
  }

  return (options, hostname, callback) => {
    const isSecure = options.protocol === "https:";
    const bare = hostname.replace(/^\[|\]$/g, "");
    const host = `${bare.includes(":") ? `[${bare}]` : bare}:${options.port || (isSecure ? 443 : 80)}`;
    connectThrough(host).then(
      ({ socket, statusCode, secure }) => {
        if (statusCode < 200 || statusCode > 299) {
          socket.on("error", () => {}).destroy();
          callback(new ProxyFailure(refusalOf(statusCode, options.port || (isSecure ? 443 : 80))), null);
        } else if (isSecure) secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** The proxy closed the connection, or gave no answer that can be read. */
const SILENT = /^(UND_ERR_(SOCKET|HEADERS_TIMEOUT|HEADERS_OVERFLOW)|ECONNRESET|EPIPE|HPE_.*)$/;

/** Whatever happens before the proxy has connected, nothing got to the target. */
function failureOf(error: unknown): Error {
  const given = error instanceof Error ? error : new Error(String(error));
  const code = "code" in given ? String(given.code) : "";
  return SILENT.test(code) ? new ProxyFailure(`the proxy gave no answer to CONNECT (${code})`) : given;
}

/** Many proxies admit CONNECT to port 443 alone. */
function refusalOf(status: number, port: string | number): string {
  const answer = `the proxy answered ${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return status === 407
    ? `${answer}; look at its user and password`
    : `${answer}; it must admit CONNECT to port ${port}`;
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

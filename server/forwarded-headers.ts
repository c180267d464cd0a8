import type { IncomingMessage } from "node:http";
import type { ClientAddress } from "@/lib/relay";

export const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Next.js would treat this as its own internal header and skip its proxy.ts.
  "x-middleware-subrequest",
]);
/** Always set by the gateway: otherwise clients could choose their own address. */
const FORWARDED = new Set(["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]);

/**
 * The headers for the console: the client's without those of its connection, and who it is, which host it asked for and
 * by which protocol. What the client itself says about that counts only from a trusted proxy.
 */
export function forwardedHeaders(request: IncomingMessage, clientAddress: ClientAddress): string[] {
  const named = new Set((request.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const headers: string[] = [];
  const raw = request.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    const isDropped = HOP_BY_HOP.has(name) || FORWARDED.has(name) || named.has(name) || name === "expect";
    if (!isDropped) headers.push(name, raw[i + 1] ?? "");
  }
  headers.push("x-forwarded-for", clientAddress(request));
  headers.push("x-forwarded-host", clientAddress.told(request).host || (request.headers.host ?? ""));
  headers.push("x-forwarded-proto", protocolOf(request, clientAddress));
  return headers;
}

/** The protocol by which the client asked, as a trusted proxy says. */
export function protocolOf(request: IncomingMessage, clientAddress: ClientAddress): "https" | "http" {
  return clientAddress.told(request).proto === "https" ? "https" : "http";
}

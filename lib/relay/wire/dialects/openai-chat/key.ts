import type { KeyPlaces } from "../dialect";

const SOCKET_KEY = "openai-insecure-api-key.";

/** Reads the key from the headers that clients of OpenAI and of the Midjourney proxy use (contract §4.2). */
export function readKey({ headers }: KeyPlaces): string {
  const protocols = headers["sec-websocket-protocol"];
  if (typeof protocols === "string") {
    const item = protocols.split(",").find((protocol) => protocol.trim().startsWith(SOCKET_KEY));
    if (item) return item.trim().slice(SOCKET_KEY.length);
  }
  const { authorization } = headers;
  const bearer = typeof authorization === "string" ? withoutScheme(authorization) : "";
  const forDrawing = headers["mj-api-secret"];
  if (typeof forDrawing === "string" && (bearer === "" || bearer === "midjourney-proxy")) return forDrawing;
  return bearer;
}

function withoutScheme(text: string): string {
  // Fast path for the form that nearly all clients use; the regular expression costs more.
  return (text.startsWith("Bearer ") ? text.slice(7) : text.replace(/^bearer\s+/i, "")).trim();
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** With this site key the check never finishes. */
export const ENDLESS_KEY = "endless";

const SCRIPT = `
const answer = (options) => {
  if (options.sitekey !== "${ENDLESS_KEY}") setTimeout(() => options.callback("good-" + crypto.randomUUID()), 20);
};
const shown = new Map();
window.turnstile = {
  render(place, options) {
    const frame = document.createElement("iframe");
    frame.title = "human check";
    frame.src = new URL("frame", document.querySelector("script[src*='api.js']").src).href;
    place.append(frame);
    const id = crypto.randomUUID();
    shown.set(id, { place, options });
    answer(options);
    return id;
  },
  reset: (id) => answer(shown.get(id).options),
  remove: (id) => shown.get(id).place.replaceChildren(),
};`;

/** A service on loopback that imitates Cloudflare's Turnstile for the browser and the server. */
export async function startHumanCheck() {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://human-check").pathname;
    if (path === "/api.js") return response.setHeader("content-type", "text/javascript").end(SCRIPT);
    if (path === "/frame") {
      return response.setHeader("content-type", "text/html").end("<!doctype html><title>check</title><p>checked</p>");
    }
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const token = new URLSearchParams(body).get("response") ?? "";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ success: token.startsWith("good-") }));
    });
    return response;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

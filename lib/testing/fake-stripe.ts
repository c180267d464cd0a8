import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Call = { path: string; form: Record<string, string>; idempotencyKey: string; authorization: string };

type FakeEvent = { id: string; type: string; created: number; data: object };

/**
 * The part of Stripe's API that Checkout needs, and its list of events, oldest first in `events`. Records the requests. `paid`
 * holds the trade numbers that are paid.
 */
export async function startFakeStripe() {
  const calls: Call[] = [];
  const paid = new Set<string>();
  const events: FakeEvent[] = [];
  const amounts = new Map<string, number>();
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const { authorization = "", "idempotency-key": idempotencyKey = "" } = request.headers;
      const form = Object.fromEntries(new URLSearchParams(text));
      const path = request.url ?? "";
      calls.push({ path, form, idempotencyKey: String(idempotencyKey), authorization });
      const isKnown = authorization === "Bearer sk_test_right";
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
      if (!isKnown) {
        return response.end(JSON.stringify({ error: { message: "Invalid API Key", type: "invalid_request_error" } }));
      }
      const { pathname, searchParams } = new URL(path, "http://stripe.example");
      if (pathname === "/v1/events") return response.end(JSON.stringify(eventsOf(searchParams, events)));
      if (form.client_reference_id !== undefined) {
        amounts.set(form.client_reference_id, Number(form["line_items[0][price_data][unit_amount]"]));
        return response.end(JSON.stringify(sessionOf(form.client_reference_id)));
      }
      const asked = searchParams.get("payment_intent");
      if (asked === null) return response.end(JSON.stringify(sessionOf(pathname.split("/cs_")[1] ?? "")));
      const data = amounts.has(asked.slice(3)) ? [sessionOf(asked.slice(3))] : [];
      return response.end(JSON.stringify({ object: "list", data, has_more: false, url: "/v1/checkout/sessions" }));
    });
  });
  const sessionOf = (tradeNo: string) => ({
    id: `cs_${tradeNo}`,
    object: "checkout.session",
    url: `${addressOf(server)}/pay/${tradeNo}`,
    client_reference_id: tradeNo,
    amount_total: amounts.get(tradeNo) ?? null,
    currency: "usd",
    payment_status: paid.has(tradeNo) ? "paid" : "unpaid",
    payment_intent: paid.has(tradeNo) ? `pi_${tradeNo}` : null,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: addressOf(server),
    calls,
    paid,
    events,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Newest first, a page at a time, as Stripe does. */
function eventsOf(query: URLSearchParams, events: readonly FakeEvent[]): object {
  const types = [...query].flatMap(([name, value]) => (name.startsWith("types") ? [value] : []));
  const [from, until] = [Number(query.get("created[gte]")), Number(query.get("created[lte]"))];
  const fitting = events
    .filter(({ type, created }) => types.includes(type) && created >= from && created <= until)
    .reverse();
  const start = fitting.findIndex(({ id }) => id === query.get("starting_after")) + 1;
  const data = fitting.slice(start, start + Number(query.get("limit")));
  return { object: "list", data, has_more: start + data.length < fitting.length, url: "/v1/events" };
}

function addressOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

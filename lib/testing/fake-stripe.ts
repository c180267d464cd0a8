import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The part of Stripe's API that Checkout needs; records the requests. */
export async function startFakeStripe() {
  const calls: { path: string; form: Record<string, string>; idempotencyKey: string; authorization: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const { authorization = "", "idempotency-key": idempotencyKey = "" } = request.headers;
      const form = Object.fromEntries(new URLSearchParams(text));
      calls.push({ path: request.url ?? "", form, idempotencyKey: String(idempotencyKey), authorization });
      const isKnown = authorization === "Bearer sk_test_right";
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
      const session = {
        id: "cs_test_1",
        object: "checkout.session",
        url: `${addressOf(server)}/pay/${form.client_reference_id}`,
      };
      response.end(
        JSON.stringify(isKnown ? session : { error: { message: "Invalid API Key", type: "invalid_request_error" } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: addressOf(server), calls, close: () => new Promise((resolve) => server.close(resolve)) };
}

function addressOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

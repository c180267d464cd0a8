import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

// The baseline: the minimum cost of any Node.js proxy. No key, price or log; it only forwards buffers, with
// backpressure in both directions.
const pool = new Pool(process.env.BENCH_UPSTREAM ?? "", { connections: 256, pipelining: 1 });

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts);
    pool.dispatch(
      { path: request.url ?? "/", method: "POST", headers: { "content-type": "application/json" }, body },
      {
        onConnect: () => {},
        onHeaders: (status, headers, resume) => {
          response.writeHead(status, {
            "content-type":
              headers[headers.findIndex((h) => `${h}`.toLowerCase() === "content-type") + 1]?.toString() ?? "",
          });
          response.on("drain", resume);
          return true;
        },
        onData: (part) => response.write(part),
        onComplete: () => response.end(),
        onError: () => response.destroy(),
      },
    );
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

// Exits when the parent process does, however that one ended.
process.on("disconnect", () => process.exit(0));

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerAsUpstream } from "./upstream-answers";

// The fake upstream as a program. Its parent may ask how many requests have arrived.
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  answerAsUpstream(request, response);
});
server.keepAliveTimeout = 60_000;
server.once("error", (error) => {
  process.send?.({ error: error.message });
  process.exitCode = 1;
});
server.listen(Number(process.env.PORT ?? 0), process.env.HOST ?? "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on("message", () => process.send?.({ requests }));

// Exits when the parent process does, however that one ended.
process.on("disconnect", () => process.exit(0));

import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { endRest } from "./end-rest";

test("a connection whose body nobody reads to its end is cut, so that the server can close", async () => {
  const server = createServer((request, response) => {
    response.once("finish", () => endRest(request));
    request.once("data", () => {
      request.pause();
      response.writeHead(413).end("too large");
    });
  });
  // As in the console; else Node itself cuts the connection.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let answer = "";
  client.on("data", (data) => {
    answer += data;
  });
  client.on("error", () => {});
  const cut = new Promise<void>((done) => client.once("close", () => done()));
  client.write("POST / HTTP/1.1\r\nhost: weir\r\ncontent-length: 1000000000\r\n\r\n");
  client.write(Buffer.alloc(4_000_000));
  await cut;
  expect(answer).toContain("413");
  const closed = new Promise<void>((done) => server.close(() => done()));
  await closed;
}, 10_000);

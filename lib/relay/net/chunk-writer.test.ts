import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ChunkWriter } from "./chunk-writer";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that responds through a ChunkWriter; resolves to a client socket. */
async function serve(answer: (writer: ChunkWriter, response: ServerResponse, url: string) => void): Promise<Socket> {
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer(new ChunkWriter(response), response, request.url ?? "");
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return connect((server.address() as AddressInfo).port, "127.0.0.1");
}

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const part of socket) text += part;
  return text;
}

/** An empty one must not end the body. */
const pieces = ["one", "", "größe", "x".repeat(5_000)];

function writeAll(writer: ChunkWriter, response: ServerResponse): void {
  for (const piece of pieces) writer.write(Buffer.from(piece));
  response.end("end");
}

/** The bodies of consecutive chunked responses. */
function bodiesOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const bodies: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    let body = "";
    at = bytes.indexOf("\r\n\r\n", at) + 4;
    for (let size = -1; size !== 0; ) {
      const lineEnd = bytes.indexOf("\r\n", at);
      size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
      body += bytes.toString("utf8", lineEnd + 2, lineEnd + 2 + size);
      at = lineEnd + 2 + size + 2;
    }
    bodies.push(body);
  }
  return bodies;
}

test("the pieces arrive in order, between what goes through the response itself", async () => {
  const socket = await serve((writer, response) => writeAll(writer, response));
  socket.end("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(bodiesOf(await readAll(socket))).toEqual([`${pieces.join("")}end`]);
});

test("an answer to a pipelined request waits for the one before it", async () => {
  let finishFirst = (): void => {};
  const socket = await serve((writer, response, url) => {
    writer.write(Buffer.from(`${url} begins`));
    if (url === "/1") finishFirst = () => writeAll(writer, response);
    else {
      writeAll(writer, response);
      finishFirst();
    }
  });
  socket.end("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const rest = `${pieces.join("")}end`;
  expect(bodiesOf(await readAll(socket))).toEqual([`/1 begins${rest}`, `/2 begins${rest}`]);
});

test("a caller that speaks HTTP/1.0 gets the bytes without chunks", async () => {
  const socket = await serve((writer, response) => writeAll(writer, response));
  socket.end("GET / HTTP/1.0\r\n\r\n");
  expect((await readAll(socket)).split("\r\n\r\n")[1]).toBe(`${pieces.join("")}end`);
});

test("a caller that does not read is waited for, and nothing is lost", async () => {
  const piece = Buffer.alloc(100_000, "x");
  let written = 0;
  const socket = await serve((writer, response) => {
    const fill = (): void => {
      while (written < 40_000_000) {
        written += piece.length;
        if (writer.write(piece)) continue;
        writer.onceDrained(fill);
        // The client starts reading only now.
        socket.resume();
        return;
      }
      response.end();
    };
    fill();
  });
  socket.pause();
  let received = 0;
  socket.on("data", (part: Buffer) => {
    received += part.length;
  });
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await new Promise((done) => socket.once("end", done));
  expect(received).toBeGreaterThan(40_000_000);
});

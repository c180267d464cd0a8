import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Dispatcher } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { startHttpProxy, startSocksProxy } from "@/tests/relay/proxies";
import { causeOf } from "../base/failure-cause";
import { openConnections } from "./open-connections";

let answer: (socket: WebSocket, text: string) => void;
let refuse: ((request: IncomingMessage, response: Socket) => boolean) | null;
let origin: string;
let close: () => void;
const opened = new Set<Socket>();
const pongs: string[] = [];

beforeEach(async () => {
  refuse = null;
  const http = createServer((_request, response: ServerResponse) => void response.end("no"));
  const sockets = new WebSocketServer({ noServer: true });
  http.on("connection", (socket: Socket) => {
    opened.add(socket);
    socket.on("error", () => {}).once("close", () => opened.delete(socket));
  });
  http.on("upgrade", (request, socket: Socket, head) => {
    if (refuse?.(request, socket)) return;
    sockets.handleUpgrade(request, socket, head, (one) => {
      one.on("message", (data) => answer(one, String(data))).on("pong", (data) => pongs.push(String(data)));
    });
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", () => done()));
  origin = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
  close = () => {
    for (const socket of opened) socket.destroy();
    http.close();
  };
});
afterEach(() => close());

type Heard = { connected: boolean; status: number; text: string; end: string; error: Error | null };

/** Sends a request and listens until it is over. */
function send(settings: { body?: string; proxy?: string; until?: string; pauseMs?: number } = {}) {
  const connections = openConnections({ origin, proxy: settings.proxy ?? "", trust: "operator" });
  const connection = connections.open();
  const heard: Heard = { connected: false, status: 0, text: "", end: "", error: null };
  const over = new Promise<Heard>((done) => {
    let abort: (error?: Error) => void;
    let resume: () => void;
    const finish = (end: string, error: Error | null) => done(Object.assign(heard, { end, error }));
    const handler: Dispatcher.DispatchHandler = {
      onConnect(given) {
        heard.connected = true;
        abort = given;
      },
      onHeaders(status, _headers, given) {
        heard.status = status;
        resume = given;
        return true;
      },
      onData(chunk) {
        heard.text += chunk.toString();
        if (settings.until && heard.text.includes(settings.until)) abort(new Error("enough"));
        if (!settings.pauseMs) return true;
        setTimeout(resume, settings.pauseMs);
        return false;
      },
      onComplete: () => finish("complete", null),
      onError: (error) => finish("error", error),
    };
    const headers = ["x-one", "1"];
    connection.dispatch({ path: "/v1/chat?a=b", method: "POST", headers, body: settings.body ?? "{}" }, handler);
  });
  return { connections, connection, heard, over };
}

describe("a request over a WebSocket", () => {
  test("is one text message, and each message of the answer is a line", async () => {
    const seen: string[] = [];
    refuse = (request) => {
      seen.push(`${request.url} ${request.headers["x-one"]} ${request.headers["sec-websocket-extensions"]}`);
      return false;
    };
    answer = (socket, text) => {
      seen.push(text);
      socket.send('{"a":1}');
      socket.send('{\n"b":\r\n"ü"}');
      socket.close(1000);
    };
    const heard = await send({ body: '{"ask":"日本"}' }).over;
    expect(seen).toEqual(["/v1/chat?a=b 1 undefined", '{"ask":"日本"}']);
    expect(heard).toEqual({
      ...{ connected: true, status: 200, end: "complete", error: null },
      text: '{"a":1}\n{ "b":\r "ü"}\n',
    });
    await expect.poll(() => opened.size).toBe(0);
  });

  test("a refused handshake is an answer with its status and body", async () => {
    refuse = (_request, socket) => {
      const body = '{"message":"HMAC signature cannot be verified"}';
      socket.end(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return true;
    };
    const heard = await send().over;
    expect(heard).toMatchObject({ connected: true, status: 401, end: "complete" });
    expect(JSON.parse(heard.text)).toEqual({ message: "HMAC signature cannot be verified" });
    await expect.poll(() => opened.size).toBe(0);
  });

  test("a refusal that breaks off is an error", async () => {
    refuse = (_request, socket) => {
      socket.write("HTTP/1.1 500 No\r\ncontent-length: 1000\r\n\r\nbegin", () => socket.destroy());
      return true;
    };
    expect(await send().over).toMatchObject({ status: 500, end: "error" });
  });

  test.each([
    ["is destroyed", (socket: WebSocket) => socket.terminate()],
    ["is closed with an error", (socket: WebSocket) => socket.close(1011)],
  ])("a connection that %s in mid-answer is an error", async (_how, end) => {
    answer = (socket) => socket.send('{"a":1}', () => end(socket));
    const heard = await send().over;
    expect(heard).toMatchObject({ status: 200, text: '{"a":1}\n', end: "error" });
    expect(causeOf(heard.error ?? new Error())).toBe("reset");
  });

  test("a connection that is closed without a message is an error, however it is closed", async () => {
    answer = (socket) => socket.close(1000);
    const heard = await send().over;
    expect(heard).toMatchObject({ status: 0, end: "error" });
    expect(causeOf(heard.error ?? new Error())).toBe("reset");
  });

  test("a message of more than 10 MB is a bad answer", async () => {
    answer = (socket) => socket.send("x".repeat(10 * 1_048_576 + 1));
    const heard = await send().over;
    expect(heard).toMatchObject({ end: "error", text: "" });
    expect(causeOf(heard.error ?? new Error())).toBe("bad_answer");
    await expect.poll(() => opened.size).toBe(0);
  });

  test("abort closes the connection politely", async () => {
    const codes: number[] = [];
    answer = (socket) => {
      socket.on("close", (code) => codes.push(code));
      socket.send('{"a":1}');
      socket.send('{"b":2}');
    };
    expect(await send({ until: '{"a":1}' }).over).toMatchObject({ end: "error", text: '{"a":1}\n' });
    await expect.poll(() => codes).toEqual([1000]);
  });

  test("abort closes a connection whose other end does not answer", async () => {
    refuse = (request, socket) => {
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      const head = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n";
      socket.write(`${head}sec-websocket-accept: ${accept}\r\n\r\n`);
      socket.write(Buffer.from([0x81, 2, 0x7b, 0x7d]));
      socket.on("end", () => socket.end()).resume();
      return true;
    };
    expect(await send({ until: "{}" }).over).toMatchObject({ end: "error", text: "{}\n" });
    await expect.poll(() => opened.size, { timeout: 5_000 }).toBe(0);
  });

  test("nobody is there: the error says so", async () => {
    close();
    const heard = await send().over;
    expect(heard).toMatchObject({ connected: false, end: "error" });
    expect(causeOf(heard.error ?? new Error())).toBe("connect");
  });

  test("a handshake that nobody answers is abandoned without a sound, and nothing stays open", async () => {
    refuse = (_request, socket) => {
      socket.on("end", () => socket.end()).resume();
      return true;
    };
    const { connections, connection, heard } = send();
    await expect.poll(() => opened.size).toBe(1);
    connections.abandon(connection);
    await expect.poll(() => opened.size).toBe(0);
    expect(heard).toMatchObject({ connected: false, end: "" });
  });

  test("the end of all connections ends those that run", async () => {
    answer = (socket) => socket.send('{"a":1}');
    const { connections, heard } = send();
    await expect.poll(() => heard.text).not.toBe("");
    await connections.destroy();
    await expect.poll(() => opened.size).toBe(0);
  });

  test("pings are answered", async () => {
    answer = (socket) => {
      socket.ping("are you there");
      socket.once("pong", () => {
        socket.send('{"a":1}');
        socket.close(1000);
      });
    };
    expect(await send().over).toMatchObject({ end: "complete" });
    expect(pongs).toEqual(["are you there"]);
  });

  test("who takes slowly gets everything", async () => {
    answer = (socket) => {
      for (let i = 0; i < 20; i++) socket.send(`{"i":${i},"text":"${"x".repeat(100_000)}"}`);
      socket.close(1000);
    };
    const heard = await send({ pauseMs: 5 }).over;
    expect(heard.end).toBe("complete");
    expect(heard.text.split("\n")).toHaveLength(21);
  });

  test.each(["http", "socks5"])("goes through a %s proxy", async (kind) => {
    const proxy = kind === "http" ? await startHttpProxy("u:p") : await startSocksProxy("u", "p");
    answer = (socket) => socket.send('{"a":1}', () => socket.close(1000));
    const heard = await send({ proxy: `${kind}://u:p@127.0.0.1:${proxy.port}` }).over;
    expect(heard).toMatchObject({ status: 200, text: '{"a":1}\n', end: "complete" });
    expect(proxy.seen).toEqual([origin.replace("ws://", "")]);
    proxy.close();
  });

  test("a proxy that refuses is an error", async () => {
    const proxy = await startHttpProxy("u:p");
    expect(await send({ proxy: `http://u:wrong@127.0.0.1:${proxy.port}` }).over).toMatchObject({
      connected: false,
      end: "error",
    });
    proxy.close();
  });
});

test("an administrator's WebSocket cannot reach a private network", () => {
  expect(() => openConnections({ origin, proxy: "", trust: "public" })).toThrow("egressBlocked");
  expect(() => openConnections({ origin: "wss://169.254.169.254", proxy: "", trust: "public" })).toThrow();
});

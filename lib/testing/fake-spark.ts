import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { readChunksFixture } from "./dialect-fixtures";
import { sparkRequest } from "./upstream-schemas/spark";

export type FakeSpark = {
  /** With ws: as its scheme. */
  url: string;
  requests: { url: string; body: SparkBody }[];
  /** WebSockets that are open. */
  open: () => number;
  close: () => void;
};

type SparkBody = {
  header?: { app_id: string };
  payload?: { message?: { text?: { content: string }[] }; functions?: unknown };
};

export const SPARK_KEY = "appid|the-secret|the-key";
const [APP_ID, SECRET, API_KEY] = SPARK_KEY.split("|") as [string, string, string];
const PATH = /^\/(v[\d.]+\/chat|chat\/(max-32k|pro-128k)|v1\/x1|x2)$/;

/**
 * A Spark on loopback. It refuses a wrong signature with 401 and a request that iFlytek would not accept with its error
 * 10163. The last message's first word says what it does else: `cut`, `midway`, `silent`, `busy`, `limited`,
 * `forbidden` or `thinking`; any other text is answered with a greeting.
 */
export async function startFakeSpark(): Promise<FakeSpark> {
  const requests: FakeSpark["requests"] = [];
  const server = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket: Socket, head) => {
    if (!isSigned(request)) {
      const body = '{"message":"HMAC signature cannot be verified, a validate authorization header is required"}';
      socket.end(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on("message", (data, isBinary) => {
        const body = JSON.parse(String(data)) as SparkBody;
        requests.push({ url: request.url ?? "", body });
        if (isBinary) sendError(opened, 10_003, "the message must be text");
        else answer(opened, body);
      });
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    open: () => sockets.clients.size,
    close() {
      for (const opened of sockets.clients) opened.terminate();
      server.close();
    },
  };
}

/** https://www.xfyun.cn/doc/spark/general_url_authentication.html */
function isSigned({ url = "", headers }: IncomingMessage): boolean {
  const { pathname, searchParams } = new URL(url, "http://host");
  const [host, date, given] = ["host", "date", "authorization"].map((name) => searchParams.get(name) ?? "");
  if (!PATH.test(pathname) || host !== headers.host || Math.abs(Date.now() - Date.parse(date ?? "")) > 300_000)
    return false;
  const text = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
  const signature = createHmac("sha256", SECRET).update(text).digest("base64");
  const wanted = `api_key="${API_KEY}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  return Buffer.from(given ?? "", "base64").toString() === wanted;
}

function answer(socket: WebSocket, body: SparkBody): void {
  const fault = sparkRequest.safeParse(body).error;
  if (body.header?.app_id !== APP_ID) sendError(socket, 10_313, "invalid appid");
  else if (fault) sendError(socket, 10_163, `schema validation: ${fault.message}`);
  else act(socket, body);
}

const ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  busy: [10_110, "ServiceBusyError"],
  limited: [11_202, "AppIdQpsOverFlowError"],
  forbidden: [10_013, "the input was not let through by the audit"],
};

function act(socket: WebSocket, body: SparkBody): void {
  const text = body.payload?.message?.text?.at(-1)?.content ?? "";
  const word = text.split(" ")[0] ?? "";
  const error = ERRORS[word];
  if (error) sendError(socket, ...error);
  else if (word === "cut" || word === "midway") {
    sendFixture(socket, "cut");
    if (word === "midway") sendError(socket, 10_012, "EngineInternalError");
    else setTimeout(() => socket.terminate(), 30);
  } else if (word !== "silent") {
    sendFixture(socket, body.payload?.functions ? "tools" : word === "thinking" ? "thinking" : "text");
  }
}

function sendFixture(socket: WebSocket, name: string): void {
  for (const { data } of readChunksFixture("spark", name)) socket.send(data);
}

function sendError(socket: WebSocket, code: number, message: string): void {
  socket.send(JSON.stringify({ header: { code, message, sid: "cht000@dx", status: 2 } }));
}

import { createServer, type Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from "node:net";

export type TestProxy = {
  port: number;
  /** The addresses it was asked to connect to. */
  seen: string[];
  close: () => void;
};

async function listen(server: Server | NetServer, seen: string[], sockets: Set<Socket>): Promise<TestProxy> {
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, seen, close };
}

function join(client: Socket, host: string, port: number, greeting: Buffer | string): void {
  const target = connect(port, host, () => {
    client.write(greeting);
    client.pipe(target).pipe(client);
  });
  target.on("error", () => client.destroy());
  client.on("close", () => target.destroy());
}

/** An HTTP proxy that accepts only CONNECT with this user and password. */
export function startHttpProxy(credentials: string): Promise<TestProxy> {
  const seen: string[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on("connect", (request, socket: Socket) => {
    const wanted = `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (request.headers["proxy-authorization"] !== wanted) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    seen.push(request.url ?? "");
    const { hostname, port } = new URL(`http://${request.url}`);
    join(socket, hostname, Number(port), "HTTP/1.1 200 OK\r\n\r\n");
  });
  return listen(server, seen, new Set());
}

/** A SOCKS5 proxy (RFC 1928, 1929) that requires this user and password. */
export function startSocksProxy(user: string, password: string): Promise<TestProxy> {
  const seen: string[] = [];
  const server = createNetServer((socket) => {
    let step: "hello" | "login" | "request" | "open" = "hello";
    socket.on("data", (data: Buffer) => {
      if (step === "hello") {
        step = "login";
        socket.write(Buffer.from([5, 2]));
      } else if (step === "login") {
        const name = data.subarray(2, 2 + (data[1] ?? 0)).toString();
        const secret = data.subarray(3 + name.length).toString();
        const isRight = name === user && secret === password;
        step = "request";
        socket.write(Buffer.from([1, isRight ? 0 : 1]));
        if (!isRight) socket.end();
      } else if (step === "request") {
        step = "open";
        const isName = data[3] === 3;
        const length = isName ? (data[4] ?? 0) : 4;
        const start = isName ? 5 : 4;
        const raw = data.subarray(start, start + length);
        const host = isName ? raw.toString() : [...raw].join(".");
        const port = data.readUInt16BE(start + length);
        seen.push(`${host}:${port}`);
        socket.removeAllListeners("data");
        join(socket, host, port, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      }
    });
  });
  return listen(server, seen, new Set());
}

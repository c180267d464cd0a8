import { type AddressInfo, createServer, type Socket } from "node:net";

/** A request as the upstream received it, and ways to answer it byte by byte. */
export type Asked = {
  socket: Socket;
  model: string;
  isStream: boolean;
  /** How many requests for this model came before. */
  before: number;
};

export type Fault = (asked: Asked) => void;

export type FaultUpstream = Awaited<ReturnType<typeof startFaultUpstream>>;

/** An upstream on a bare socket. The model's name says how it behaves; every POST that arrives is counted. */
export async function startFaultUpstream(faults: Record<string, Fault>) {
  const times = new Map<string, number[]>();
  const bodies = new Map<string, string[]>();
  const sockets = new Set<Socket>();
  let closed = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      closed += 1;
    });
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let body = takeBody(); body !== null; body = takeBody()) answer(body);
    });

    function takeBody(): string | null {
      const head = received.indexOf("\r\n\r\n");
      if (head === -1) return null;
      const length = Number(/content-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1] ?? 0);
      if (received.length < head + 4 + length) return null;
      const body = received.toString("utf8", head + 4, head + 4 + length);
      received = received.subarray(head + 4 + length);
      return body;
    }

    function answer(body: string): void {
      const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
      const seen = times.get(model) ?? [];
      times.set(model, [...seen, performance.now()]);
      bodies.set(model, [...(bodies.get(model) ?? []), body]);
      const fault = faults[model];
      if (!fault) throw new Error(`no fault is named ${model}`);
      fault({ socket, model, isStream: stream === true, before: seen.length });
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Times at which requests for this model arrived, in ms. */
    times: (model: string): number[] => times.get(model) ?? [],
    posts: (model: string): number => (times.get(model) ?? []).length,
    /** The bodies of the requests for this model. */
    bodies: (model: string): string[] => bodies.get(model) ?? [],
    open: (): number => sockets.size,
    closed: (): number => closed,
    forget(): void {
      times.clear();
      bodies.clear();
    },
    close: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const USAGE = { prompt_tokens: 12, completion_tokens: 13, total_tokens: 25 };

/** What a good answer costs at one quota per prompt token and two per completion token. */
export const GOOD_QUOTA = 38;

export function head(status: number, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n`;
}

export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

export const STREAM_HEAD = head(200, { "content-type": "text/event-stream", "transfer-encoding": "chunked" });

export function event(choices: object[], more: object = {}): string {
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more })}\n\n`;
}

export const ROLE = event([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);

export function words(text: string): string {
  return event([{ index: 0, delta: { content: text }, finish_reason: null }]);
}

export const STREAM_END = `${event([{ index: 0, delta: {}, finish_reason: "stop" }])}${event([], { usage: USAGE })}data: [DONE]\n\n`;

export const WHOLE = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "All is well." }, finish_reason: "stop" }],
  usage: USAGE,
});

/** A good answer that keeps the connection open. */
export const good: Fault = ({ socket, isStream }) => {
  if (isStream) socket.write(`${STREAM_HEAD}${chunk(`${ROLE}${words("All is well.")}${STREAM_END}`)}0\r\n\r\n`);
  else socket.write(`${head(200, { "content-type": "application/json", "content-length": WHOLE.length })}${WHOLE}`);
};

/** An error answer with this status. */
export function failing(status: number, headers: Record<string, string> = {}, error: object = {}): Fault {
  const body = JSON.stringify({ error: { message: `fault ${status}`, type: "fault", code: null, ...error } });
  return ({ socket }) =>
    void socket.write(
      `${head(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers })}${body}`,
    );
}

/** This fault for the first `times` requests, then good answers. */
export function first(times: number, fault: Fault): Fault {
  return (asked) => (asked.before < times ? fault : good)(asked);
}

/** Accepts a request and never answers. */
export const silent: Fault = () => {};

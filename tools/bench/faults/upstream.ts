import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answer } from "./answers";
import type { Act, Fault, Row, SetUp, Times } from "./fault";

/** A channel of a row and the upstream behind it. */
export type FaultChannel = {
  baseUrl: string;
  /** When each request, or each connection, arrived, in ms. Null = the upstream cannot see them. */
  seen: number[] | null;
  close: () => Promise<void>;
};

export type OpenRow = Row & { times: Times; faulty: FaultChannel; healthy: FaultChannel | null };

/** Starts an upstream with a port of its own for every channel of a row. */
export async function openRow(row: Row, times: Times): Promise<OpenRow> {
  const healthy = hasHealthy(row.setUp) ? await startUpstream(answer, times) : null;
  return { ...row, times, faulty: await openFaulty(row.fault, times), healthy };
}

const hasHealthy = (setUp: SetUp): boolean => setUp !== "one";

async function openFaulty({ act, address, counts, isWarm }: Fault, times: Times): Promise<FaultChannel> {
  const upstream = await startUpstream(act, times, { isWarm, counts: counts ?? "requests" });
  if (!address) return upstream;
  return { ...upstream, baseUrl: address(upstream.baseUrl), seen: counts === "log" ? null : upstream.seen };
}

type Counting = { isWarm?: boolean | undefined; counts?: "requests" | "connections" | "log" };

async function startUpstream(act: Act, times: Times, { isWarm, counts }: Counting = {}): Promise<FaultChannel> {
  const seen: number[] = [];
  let isWarming = isWarm === true;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const isStream = body.stream === true;
    const call = { request, response, body, isStream, nth: seen.length, times };
    if (isWarming) {
      isWarming = false;
      return answer(call);
    }
    if (counts !== "connections") seen.push(performance.now());
    await act({ ...call, nth: seen.length });
  };
  const server = createServer((request, response) => {
    response.on("error", () => {});
    serve(request, response).catch(() => response.destroy());
  });
  if (counts === "connections") server.on("connection", () => seen.push(performance.now()));
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>;
}
